"""Several late payments of one cancelled order: each is told once, when a person has decided on all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.rows import an_order
from tests.operations.conftest import MakeContext, MakeOrder, Resolve, Start, VirtualClock
from tests.operations.settlement.rows import a_follow_up, a_page, approval, contradiction, update
from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import LifecycleEvent, OrderState, TransactionKind
from wallet_gateway.domain.policy import LatePaymentPolicy
from wallet_gateway.models import Discrepancy, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.approvals.resolve import Decision, close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.settlement.cancellation import cancel
from wallet_gateway.operations.settlement.settle import reread, settle
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


# What the setting and the order decide


def a_cancelled_order(clock: VirtualClock, **columns: Any) -> PaymentOrder:
    ended = {"cancelled_at": clock.now(), "release_check_at": clock.now(), "state": OrderState.CANCELLED}
    return an_order(**ended | columns)


@pytest.mark.parametrize(
    ("policy", "state", "late", "differs"),
    [
        (LatePaymentPolicy.REPORT, OrderState.FROZEN, "REPORTED", ["LATE_PAYMENT"]),
        (LatePaymentPolicy.ACCEPT, OrderState.PAID, "ACCEPTED", []),
    ],
)
def test_the_setting_decides_whether_a_person_is_asked_about_a_late_payment(
    policy: LatePaymentPolicy,
    state: OrderState,
    late: str,
    differs: list[str],
    make_context: MakeContext,
    clock: VirtualClock,
) -> None:
    page = a_page(order=a_cancelled_order(clock))
    settle(page, approval(2000), context=make_context(late_payment=policy))
    order = PaymentOrder.objects.get()
    assert (order.state, order.late_payment) == (state, late)
    assert list(Discrepancy.objects.values_list("kind", flat=True)) == differs


@pytest.mark.parametrize("event", [LifecycleEvent.REJECTED, LifecycleEvent.HELD])
def test_only_a_payment_that_is_approved_comes_late(
    event: LifecycleEvent, context: GatewayContext, clock: VirtualClock
) -> None:
    settle(a_page(order=a_cancelled_order(clock)), update(event), context=context)
    assert PaymentOrder.objects.get().late_payment == ""


def test_a_second_payment_of_an_order_whose_late_payment_was_accepted_makes_it_overpaid(
    make_context: MakeContext, clock: VirtualClock
) -> None:
    order = a_cancelled_order(clock)
    first, second = a_page(order=order), a_page(order=order)
    settle(reread(first), approval(2000, "g1"), context=make_context(late_payment=LatePaymentPolicy.ACCEPT))
    settle(reread(second), approval(2000, "g2"), context=make_context(late_payment=LatePaymentPolicy.REPORT))
    order.refresh_from_db()
    assert (order.state, order.late_payment) == (OrderState.OVERPAID, "ACCEPTED")
    assert not Discrepancy.objects.exists()


@pytest.mark.parametrize(
    ("type_", "kind", "state"),
    [
        ("sale", TransactionKind.REFUND, OrderState.REFUNDED),
        ("preauthorization", TransactionKind.REVERSAL, OrderState.CANCELLED),
    ],
)
def test_a_payment_of_an_order_that_was_paid_late_and_given_back_is_decided_on_anew(
    type_: str, kind: TransactionKind, state: OrderState, make_context: MakeContext, clock: VirtualClock
) -> None:
    accepting = make_context(late_payment=LatePaymentPolicy.ACCEPT)
    order = a_cancelled_order(clock, type=type_)
    first, second = a_page(order=order), a_page(order=order)
    paid = settle(reread(first), approval(2000, "g1"), context=accepting)
    given_back = a_follow_up(paid, kind, amount_minor=2000)
    settle(given_back, approval(2000, "g2"), context=accepting)
    assert (current().state, current().late_payment) == (state, LatePayment.ACCEPTED)
    settle(reread(second), approval(2000, "g3"), context=make_context(late_payment=LatePaymentPolicy.REPORT))
    assert (current().state, current().late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)


def test_a_capture_of_a_late_payment_is_not_a_late_payment_itself(
    make_context: MakeContext, clock: VirtualClock
) -> None:
    reporting = make_context(late_payment=LatePaymentPolicy.REPORT)
    page = a_page(order=a_cancelled_order(clock, type="preauthorization"))
    late = settle(page, approval(2000, "g1"), context=reporting)
    settle(a_follow_up(late, TransactionKind.CAPTURE), approval(500, "g2"), context=reporting)
    assert Discrepancy.objects.get().transaction == late


def test_a_payment_that_came_in_time_is_not_late_once_a_contradiction_of_it_is_accepted(
    make_context: MakeContext, clock: VirtualClock, resolve: Resolve
) -> None:
    reporting = make_context(late_payment=LatePaymentPolicy.REPORT)
    paid = settle(a_page(), approval(2000, "g1"), context=reporting)
    refund = a_follow_up(paid, TransactionKind.REFUND, amount_minor=2000)
    settle(refund, approval(2000, "g2"), context=reporting)
    PaymentOrder.objects.update(cancelled_at=clock.now(), release_check_at=clock.now())
    doubled = update(LifecycleEvent.CONTRADICTED, finding=contradiction(DiscrepancyKind.EXECUTED_TWICE))
    resolve(settle(reread(paid), doubled, context=reporting), Decision.DID_HAPPEN)
    assert (current().state, current().late_payment) == (OrderState.REFUNDED, LatePayment.NONE)
