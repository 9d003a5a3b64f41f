"""Several late payments of one cancelled order: each is told once, when a person has decided on all."""

from __future__ import annotations

import pytest

from tests.operations.conftest import MakeContext, MakeOrder, Start, VirtualClock
from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.domain.policy import LatePaymentPolicy
from wallet_gateway.models import Discrepancy, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.approvals.resolve import close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.settlement.cancellation import cancel
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def current() -> PaymentOrder:
    return PaymentOrder.objects.get()


def told() -> list[tuple[int | None, int | None]]:
    rows = OutboxEvent.objects.filter(kind__in=["PAID", "AUTHORIZED"])
    return list(rows.order_by("pk").values_list("transaction__payment__number", "amount_minor"))


def two_pages(make_order: MakeOrder, start: Start, clock: VirtualClock) -> tuple[Payment, Payment]:
    """Open a second page of an order when the first one is about to end."""
    first = start(make_order())
    clock.advance(minutes=14, seconds=30)
    return first, start(PaymentOrder.objects.get(pk=first.order_id))


@pytest.fixture
def twice_paid_late(
    make_order: MakeOrder,
    start: Start,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> tuple[Payment, Payment]:
    """Two pages of one order, both paid after it was cancelled."""
    first, second = two_pages(make_order, start, clock)
    for payment in (first, second):
        wallet_sandbox.complete_checkout(payment.reference, "success")
    cancel(order=current(), by="shop", note="", clock=clock)
    clock.advance(seconds=5)
    first, second = (reconcile_attempt(reference=p.reference, context=context) for p in (first, second))
    assert (current().state, current().late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)
    return first, second


def close(payment: Payment, context: GatewayContext) -> None:
    difference = Discrepancy.objects.get(kind=DiscrepancyKind.LATE_PAYMENT, payment=payment)
    close_discrepancy(difference, reason="decided", by="anna", context=context)


@pytest.mark.parametrize("given_back", [0, 1])
@pytest.mark.parametrize("closed_first", [0, 1])
def test_the_late_payment_that_is_kept_is_told_as_paid_whichever_difference_is_closed_last(
    given_back: int, closed_first: int, twice_paid_late: tuple[Payment, Payment], context: GatewayContext
) -> None:
    refund(payment=twice_paid_late[given_back], context=context)
    close(twice_paid_late[closed_first], context)
    assert (current().state, told()) == (OrderState.FROZEN, [])
    close(twice_paid_late[1 - closed_first], context)

    kept = twice_paid_late[1 - given_back]
    assert (current().state, told()) == (OrderState.PAID, [(kept.number, 2000)])


@pytest.mark.parametrize("given_back", [0, 1])
def test_two_late_payments_that_are_accepted_are_told_as_paid_once_although_overpaid(
    given_back: int, twice_paid_late: tuple[Payment, Payment], context: GatewayContext
) -> None:
    for payment in twice_paid_late:
        close(payment, context)
    assert (current().state, told()) == (OrderState.OVERPAID, [(1, 2000)])
    refund(payment=twice_paid_late[given_back], context=context)
    assert (current().state, told()) == (OrderState.PAID, [(1, 2000)])


def test_a_late_payment_beside_one_that_a_person_decides_on_is_left_to_them_though_the_setting_has_changed(
    make_order: MakeOrder,
    start: Start,
    make_context: MakeContext,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    first, second = pages = two_pages(make_order, start, clock)
    for payment in pages:
        wallet_sandbox.complete_checkout(payment.reference, "success")
    cancel(order=current(), by="shop", note="", clock=clock)
    clock.advance(seconds=5)
    reconcile_attempt(reference=first.reference, context=context)
    accepting = make_context(late_payment=LatePaymentPolicy.ACCEPT)
    second = reconcile_attempt(reference=second.reference, context=accepting)
    assert (current().state, told()) == (OrderState.FROZEN, [])

    for payment in (first, second):
        close(payment, context)
    refund(payment=second, context=context)
    assert (current().state, told()) == (OrderState.PAID, [(1, 2000)])
