"""A cancellation races an attempt to pay, or its outcome: either it was begun before, or it never begins."""

from __future__ import annotations

from functools import partial

import pytest

from tests.operations.conftest import MakeOrder, Pay, Start, VirtualClock
from tests.operations.journal import times_sent
from tests.operations.settlement.test_late_payments import close, two_pages
from tests.operations.threads import surprises, together
from tests.operations.wallet_customer import Customer
from tests.operations.ways_of_writing import in_each_way
from wallet_gateway.domain.cancellation import LatePayment
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

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True), in_each_way]
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
