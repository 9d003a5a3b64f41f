"""Cancelling an order: what begins no more, what was begun is watched, and when its goods are free."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from django.db.models import QuerySet

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Pay, Start, VirtualClock
from tests.operations.wallet_customer import CARD, Customer
from tests.refusals import refuses
from wallet_gateway.domain.cancellation import LATEST_CHECK, LatePayment
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.policy import LatePaymentPolicy
from wallet_gateway.domain.polling_schedule import SETTLE_TIME
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.approvals.resolve import close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    GatewayUnreachable,
    InvalidInput,
    InvalidState,
    OrderNotPayable,
)
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.settlement import cancellation, row_errors
from wallet_gateway.operations.settlement.cancellation import cancel, release_orders
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


def cancelled(order: PaymentOrder, clock: VirtualClock, note: str = "") -> PaymentOrder:
    return cancel(order=PaymentOrder.objects.get(pk=order.pk), by="shop", note=note, clock=clock)


def current() -> PaymentOrder:
    return PaymentOrder.objects.get()


def told() -> list[str]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))


def late_payment() -> Discrepancy:
    return Discrepancy.objects.get(kind=DiscrepancyKind.LATE_PAYMENT)


# An order of which nothing was begun


def test_an_order_that_nobody_began_to_pay_is_cancelled_and_released_at_once(
    make_order: MakeOrder, start: Start, clock: VirtualClock
) -> None:
    order = cancelled(make_order(), clock, note="sold out, card 4111111111111111")

    assert (order.state, order.is_cancelled, order.is_released) == (OrderState.CANCELLED, True, True)
    assert (order.cancelled_at, order.released_at) == (clock.now(), clock.now())
    assert (order.cancelled_by, order.release_check_at) == ("shop", None)
    assert "4111111111111111" not in order.cancellation_note
    assert order.is_final
    assert told() == ["CANCELLED", "RELEASED"]
    with refuses(OrderNotPayable, ErrorCode.ORDER_CANCELLED, order=order.reference):
        start(order)
    assert not GatewayTransaction.objects.exists()


def test_a_second_cancellation_changes_nothing(make_order: MakeOrder, clock: VirtualClock) -> None:
    order = cancelled(make_order(), clock, note="first")
    clock.advance(minutes=1)
    again = cancelled(order, clock, note="second")

    assert (again.cancelled_at, again.cancellation_note) == (order.cancelled_at, "first")
    assert told() == ["CANCELLED", "RELEASED"]


def test_whoever_cancels_has_a_name(make_order: MakeOrder, clock: VirtualClock) -> None:
    with refuses(InvalidInput, ErrorCode.NAME_MISSING):
        cancel(order=make_order(), by="", note="", clock=clock)
    assert not current().is_cancelled


def test_an_order_that_holds_money_is_not_cancelled_and_the_code_says_what_to_do(
    pay: Pay, clock: VirtualClock, context: GatewayContext
) -> None:
    paid, authorized = pay(), pay(type="preauthorization")
    refunded = pay()
    refund(payment=refunded, context=context)
    for payment, code in (
        (paid, ErrorCode.CANCEL_NEEDS_REFUND),
        (authorized, ErrorCode.CANCEL_NEEDS_REVERSAL),
        (refunded, ErrorCode.CANCEL_REFUNDED),
    ):
        with pytest.raises(InvalidState) as refused:
            cancelled(payment.order, clock)
        assert refused.value.code == code
        assert payment.order.reference in refused.value.message
    assert not PaymentOrder.objects.filter(cancelled_at__isnull=False).exists()


def test_an_order_whose_authorization_was_reversed_may_be_cancelled(
    authorized: Payment, context: GatewayContext, clock: VirtualClock
) -> None:
    reverse(payment=authorized, context=context)
    assert current().state == OrderState.REVERSED

    assert cancelled(authorized.order, clock).state == OrderState.CANCELLED
    assert current().is_released


# A hosted page that was open


def test_a_page_that_was_open_is_watched_to_its_end_and_only_then_is_the_order_released(
    open_page: Pay, start: Start, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = open_page()
    order = cancelled(payment.order, clock)
    assert (order.state, order.is_released, order.is_final) == (OrderState.CANCELLED, False, False)
    with refuses(OrderNotPayable, ErrorCode.ORDER_CANCELLED, order=order.reference):
        start(order)

    assert payment.expires_at is not None
    while clock.now() < payment.expires_at + SETTLE_TIME:
        sweep(context=context)
        assert not current().is_released, "it may still be paid"
        clock.advance(minutes=3)
    for _ in range(3):
        clock.advance(minutes=3)
        sweep(context=context)
    assert GatewayTransaction.objects.get().state == S.EXPIRED
    assert (current().state, current().is_released) == (OrderState.CANCELLED, True)
    assert told() == ["CANCELLED", "RELEASED"], "that the customer may try again is not told"


def test_a_page_on_which_a_card_was_refused_may_be_paid_until_its_end(
    pay: Pay, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    """A refused card does not close its page, so the order waits for an answer after the page's end."""
    payment = pay("refused")
    assert payment.opening.state == S.REJECTED
    assert not cancelled(payment.order, clock).is_released

    assert payment.expires_at is not None
    released_after = payment.expires_at + SETTLE_TIME
    clock.advance_to(released_after - timedelta(minutes=1))
    sweep(context=context)
    assert not current().is_released
    wallet_sandbox.fault("status", "drop_before", times=100)
    clock.advance(minutes=3)
    sweep(context=context)
    assert not current().is_released, "nobody has said that it was not paid"
    wallet_sandbox.clear_faults()
    for _ in range(3):
        clock.advance(minutes=30)
        sweep(context=context)
    assert current().is_released


