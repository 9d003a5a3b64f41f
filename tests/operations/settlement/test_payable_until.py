"""The end of the time to pay: nothing begins after it, and what was begun in time still counts."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db.models import QuerySet

from tests.client.servers import unused_port
from tests.operations.aftermath import the_order, told
from tests.operations.conftest import MakeContext, MakeOrder, Start, VirtualClock
from tests.operations.wallet_customer import Customer
from wallet_gateway.domain.cancellation import LATEST_CHECK
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable, OrderNotPayable
from wallet_gateway.operations.follow_ups.capture_refund_reverse import reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.settlement import cancellation, row_errors
from wallet_gateway.operations.settlement.cancellation import release_orders
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


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
    assert refused.value.code == ErrorCode.ORDER_ENDED
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
    for act in (
        lambda: start(the_order()),
        lambda: customer.open(order),
        lambda: customer.another_card(order),
    ):
        with pytest.raises(OrderNotPayable) as refused:
            act()
        assert refused.value.code == ErrorCode.ORDER_ENDED
    report = sweep(context=customer.context)

    assert report.orders_released == 1
    assert (the_order().state, the_order().is_released) == (OrderState.CANCELLED, True)
    assert the_order().cancelled_by == ""
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
    assert (the_order().state, the_order().is_cancelled) == (OrderState.PAID, False)
    assert told() == ["PAID"]
    clock.advance(minutes=2)
    sweep(context=context)
    assert the_order().release_check_at is None


def test_a_page_that_ends_unpaid_after_the_end_releases_the_order(
    make_order: MakeOrder, start: Start, context: GatewayContext, clock: VirtualClock
) -> None:
    start(make_order(payable_until=in_minutes(clock, 10)))
    clock.advance(minutes=11)
    sweep(context=context)
    assert not the_order().is_cancelled
    clock.advance(minutes=20)
    sweep(context=context)
    clock.advance(minutes=2)
    sweep(context=context)
    assert (the_order().state, the_order().is_released) == (OrderState.CANCELLED, True)
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
    assert (the_order().state, the_order().release_check_at) == (OrderState.AUTHORIZED, None)
    reverse(payment=payment, context=context)
    sweep(context=context)
    assert (the_order().state, the_order().is_released) == (OrderState.CANCELLED, True)


def test_a_frozen_order_is_looked_at_again_and_released_after_the_decision(
    make_order: MakeOrder, context: GatewayContext, clock: VirtualClock
) -> None:
    make_order(payable_until=in_minutes(clock, 10))
    PaymentOrder.objects.update(state=OrderState.FROZEN)
    clock.advance(minutes=20)
    assert release_orders(context=context, limit=10) == 0
    assert the_order().release_check_at == clock.now() + LATEST_CHECK
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
