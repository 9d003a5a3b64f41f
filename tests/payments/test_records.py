"""What records of the gateway may and may not do, at a gateway that says exactly what a test wants."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import Settings

from tests.refusals import refuses
from wallet_gateway import gateways, payments
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment, PaymentOrder
from wallet_gateway.payments.errors import GatewayUnreachable, OrderNotPayable, SendingStopped

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]

S = TransactionState
EUR_30 = Decimal("30.00")
LOST = b"no JSON"
PAGE = json.dumps({"redirectUrl": "http://127.0.0.1:8001/pay/1"}).encode()


class Books:
    """A gateway whose records and answers are set by hand; it opens every page."""

    def __init__(self) -> None:
        self.records: dict[str, list[dict[str, Any]]] = {}
        self.status, self.headers = 200, dict[str, str]()
        self.page = PAGE
        self.answer = LOST
        """What it answers to any other request than for a page; REFERENCE stands for the request's own."""
        self.asked: list[str] = []
        self.sent: list[dict[str, Any]] = []

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        **_: Any,
    ) -> RawAnswer:
        if method == "GET":
            reference = (query or {})["clientSystemTransactionId"]
            self.asked.append(reference)
            said = json.dumps(self.records.get(reference, [])).encode()
            return RawAnswer(status=self.status, headers=self.headers, body=said, elapsed=0.01)
        self.sent.append(asked := json.loads(body or b"{}"))
        answer = self.page if path.endswith("/checkout") else self.answer
        answer = answer.replace(b"REFERENCE", asked["clientSystemTransactionId"].encode())
        return RawAnswer(status=200, headers={}, body=answer, elapsed=0.01)

    def add(self, transaction: Payment | GatewayTransaction, **over: Any) -> None:
        """File a record under the transaction's reference; an approved sale of 30.00 EUR by default."""
        record = {
            "id": f"R-{transaction.reference}",
            "state": "Approved",
            "type": "ecom.sale",
            "currencyCode": "EUR",
            "transactionAmount": 30.00,
            "clientSystemTransactionId": transaction.reference,
            "transactionDateTime": "2026-11-22T04:30:00.1234567",
            "apmDetails": {},
        }
        self.records.setdefault(transaction.reference, []).append(record | over)


