"""Cancelling an order: what begins no more, what was begun is watched, and when its goods are free."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.client.servers import unused_port
from tests.operations.aftermath import the_order, told
from tests.operations.conftest import MakeContext, MakeOrder, Pay, Start, VirtualClock
from tests.operations.settlement.cancelled_orders import cancelled
from tests.operations.wallet_customer import CARD, Customer
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.polling_schedule import SETTLE_TIME
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable, InvalidInput, InvalidState, OrderNotPayable
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund, reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.settlement.cancellation import cancel
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


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
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="is cancelled", order=order.reference):
        start(order)
    assert not GatewayTransaction.objects.exists()


def test_a_second_cancellation_changes_nothing(make_order: MakeOrder, clock: VirtualClock) -> None:
    order = cancelled(make_order(), clock, note="first")
    clock.advance(minutes=1)
    again = cancelled(order, clock, note="second")

    assert (again.cancelled_at, again.cancellation_note) == (order.cancelled_at, "first")
    assert told() == ["CANCELLED", "RELEASED"]


def test_whoever_cancels_has_a_name(make_order: MakeOrder, clock: VirtualClock) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="The name of"):
        cancel(order=make_order(), by="", note="", clock=clock)
    assert not the_order().is_cancelled


def test_an_order_that_holds_money_is_not_cancelled_and_the_code_says_what_to_do(
    pay: Pay, clock: VirtualClock, context: GatewayContext
) -> None:
    paid, authorized = pay(), pay(type="preauthorization")
    refunded = pay()
    refund(payment=refunded, context=context)
    for payment, code in (
        (paid, ErrorCode.REFUND_NEEDED),
        (authorized, ErrorCode.REVERSAL_NEEDED),
        (refunded, ErrorCode.ORDER_REFUNDED),
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
    assert the_order().state == OrderState.REVERSED

    assert cancelled(authorized.order, clock).state == OrderState.CANCELLED
    assert the_order().is_released


# A hosted page that was open


def test_a_page_that_was_open_is_watched_to_its_end_and_only_then_is_the_order_released(
    open_page: Pay, start: Start, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = open_page()
    order = cancelled(payment.order, clock)
    assert (order.state, order.is_released, order.is_final) == (OrderState.CANCELLED, False, False)
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="is cancelled", order=order.reference):
        start(order)

    assert payment.expires_at is not None
    while clock.now() < payment.expires_at + SETTLE_TIME:
        sweep(context=context)
        assert not the_order().is_released, "it may still be paid"
        clock.advance(minutes=3)
    for _ in range(3):
        clock.advance(minutes=3)
        sweep(context=context)
    assert GatewayTransaction.objects.get().state == S.EXPIRED
    assert (the_order().state, the_order().is_released) == (OrderState.CANCELLED, True)
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
    assert not the_order().is_released
    wallet_sandbox.fault("status", "drop_before", times=100)
    clock.advance(minutes=3)
    sweep(context=context)
    assert not the_order().is_released, "nobody has said that it was not paid"
    wallet_sandbox.clear_faults()
    for _ in range(3):
        clock.advance(minutes=30)
        sweep(context=context)
    assert the_order().is_released


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
        lambda: customer.open(the_order()),
        lambda: customer.another_card(the_order()),
    ):
        with pytest.raises(OrderNotPayable) as refused:
            act()
        assert refused.value.code == ErrorCode.ORDER_ENDED
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
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="is cancelled", order=order.reference):
        customer.post(order, detail)
    assert GatewayTransaction.objects.get().attempt_no == 0
    assert the_order().is_released


def test_an_unknown_authorization_holds_the_order_until_its_outcome_is_known(
    make_order: MakeOrder, customer: Customer, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    wallet_sandbox.fault("authorization", "drop_before")
    customer.pay(order)
    assert GatewayTransaction.objects.get().state == S.UNKNOWN

    assert cancelled(order, clock).state == OrderState.PENDING
    assert (the_order().is_cancelled, the_order().is_released) == (True, False)
    for _ in range(40):
        clock.advance(hours=1)
        sweep(context=customer.context)
        assert not the_order().is_released, "the amount stays reserved, and a person decides"


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
    assert (the_order().state, the_order().is_released) == (OrderState.CANCELLED, True)
    assert told() == ["CANCELLED", "RELEASED"]
