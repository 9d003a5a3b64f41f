"""What records of the gateway may and may not do to pages, orders and each other."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.support.gateway import answering, record
from tests.support.refusals import refuses
from tests.support.shop import MovedClock, Shop, kinds, opening, order_of, state
from wallet_gateway import gateways, payments
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.models import Discrepancy, OutboxEvent, Payment
from wallet_gateway.payments.errors import ErrorCode, GatewayUnreachable, OrderNotPayable, SendingStopped
from wallet_gateway.testing.in_process import InProcessTransport

pytestmark = pytest.mark.django_db


# The id of a record


@pytest.mark.parametrize(
    "odd",
    [{}, {"transactionAmount": 0.01}, {"currencyCode": "USD"}, {"transactionAmount": 3000}],
    ids=["after its end", "amount", "currency", "units"],
)
def test_a_record_that_contradicts_one_payment_does_not_take_its_id_from_another(
    odd: dict[str, Any], shop: Shop
) -> None:
    order = shop.order()
    shop.gateway.pages.append(lambda _: (200, b"no JSON"))
    with pytest.raises(GatewayUnreachable):
        payments.start_checkout(order)
    first = order.payments.get()
    shop.report(first, record(first.reference, id="X-1", **odd))
    assert shop.ask(first).state == "FROZEN"
    second = shop.begin()
    shop.report(second, record(second.reference, id="X-1"))
    assert shop.ask(second).state == "PAID"
    assert opening(second).record_id == "X-1"


def test_the_id_of_a_refund_that_was_refused_hides_no_refund_that_was_carried_out(shop: Shop) -> None:
    payment = shop.pay()
    shop.gateway.answers.append(answering(id="X-2", state="Errored"))
    first = payments.refund(order_of(payment), Decimal("10.00"))
    refund = {"id": "X-2", "type": "ecom.refund", "transactionAmount": 10.0}
    shop.report(first, record(first.reference, state="Errored", **refund))
    assert shop.ask(payment).state == "PAID"
    first.refresh_from_db()
    assert first.state == "REJECTED"

    # Somebody gives as much back in the portal, and the gateway numbers it alike.
    shop.report(payment, record(payment.reference), record(payment.reference, **refund))
    assert shop.ask(payment).state == "FROZEN"
    assert kinds() == {"MADE_ELSEWHERE"}


# Whether at all


def test_a_stop_by_a_difference_holds_at_once_in_the_process_that_found_it(shop: Shop) -> None:
    shop.begin()  # The process has just seen that nothing is paused.
    shop.gateway.answers.append(answering(amount="1000.00"))
    payments.refund_migrated("OLD-1", Decimal("10.00"), "EUR")
    with refuses(SendingStopped, ErrorCode.SENDING_STOPPED):
        shop.begin()
    assert (len(shop.gateway.sent), len(shop.gateway.opened)) == (1, 1)


# Time to pay, and orders that are cancelled


class Leaping(MovedClock):
    """A clock that goes on by an hour after some looks at it."""

    looks = 0

    def now(self) -> datetime:
        self.looks -= 1
        if self.looks == -1:
            self.by += timedelta(hours=1)
        return super().now()


@pytest.mark.parametrize("looks", range(3))
def test_no_page_is_opened_if_the_time_to_pay_ends_while_it_is_begun(looks: int, shop: Shop) -> None:
    order = shop.order(payable_until=shop.clock.now() + timedelta(minutes=10))
    clock = Leaping()
    clock.looks = looks
    gateways.use_clock(clock)
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="too late"):
        payments.start_checkout(order)
    assert (shop.gateway.opened, order.payments.exists()) == ([], False)


def test_a_page_that_is_opened_after_slow_answers_ends_with_the_time_to_pay(shop: Shop) -> None:
    order = shop.order(payable_until=shop.clock.now() + timedelta(minutes=10))
    first = payments.start_checkout(order)
    shop.report_and_ask(first, record(first.reference, state="Errored"))

    class Slow(InProcessTransport):
        def send(self, method: str, path: str, **given: Any) -> RawAnswer:
            if method == "GET":
                shop.clock.by += timedelta(minutes=5)
            return super().send(method, path, **given)

    gateways.use_transport(Slow(shop.gateway), alias="default")
    payments.start_checkout(order_of(first))
    page = shop.gateway.opened[-1]
    assert order.payable_until is not None
    left = (order.payable_until - shop.clock.now()).total_seconds()
    assert 0 < page["checkoutDetails"]["redirectUrlTimeout"] <= left + 1


def test_a_frozen_order_that_was_cancelled_is_looked_at_once_an_hour(shop: Shop) -> None:
    payment = shop.begin()
    payments.cancel(payment.order, by="shop")
    shop.report(payment, record(payment.reference))
    shop.clock.by += timedelta(hours=1)
    payments.sweep()
    payments.sweep()
    seen = order_of(payment)
    assert seen.state == "FROZEN"
    for _ in range(5):
        shop.clock.by += timedelta(minutes=11)
        payments.sweep()
    assert order_of(payment).version == seen.version
    shop.clock.by += timedelta(minutes=10)
    payments.sweep()
    assert order_of(payment).version > seen.version


@pytest.mark.parametrize(("given_back", "told"), [((0,), 1), ((1,), 0), ((0, 1), 2), ((0, 2), 1)])
def test_of_late_payments_the_first_that_was_not_given_back_is_told_as_paid(
    given_back: tuple[int, ...], told: int, shop: Shop
) -> None:
    pages = [shop.begin()]
    for _ in range(2):
        shop.clock.by += timedelta(minutes=16)
        pages.append(payments.start_checkout(order_of(pages[0])))
    order = payments.cancel(order_of(pages[0]), by="shop")
    for page in pages:
        shop.report(page, record(page.reference))
    shop.ask(pages[0])
    assert state(pages[0])[0] == "FROZEN"
    for place in given_back:
        payments.refund(order, payment=Payment.objects.get(pk=pages[place].pk))
        shop.ask(pages[0])

    for difference in Discrepancy.objects.filter(closed_at=None).order_by("pk"):
        payments.approvals.close_discrepancy(difference, reason="delivered all the same", by="anna")
    events = OutboxEvent.objects.filter(kind="PAID").values_list("transaction__reference", "amount_minor")
    assert list(events) == [(pages[told].reference, 3000)]
    assert order_of(pages[0]).state == ("PAID" if len(given_back) == 2 else "OVERPAID")
