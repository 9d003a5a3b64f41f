"""A cancellation races an attempt to pay, or its outcome: either it was begun before, or it never begins."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from tests.operations.conftest import MakeOrder, Pay, Start, VirtualClock
from tests.operations.dying import interrupted
from tests.operations.journal import times_sent
from tests.operations.settlement.test_late_payments import close, two_pages
from tests.operations.threads import surprises, together
from tests.operations.wallet_customer import Customer
from tests.refusals import refuses
from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, OutboxEvent, PaymentOrder
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState, OrderNotPayable, TryAgain
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.operations.polling.reconciliation import query_again
from wallet_gateway.operations.settlement.cancellation import cancel, release_orders
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
S = TransactionState


def current() -> PaymentOrder:
    return PaymentOrder.objects.get()


def told(kind: str) -> int:
    return OutboxEvent.objects.filter(kind=kind).count()


def test_a_page_is_begun_before_the_cancellation_or_not_at_all(
    make_order: MakeOrder, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    for number in range(1, 4):
        order = make_order()

        def begin(order: PaymentOrder = order) -> object:
            return start_checkout(order=order, context=context, return_urls=return_urls)

        def withdraw(order: PaymentOrder = order) -> object:
            return cancel(order=order, by="shop", note="", clock=clock)

        results = together(begin, withdraw)
        assert surprises(results, OrderNotPayable, TryAgain) == []
        stands = PaymentOrder.objects.get(pk=order.pk)
        pages = GatewayTransaction.objects.filter(payment__order=order, state=S.OPEN).count()
        assert stands.state == OrderState.CANCELLED
        assert stands.is_released is (pages == 0), "an open page is begun, and without one nothing is"
        assert pages <= 1
        assert told("CANCELLED") == number
    assert times_sent(wallet_sandbox, "checkout") == GatewayTransaction.objects.count()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_page_whose_order_is_cancelled_while_the_gateway_opens_it_is_watched_and_shown_to_nobody(
    moment: str,
    make_order: MakeOrder,
    start: Start,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()

    def withdraw() -> None:
        cancel(order=order, by="shop", note="", clock=clock)

    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="is cancelled"):
        start(order, interrupted(context, **{moment: withdraw}))
    page = GatewayTransaction.objects.get()
    assert (page.state, bool(page.redirect_url), current().is_released) == (S.OPEN, True, False)

    # Whoever has its address all the same pays late, and a person is told.
    wallet_sandbox.complete_checkout(page.reference, "success")
    clock.advance_to(page.next_query_at)
    reconcile_due(context=context)
    assert (current().state, current().late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)


def test_a_page_is_shown_or_its_order_was_cancelled_before_and_in_both_cases_it_is_watched_to_its_end(
    make_order: MakeOrder, start: Start, context: GatewayContext, clock: VirtualClock
) -> None:
    order, opened = make_order(), threading.Barrier(2)

    def meet() -> None:
        opened.wait(60)

    def begin() -> object:
        return start(order, interrupted(context, after=meet))

    def withdraw() -> object:
        meet()
        return cancel(order=order, by="shop", note="", clock=clock)

    results = together(begin, withdraw, times=1)
    assert surprises(results, OrderNotPayable) == []
    page = GatewayTransaction.objects.get()
    assert (page.state, bool(page.redirect_url)) == (S.OPEN, True)
    assert (current().state, current().is_released) == (OrderState.CANCELLED, False)

    clock.advance(minutes=31)
    reconcile_due(context=context)
    release_orders(context=context, limit=10)
    assert current().is_released


def test_a_card_is_charged_before_the_cancellation_or_not_at_all(
    make_order: MakeOrder, customer: Customer, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    charged = 0
    for _ in range(3):
        order = make_order()
        detail = customer.approve(customer.open(order))
        results = together(
            partial(customer.post, order, detail),
            partial(cancel, order=order, by="shop", note="", clock=clock),
            times=3,
        )
        assert surprises(results, OrderNotPayable, InvalidState) == []
        stands = PaymentOrder.objects.get(pk=order.pk)
        sent = GatewayTransaction.objects.filter(payment__order=order, attempt_no=1).count()
        charged += sent
        if not stands.is_cancelled:
            assert (stands.state, sent) == (OrderState.PAID, 1), "the payment was there first"
        elif sent:
            assert (stands.state, stands.late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)
            assert not stands.is_released
        else:
            assert (stands.state, stands.is_released) == (OrderState.CANCELLED, True)
    assert times_sent(wallet_sandbox, "authorization") == charged


def test_an_outcome_that_arrives_with_the_cancellation_is_paid_or_late_and_never_lost(
    open_page: Pay, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    for _ in range(3):
        payment = open_page()
        wallet_sandbox.complete_checkout(payment.reference, "success")
        results = together(
            partial(query_again, payment.opening, context=context),
            partial(cancel, order=payment.order, by="shop", note="", clock=clock),
            times=3,
        )
        assert surprises(results, InvalidState) == []
        stands = PaymentOrder.objects.get(pk=payment.order.pk)
        if stands.is_cancelled:
            assert (stands.state, stands.late_payment) == (OrderState.FROZEN, LatePayment.REPORTED)
        else:
            assert stands.state == OrderState.PAID
        kinds = list(stands.outbox_events.order_by("pk").values_list("kind", flat=True))
        assert kinds in (["PAID"], ["CANCELLED", "ANOMALY"])


def test_many_sweeps_release_an_order_once(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = open_page()
    cancel(order=payment.order, by="shop", note="", clock=clock)
    clock.advance(minutes=31)
    reconcile_due(context=context)
    assert not current().is_released
    results = together(lambda: release_orders(context=context, limit=10))
    assert surprises(results) == []
    assert sum(results) == 1
    assert current().is_released
    assert told("RELEASED") == 1


def test_two_people_who_decide_on_two_late_payments_at_once_have_the_order_told_as_paid_once(
    start: Start,
    make_order: MakeOrder,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    for number in range(1, 4):
        pages = two_pages(make_order, start, clock)
        for payment in pages:
            wallet_sandbox.complete_checkout(payment.reference, "success")
        order = PaymentOrder.objects.get(pk=pages[0].order_id)
        cancel(order=order, by="shop", note="", clock=clock)
        for payment in pages:
            query_again(payment.opening, context=context)
        results = together(*(lambda payment=payment: close(payment, context) for payment in pages))
        assert surprises(results, InvalidState) == []
        assert PaymentOrder.objects.get(pk=order.pk).state == OrderState.OVERPAID
        assert told("PAID") == number