def test_a_page_of_which_nothing_was_sent_does_not_hold_the_order_back(
    make_order: MakeOrder, start: Start, make_context: MakeContext, clock: VirtualClock
) -> None:
    order = make_order()
    with pytest.raises(GatewayUnreachable):
        start(order, make_context(f"http://127.0.0.1:{unused_port()}"))
    assert GatewayTransaction.objects.get().state == S.NOT_SENT

    assert cancelled(order, clock).is_released
    with pytest.raises(OrderNotPayable):
        start(order)
    assert GatewayTransaction.objects.get().state == S.NOT_SENT


# The wallet button


def test_a_button_that_was_shown_pays_nothing_after_the_cancellation(
    make_order: MakeOrder, customer: Customer, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    detail = customer.approve(button)
    assert cancelled(order, clock).is_released

    for act in (
        lambda: customer.post(order, detail),
        lambda: customer.open(current()),
        lambda: customer.another_card(current()),
    ):
        with pytest.raises(OrderNotPayable) as refused:
            act()
        assert refused.value.code == ErrorCode.ORDER_CANCELLED
    assert not [entry for entry in wallet_sandbox.journal() if entry["operation"] == "authorize"]


def test_a_cancellation_between_the_card_and_its_authorization_wins(
    make_order: MakeOrder,
    customer: Customer,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
    wallet_sandbox: SandboxControl,
) -> None:
    from wallet_gateway.operations.wallet import authorize

    order, claim = make_order(), authorize.claim
    detail = customer.approve(customer.open(order))

    def claim_too_late(*given: object) -> bool:
        cancelled(order, clock)
        return claim(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(authorize, "claim", claim_too_late)
    with refuses(OrderNotPayable, ErrorCode.ORDER_CANCELLED, order=order.reference):
        customer.post(order, detail)
    assert GatewayTransaction.objects.get().attempt_no == 0
    assert current().is_released


def test_an_unknown_authorization_holds_the_order_until_its_outcome_is_known(
    make_order: MakeOrder, customer: Customer, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    wallet_sandbox.fault("authorization", "drop_before")
    customer.pay(order)
    assert GatewayTransaction.objects.get().state == S.UNKNOWN

    assert cancelled(order, clock).state == OrderState.PENDING
    assert (current().is_cancelled, current().is_released) == (True, False)
    for _ in range(40):
        clock.advance(hours=1)
        sweep(context=customer.context)
        assert not current().is_released, "the amount stays reserved, and a person decides"


def test_a_declined_card_that_was_on_its_way_leaves_a_cancelled_order(
    make_order: MakeOrder, customer: Customer, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    payment = customer.pay(order, CARD)
    assert payment.opening.state == S.AWAITING_3DS
    assert cancelled(order, clock).state == OrderState.PENDING
    wallet_sandbox.complete_three_d_secure(payment.reference, "failed")
    clock.advance(minutes=5)
    sweep(context=customer.context)

    assert GatewayTransaction.objects.get().state == S.REJECTED
    assert (current().state, current().is_released) == (OrderState.CANCELLED, True)
    assert told() == ["CANCELLED", "RELEASED"]


# A payment that comes late


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
    assert (current().state, current().late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)
    assert not current().is_paid
    assert told() == ["CANCELLED", "ANOMALY"]
    assert late_payment().closed_at is None
    assert Payment.objects.get().captured == 2000, "the money is in our totals all the same"
    clock.advance(hours=30)
    sweep(context=context)
    assert not current().is_released
    assert told() == ["CANCELLED", "ANOMALY"]


def test_a_late_payment_can_be_given_back_at_once(
    paid_late: Payment, context: GatewayContext, clock: VirtualClock
) -> None:
    refund(payment=paid_late, context=context)
    assert current().state == OrderState.REFUNDED
    close_discrepancy(late_payment(), reason="given back", by="anna", context=context)

    assert current().state == OrderState.REFUNDED
    assert told() == ["CANCELLED", "ANOMALY", "REFUNDED"], "what was given back is not paid"
    clock.advance(minutes=1)
    sweep(context=context)
    assert (current().is_released, current().release_check_at) == (True, None)
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
    start(current())
    wallet_sandbox.complete_checkout(first.reference, "success")
    cancelled(order, clock)
    clock.advance(seconds=5)
    first = reconcile_attempt(reference=first.reference, context=context)
    refund(payment=first, context=context)
    clock.advance(minutes=20)
    sweep(context=context)
    assert (current().state, current().is_released) == (OrderState.REFUNDED, False)
    for _ in range(4):
        clock.advance(minutes=10)
        sweep(context=context)
    assert (current().state, current().is_released) == (OrderState.REFUNDED, True)


def test_a_late_payment_is_accepted_by_closing_its_difference(
    paid_late: Payment, context: GatewayContext
) -> None:
    close_discrepancy(late_payment(), reason="we have one more", by="anna", context=context)

    assert (current().state, current().late_payment) == (OrderState.PAID, LatePayment.ACCEPTED)
    assert current().is_cancelled, "it takes no further payment"
    assert told() == ["CANCELLED", "ANOMALY", "PAID"]


def test_an_acceptance_whose_process_died_is_finished_by_the_sweep(
    paid_late: Payment, context: GatewayContext, clock: VirtualClock
) -> None:
    Discrepancy.objects.update(closed_at=clock.now(), closed_by="anna", reason="one more")
    clock.advance(hours=2)
    sweep(context=context)
    assert current().state == OrderState.PAID
    assert told()[-1] == "PAID"


def test_a_late_authorization_may_be_captured_or_reversed_and_is_paid_once_accepted(
    open_page: Pay, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    payment = open_page(type="preauthorization")
    wallet_sandbox.complete_checkout(payment.reference, "success")
    cancelled(payment.order, clock)
    payment = reconcile_attempt(reference=payment.reference, context=context)
    assert current().state == OrderState.FROZEN
    capture(payment=payment, context=context)
    assert told() == ["CANCELLED", "ANOMALY"], "goods are shipped on these"
    close_discrepancy(late_payment(), reason="accepted", by="anna", context=context)
    assert current().state == OrderState.PAID
    assert told() == ["CANCELLED", "ANOMALY", "AUTHORIZED", "PAID"]


def test_a_late_authorization_that_is_reversed_leaves_a_cancelled_order_that_is_released(
    open_page: Pay, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    payment = open_page(type="preauthorization")
    wallet_sandbox.complete_checkout(payment.reference, "success")
    cancelled(payment.order, clock)
    payment = reconcile_attempt(reference=payment.reference, context=context)
    reverse(payment=payment, context=context)
    close_discrepancy(late_payment(), reason="reversed", by="anna", context=context)
    clock.advance(minutes=2)
    sweep(context=context)
    assert (current().state, current().is_released) == (OrderState.CANCELLED, True)
    assert told() == ["CANCELLED", "ANOMALY", "REVERSED", "RELEASED"]


def test_a_shop_may_accept_late_payments_by_its_settings(
    open_page: Pay, make_context: MakeContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")
    cancelled(payment.order, clock)
    context = make_context(late_payment=LatePaymentPolicy.ACCEPT)
    reconcile_attempt(reference=payment.reference, context=context)

    assert (current().state, current().late_payment) == (OrderState.PAID, LatePayment.ACCEPTED)
    assert told() == ["CANCELLED", "PAID"]
    assert not Discrepancy.objects.exists()
    clock.advance(minutes=2)
    sweep(context=context)
    assert (current().is_released, current().release_check_at) == (False, None)


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
    assert current().is_released
    clock.advance_to(GatewayTransaction.objects.get().next_query_at)
    sweep(context=context)
    assert (current().state, current().late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)
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
    assert (current().state, current().late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)


# The end of the time to pay


def in_minutes(clock: VirtualClock, minutes: float) -> datetime:
    return clock.now() + timedelta(minutes=minutes)


def test_a_page_lives_no_longer_than_its_order(
    make_order: MakeOrder, start: Start, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    end = in_minutes(clock, 5)
    payment = start(make_order(payable_until=end))

    assert payment.expires_at == end
    (sent,) = [entry for entry in wallet_sandbox.journal() if entry["operation"] == "checkout"]
    assert '"redirectUrlTimeout": 300' in str(sent).replace("'", '"')


def test_with_less_than_a_minute_left_no_page_is_opened_and_an_open_one_is_still_given(
    make_order: MakeOrder, start: Start, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    early, late = (make_order(payable_until=in_minutes(clock, 2)) for _ in range(2))
    page = start(early)
    clock.advance(seconds=75)

    assert start(early).redirect_url == page.redirect_url
    with pytest.raises(OrderNotPayable) as refused:
        start(late)
    assert refused.value.code == ErrorCode.ORDER_TIME_OVER
    assert not late.payments.exists()


def test_a_request_that_never_left_is_not_sent_again_if_its_page_would_outlive_the_order(
    make_order: MakeOrder, start: Start, make_context: MakeContext, clock: VirtualClock
) -> None:
    end = in_minutes(clock, 10)
    order = make_order(payable_until=end)
    with pytest.raises(GatewayUnreachable):
        start(order, make_context(f"http://127.0.0.1:{unused_port()}"))
    clock.advance(minutes=5)
    payment = start(order)

    assert payment.number == 2
    assert payment.expires_at is not None
    assert payment.expires_at <= end


def test_after_the_end_nothing_begins_and_the_sweep_cancels_and_releases_the_order(
    make_order: MakeOrder, start: Start, customer: Customer, clock: VirtualClock
) -> None:
    order = make_order(payable_until=in_minutes(clock, 30))
    button = customer.open(order)
    assert button.expires_at == order.payable_until
    detail = customer.approve(button)
    sweep(context=customer.context)
    clock.advance(minutes=30)
    assert customer.post(order, detail).opening.attempt_no == 0, "the button has ended, too"
    for act in (lambda: start(current()), lambda: customer.open(order), lambda: customer.another_card(order)):
        with pytest.raises(OrderNotPayable) as refused:
            act()
        assert refused.value.code == ErrorCode.ORDER_TIME_OVER
    report = sweep(context=customer.context)

    assert report.orders_released == 1
    assert (current().state, current().is_released) == (OrderState.CANCELLED, True)
    assert current().cancelled_by == ""
    assert told()[-2:] == ["CANCELLED", "RELEASED"]


def test_a_payment_that_was_begun_in_time_is_not_late(
    make_order: MakeOrder,
    start: Start,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    payment = start(make_order(payable_until=in_minutes(clock, 10)))
    clock.advance(minutes=9)
    wallet_sandbox.behaviour(status_lag_seconds=600)
    wallet_sandbox.complete_checkout(payment.reference, "success")
    for _ in range(10):
        clock.advance(minutes=2)
        sweep(context=context)
    assert (current().state, current().is_cancelled) == (OrderState.PAID, False)
    assert told() == ["PAID"]
    clock.advance(minutes=2)
    sweep(context=context)
    assert current().release_check_at is None


def test_a_page_that_ends_unpaid_after_the_end_releases_the_order(
    make_order: MakeOrder, start: Start, context: GatewayContext, clock: VirtualClock
) -> None:
    start(make_order(payable_until=in_minutes(clock, 10)))
    clock.advance(minutes=11)
    sweep(context=context)
    assert not current().is_cancelled
    clock.advance(minutes=20)
    sweep(context=context)
    clock.advance(minutes=2)
    sweep(context=context)
    assert (current().state, current().is_released) == (OrderState.CANCELLED, True)
    assert told()[-2:] == ["CANCELLED", "RELEASED"]


def test_a_reversed_authorization_of_an_order_whose_time_is_over_releases_it(
    make_order: MakeOrder,
    start: Start,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    payment = start(make_order(type="preauthorization", payable_until=in_minutes(clock, 10)))
    wallet_sandbox.complete_checkout(payment.reference, "success")
    payment = reconcile_attempt(reference=payment.reference, context=context)
    clock.advance(minutes=20)
    sweep(context=context)
    assert (current().state, current().release_check_at) == (OrderState.AUTHORIZED, None)
    reverse(payment=payment, context=context)
    sweep(context=context)
    assert (current().state, current().is_released) == (OrderState.CANCELLED, True)


def test_a_frozen_order_is_looked_at_again_and_released_after_the_decision(
    make_order: MakeOrder, context: GatewayContext, clock: VirtualClock
) -> None:
    make_order(payable_until=in_minutes(clock, 10))
    PaymentOrder.objects.update(state=OrderState.FROZEN)
    clock.advance(minutes=20)
    assert release_orders(context=context, limit=10) == 0
    assert current().release_check_at == clock.now() + LATEST_CHECK
    PaymentOrder.objects.update(state=OrderState.OPEN)
    clock.advance(hours=2)
    assert release_orders(context=context, limit=10) == 1


def test_another_worker_leaves_alone_what_was_looked_at(
    make_order: MakeOrder, context: GatewayContext, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_order(payable_until=in_minutes(clock, 1))
    clock.advance(minutes=2)
    read = row_errors.read_due

    def read_and_lose(due: QuerySet[PaymentOrder], *, limit: int) -> list[PaymentOrder]:
        rows = list(read(due, limit=limit))
        monkeypatch.setattr(cancellation, "read_due", read)
        assert release_orders(context=context, limit=10) == 1
        return rows

    monkeypatch.setattr(cancellation, "read_due", read_and_lose)
    assert release_orders(context=context, limit=10) == 0
    assert told() == ["CANCELLED", "RELEASED"]


def test_a_time_without_a_zone_is_refused(make_order: MakeOrder) -> None:
    west = timezone(-timedelta(hours=5))
    for wrong in (
        datetime(2030, 1, 1),  # noqa: DTZ001 - that is the fault
        "2030-01-01",
        datetime.max.replace(tzinfo=west),  # no instant in UTC
    ):
        with pytest.raises(InvalidInput) as refused:
            make_order(payable_until=wrong)
        assert [error.path for error in refused.value.errors] == ["payable_until"]
    assert not PaymentOrder.objects.exists()
