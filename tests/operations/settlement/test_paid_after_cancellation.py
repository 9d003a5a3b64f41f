"""A payment that comes after its order was cancelled: a person decides, and nobody ships before."""

from __future__ import annotations

import pytest

from tests.operations.aftermath import the_order, told
from tests.operations.conftest import MakeContext, MakeOrder, Pay, Start, VirtualClock
from tests.operations.settlement.cancelled_orders import cancelled, late_payment
from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.domain.policy import LatePaymentPolicy
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment
from wallet_gateway.operations.approvals.resolve import close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture
def paid_late(
    open_page: Pay, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> Payment:
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")
    cancelled(payment.order, clock)
    clock.advance(seconds=30)
    return reconcile_attempt(reference=payment.reference, context=context)


def test_a_late_payment_is_left_to_a_person_and_nobody_is_told_that_the_order_is_paid(
    paid_late: Payment, clock: VirtualClock, context: GatewayContext
) -> None:
    assert (the_order().state, the_order().late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)
    assert not the_order().is_paid
    assert told() == ["CANCELLED", "ANOMALY"]
    assert late_payment().closed_at is None
    assert Payment.objects.get().captured == 2000, "the money is in our totals all the same"
    clock.advance(hours=30)
    sweep(context=context)
    assert not the_order().is_released
    assert told() == ["CANCELLED", "ANOMALY"]


def test_a_late_payment_can_be_given_back_at_once(
    paid_late: Payment, context: GatewayContext, clock: VirtualClock
) -> None:
    refund(payment=paid_late, context=context)
    assert the_order().state == OrderState.REFUNDED
    close_discrepancy(late_payment(), reason="given back", by="anna", context=context)

    assert the_order().state == OrderState.REFUNDED
    assert told() == ["CANCELLED", "ANOMALY", "REFUNDED"], "what was given back is not paid"
    clock.advance(minutes=1)
    sweep(context=context)
    assert (the_order().is_released, the_order().release_check_at) == (True, None)
    assert told()[-1] == "RELEASED", "the goods of what was given back are free"


def test_a_late_payment_that_was_given_back_is_not_released_while_another_page_may_be_paid(
    make_order: MakeOrder,
    start: Start,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    first = start(order)
    clock.advance(minutes=14, seconds=30)
    start(the_order())
    wallet_sandbox.complete_checkout(first.reference, "success")
    cancelled(order, clock)
    clock.advance(seconds=5)
    first = reconcile_attempt(reference=first.reference, context=context)
    refund(payment=first, context=context)
    clock.advance(minutes=20)
    sweep(context=context)
    assert (the_order().state, the_order().is_released) == (OrderState.REFUNDED, False)
    for _ in range(4):
        clock.advance(minutes=10)
        sweep(context=context)
    assert (the_order().state, the_order().is_released) == (OrderState.REFUNDED, True)


def test_a_cancelled_order_is_not_released_while_one_of_its_payments_holds_an_authorization(
    make_order: MakeOrder,
    start: Start,
    make_context: MakeContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    accepting = make_context(late_payment=LatePaymentPolicy.ACCEPT)
    order = make_order(type="preauthorization")
    first = start(order)
    clock.advance(minutes=14, seconds=30)
    second = start(the_order())
    for page in (first, second):
        wallet_sandbox.complete_checkout(page.reference, "success")
    cancelled(order, clock)
    clock.advance(seconds=5)
    first, second = (reconcile_attempt(reference=p.reference, context=accepting) for p in (first, second))
    capture(payment=first, context=accepting)
    refund(payment=first, context=accepting)
    for _ in range(2):
        clock.advance(minutes=30)
        sweep(context=accepting)
    assert (the_order().state, the_order().is_released) == (OrderState.AUTHORIZED, False)

    reverse(payment=second, context=accepting)
    clock.advance(minutes=2)
    sweep(context=accepting)
    assert (the_order().state, the_order().is_released) == (OrderState.REFUNDED, True)


def test_an_acceptance_whose_process_died_is_finished_by_the_sweep(
    paid_late: Payment, context: GatewayContext, clock: VirtualClock
) -> None:
    Discrepancy.objects.update(closed_at=clock.now(), closed_by="anna", reason="one more")
    clock.advance(hours=2)
    sweep(context=context)
    assert the_order().state == OrderState.PAID
    assert told()[-1] == "PAID"


def test_a_late_authorization_may_be_captured_or_reversed_and_is_paid_once_accepted(
    open_page: Pay, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    payment = open_page(type="preauthorization")
    wallet_sandbox.complete_checkout(payment.reference, "success")
    cancelled(payment.order, clock)
    payment = reconcile_attempt(reference=payment.reference, context=context)
    assert the_order().state == OrderState.FROZEN
    capture(payment=payment, context=context)
    assert told() == ["CANCELLED", "ANOMALY"], "goods are shipped on these"
    close_discrepancy(late_payment(), reason="accepted", by="anna", context=context)
    assert the_order().state == OrderState.PAID
    assert told() == ["CANCELLED", "ANOMALY", "AUTHORIZED", "PAID"]


def test_a_record_that_shows_after_the_release_is_a_late_payment_too(
    open_page: Pay, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    payment = open_page()
    cancelled(payment.order, clock)
    clock.advance(minutes=14)
    wallet_sandbox.behaviour(status_lag_seconds=7200)
    wallet_sandbox.complete_checkout(payment.reference, "success")
    clock.advance(minutes=20)
    sweep(context=context)
    clock.advance(minutes=20)
    sweep(context=context)
    assert the_order().is_released
    clock.advance_to(GatewayTransaction.objects.get().next_query_at)
    sweep(context=context)
    assert (the_order().state, the_order().late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)
    assert told() == ["CANCELLED", "RELEASED", "ANOMALY"]


def test_a_cancellation_while_an_answer_is_recorded_does_not_hide_that_the_payment_is_late(
    open_page: Pay,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The settlement has read an order that was not cancelled yet."""
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")

    status = context.gateway.status

    def status_and_cancel(reference: str) -> object:
        answer = status(reference)
        cancelled(payment.order, clock)
        return answer

    monkeypatch.setattr(context.gateway, "status", status_and_cancel)
    reconcile_attempt(reference=payment.reference, context=context)
    assert (the_order().state, the_order().late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)