class Later(gateways.DatabaseClock):
    """The time is later than it is by as much as a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.by = timedelta(0)
        self.leap: tuple[int, timedelta] | None = None
        """After how many looks at the clock it goes on by how much."""

    def now(self) -> datetime:
        if self.leap is not None:
            looks, step = self.leap
            self.leap = (looks - 1, step) if looks else None
            self.by += timedelta(0) if looks else step
        return super().now() + self.by

    def advance(self, **by: float) -> None:
        self.by += timedelta(**by)


@pytest.fixture
def books() -> Iterator[Books]:
    made = Books()
    gateways.use_transport(made, alias="default")
    yield made
    gateways.forget_gateways()


@pytest.fixture
def later() -> Iterator[Later]:
    before, clock = gateways.clock(), Later()
    gateways.use_clock(clock)
    yield clock
    gateways.use_clock(before)


def begun(reference: str, **given: Any) -> Payment:
    return payments.start_checkout(
        payments.create_order(reference=reference, currency="EUR", amount=EUR_30, **given)
    )


def paid(reference: str, books: Books) -> PaymentOrder:
    attempt = begun(reference)
    books.add(attempt)
    order = payments.reconcile(attempt)
    assert order.state == OrderState.PAID
    return order


def state_of(attempt: Payment) -> tuple[str, bool]:
    row = GatewayTransaction.objects.get(reference=attempt.reference)
    return row.state, row.needs_operator


def under(merchant: str, settings: Settings, books: Books) -> None:
    """Give the gateway of the settings this merchant."""
    (given,) = settings.WALLET_GATEWAY["GATEWAYS"].values()
    changed = {"GATEWAYS": {"default": given | {"MERCHANT_ID": merchant}}}
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | changed
    gateways.use_transport(books, alias="default")


# Another merchant account


def test_an_empty_answer_under_another_account_ends_no_page(
    books: Books, later: Later, settings: Settings
) -> None:
    attempt = begun("PAGE-1")
    books.add(attempt)
    known, books.records = books.records, {}
    under("OTHER", settings, books)
    for _ in range(4):
        later.advance(hours=30)
        payments.sweep()
        payments.reconcile(attempt)
    assert state_of(attempt) == (S.OPEN, True)

    books.records = known
    under("SANDBOX-MERCHANT", settings, books)
    later.advance(minutes=1)
    assert payments.reconcile(attempt).state == OrderState.PAID


def test_an_empty_answer_under_another_account_does_not_release_an_order_whose_page_was_refused_once(
    books: Books, later: Later, settings: Settings
) -> None:
    attempt = begun("PAGE-2")
    books.add(attempt, state="Errored")
    assert payments.reconcile(attempt).state == OrderState.FAILED
    order = payments.cancel(attempt.order, by="shop")
    books.records = {}
    under("OTHER", settings, books)
    for _ in range(4):
        later.advance(hours=30)
        payments.sweep()
    order.refresh_from_db()
    assert not order.is_released

    # It was paid with a second card, as only the account shows that it was sent for.
    books.add(attempt, id="R-2")
    under("SANDBOX-MERCHANT", settings, books)
    later.advance(hours=30)
    payments.sweep()
    order.refresh_from_db()
    assert (order.state, order.is_released) == (OrderState.FROZEN, False)


# The id of a record


@pytest.mark.parametrize(
    "odd",
    [{}, {"transactionAmount": 0.01}, {"currencyCode": "USD"}, {"transactionAmount": 3000}],
    ids=["after its end", "amount", "currency", "units"],
)
def test_a_record_that_contradicts_one_payment_does_not_take_its_id_from_another(
    odd: dict[str, Any], books: Books, later: Later
) -> None:
    first = payments.create_order(reference="ID-1", currency="EUR", amount=EUR_30)
    books.page = LOST
    with pytest.raises(GatewayUnreachable):
        payments.start_checkout(first)
    books.page = PAGE
    books.add(first.payments.get(), id="X-1", **odd)
    assert payments.reconcile(first).state == OrderState.FROZEN
    second = begun("ID-2")
    books.add(second, id="X-1")
    later.advance(minutes=1)
    assert payments.reconcile(second).state == OrderState.PAID
    assert GatewayTransaction.objects.get(reference=second.reference).record_id == "X-1"


def test_the_id_of_a_refund_that_was_refused_hides_no_refund_that_was_carried_out(
    books: Books, later: Later
) -> None:
    order = paid("ID-3", books)
    opening = order.payments.get()
    refused = {"id": "X-2", "state": "Errored", "providerStateCode": "no", "currencyCode": "EUR"}
    books.answer = json.dumps({**refused, "apmDetails": {}}).encode()
    first = payments.refund(order, Decimal("10.00"))
    books.add(first, id="X-2", state="Errored", type="ecom.refund", transactionAmount=10.00)
    later.advance(minutes=1)
    order = payments.reconcile(order, everything=True)
    first.refresh_from_db()
    assert (first.state, order.state) == (S.REJECTED, OrderState.PAID)

    # Somebody gives as much back in the portal, and the gateway numbers it alike.
    books.add(opening, id="X-2", type="ecom.refund", transactionAmount=10.00)
    later.advance(minutes=1)
    order = payments.reconcile(order, everything=True)
    assert order.state == OrderState.FROZEN
    assert Discrepancy.objects.get(closed_at=None).kind == "MADE_ELSEWHERE"


# How often, and whether at all


@pytest.mark.parametrize("status", [429, 503])
def test_a_gateway_that_wants_to_be_left_alone_is_not_asked_on_demand_either(
    status: int, books: Books, later: Later
) -> None:
    attempt = begun("REST-1")
    books.status, books.headers = status, {"retry-after": "60"}
    payments.reconcile(attempt)
    assert books.asked == [attempt.reference]
    books.status, books.headers = 200, {}
    books.add(attempt)

    for _ in range(3):
        later.advance(seconds=10)
        assert payments.reconcile(attempt).state == OrderState.OPEN
        assert payments.reconcile(attempt.order).state == OrderState.OPEN
        assert payments.orders.reconcile_attempt(attempt.reference).order.state == OrderState.OPEN
    assert len(books.asked) == 1

    later.advance(seconds=40)
    assert payments.reconcile(attempt).state == OrderState.PAID


def test_a_stop_by_a_difference_holds_at_once_in_the_process_that_found_it(books: Books) -> None:
    # The process has just seen that nothing is paused.
    begun("STOP-1")
    books.answer = json.dumps(
        {
            "state": "Approved",
            "currencyCode": "EUR",
            "clientSystemTransactionId": "REFERENCE",
            "amount": "1000.00",
            "apmDetails": {"apmProviderName": "ExampleWalletV2"},
        }
    ).encode()
    payments.refund_migrated("OLD-1", Decimal("10.00"), "EUR")
    sent = len(books.sent)

    with refuses(SendingStopped, ErrorCode.SENDING_STOPPED):
        begun("STOP-2")
    assert len(books.sent) == sent


# Time to pay, and orders that are cancelled


@pytest.mark.parametrize("looks", range(3))
def test_no_page_is_opened_if_the_time_to_pay_ends_while_it_is_begun(
    looks: int, books: Books, later: Later
) -> None:
    until = later.now() + timedelta(minutes=10)
    order = payments.create_order(reference="TIME-1", currency="EUR", amount=EUR_30, payable_until=until)
    later.leap = (looks, timedelta(hours=1))
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="too late"):
        payments.start_checkout(order)
    assert books.sent == []
    assert not order.payments.exists()


def test_a_frozen_order_that_was_cancelled_is_looked_at_once_an_hour(books: Books, later: Later) -> None:
    attempt = begun("HOUR-1")
    order = payments.cancel(attempt.order, by="shop")
    books.add(attempt)
    later.advance(hours=1)
    payments.sweep()
    payments.sweep()
    order.refresh_from_db()
    assert order.state == OrderState.FROZEN

    seen = order.version
    for _ in range(5):
        later.advance(minutes=11)
        payments.sweep()
    order.refresh_from_db()
    assert order.version == seen
    later.advance(minutes=10)
    payments.sweep()
    order.refresh_from_db()
    assert order.version > seen


@pytest.mark.parametrize(
    ("given_back", "told"),
    [((0,), 1), ((1,), 0), ((2,), 0), ((0, 1), 2), ((0, 2), 1), ((1, 2), 0)],
)
def test_of_late_payments_the_first_that_was_not_given_back_is_told_as_paid(
    given_back: tuple[int, ...], told: int, books: Books, later: Later
) -> None:
    attempts = [begun("LATE-1")]
    for _ in range(2):
        later.advance(minutes=16)
        attempts.append(payments.start_checkout(PaymentOrder.objects.get()))
    order = payments.cancel(PaymentOrder.objects.get(), by="shop")
    for attempt in attempts:
        books.add(attempt)
    later.advance(minutes=1)
    order = payments.reconcile(order)
    assert order.state == OrderState.FROZEN
    for place in given_back:
        refund = payments.refund(order, payment=Payment.objects.get(pk=attempts[place].pk))
        books.add(refund, type="ecom.refund")
        later.advance(minutes=1)
        payments.reconcile(order, everything=True)

    for difference in Discrepancy.objects.filter(closed_at=None).order_by("pk"):
        payments.approvals.close_discrepancy(difference, reason="delivered all the same", by="anna")
    events = OutboxEvent.objects.filter(kind="PAID").values_list("transaction__reference", "amount_minor")
    assert list(events) == [(attempts[told].reference, 3000)]
    order.refresh_from_db()
    assert order.state == (OrderState.PAID if len(given_back) == 2 else OrderState.OVERPAID)
