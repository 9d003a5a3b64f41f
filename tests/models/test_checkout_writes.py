"""The two writes of a checkout: in both ways the same rows, all of them or none."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.db import transaction as db_transaction
from django.test.utils import CaptureQueriesContext

from tests.models.test_prepared_sql import NOON, columns_of, payment_of, transaction_of
from tests.models.test_prepared_sql import order as order
from tests.operations.dying import Killed
from tests.operations.ways_of_writing import SEVERAL, TWO, in_each_way
from tests.operations.ways_of_writing import way_of_writing as way_of_writing
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.models.checkout_writes import WrittenAttempt, first_attempt, open_page

pytestmark = [pytest.mark.every_database, pytest.mark.django_db, in_each_way]

PAYMENT: dict[str, Any] = {
    "number": 1,
    "reference": "REF-1",
    "type": "sale",
    "currency": "EUR",
    "amount_minor": 2**62,
    "state": "OPEN",
    "created_at": NOON,
}
TRANSACTION: dict[str, Any] = {
    "gateway": "default",
    "kind": "CHECKOUT",
    "reference": "REF-1",
    "currency": "EUR",
    "amount_minor": 2**62,
    "state": "SENDING",
    "state_changed_at": NOON,
    "attempt_no": 1,
    "leased_until": NOON,
    "request_body": "%s 50 % 'quoted' \\ ü 漢",
    "created_at": NOON,
}
OPENED: dict[str, Any] = {
    "state": "OPEN",
    "redirect_url": "https://gateway.example/%s",
    "leased_until": None,
    "explanation_params": {"said": "it's 50 %"},
}
EVENT: dict[str, Any] = {
    "kind": "ANSWER",
    "state_after": "OPEN",
    "explanation_params": {"a": [1]},
    "http_status": 200,
    "request_body": "%s '",
    "occurred_at": NOON,
}


def attempt(order: PaymentOrder, **payment: object) -> WrittenAttempt | None:
    with db_transaction.atomic():
        return first_attempt(order, PAYMENT | payment, TRANSACTION).run()


def rows() -> tuple[int, int, int]:
    return Payment.objects.count(), GatewayTransaction.objects.count(), TransactionEvent.objects.count()


def test_a_first_attempt_is_as_rows_that_were_saved(order: PaymentOrder, way_of_writing: str) -> None:
    written = attempt(order)
    assert written is not None

    payment, transaction = Payment.objects.get(), GatewayTransaction.objects.get()
    assert (payment.pk, transaction.pk) == (written.payment, written.transaction)
    expected = payment_of(order, **PAYMENT, pk=payment.pk)
    assert columns_of(payment) == columns_of(expected)
    assert columns_of(transaction) == columns_of(transaction_of(expected, **TRANSACTION, pk=transaction.pk))
    order.refresh_from_db()
    assert order.version == written.version == (0 if way_of_writing != SEVERAL else 1)


@pytest.mark.parametrize("changed", [{"version": 1}, {"state": "CANCELLED"}], ids=str)
def test_an_order_that_was_changed_gets_none_here(changed: dict[str, Any], order: PaymentOrder) -> None:
    PaymentOrder.objects.filter(pk=order.pk).update(**changed)
    assert attempt(order) is None
    assert rows() == (0, 0, 0)


def test_an_order_with_an_attempt_gets_no_second_one_here(order: PaymentOrder, way_of_writing: str) -> None:
    payment_of(order).save()
    if way_of_writing != SEVERAL:
        assert attempt(order, reference="REF-2") is None
    else:
        with pytest.raises(IntegrityError):
            attempt(order, reference="REF-2")
    assert rows() == (1, 0, 0)


def opening(order: PaymentOrder) -> GatewayTransaction:
    assert attempt(order)
    return GatewayTransaction.objects.get()


def as_seen(order: PaymentOrder) -> dict[str, Any]:
    return {"id": order.pk, "version": PaymentOrder.objects.get(pk=order.pk).version}


def test_an_opened_page_is_its_columns_and_an_event_as_one_that_was_saved(order: PaymentOrder) -> None:
    transaction = opening(order)
    where = {"state": "SENDING", "attempt_no": 1}
    assert open_page(transaction.pk, order=as_seen(order), where=where, columns=OPENED, event=EVENT).run()

    for name, value in OPENED.items():
        setattr(transaction, name, value)
    assert columns_of(GatewayTransaction.objects.get()) == columns_of(transaction)
    event = TransactionEvent.objects.get()
    expected = TransactionEvent(pk=event.pk, transaction=transaction, **EVENT)
    assert columns_of(event) == columns_of(expected)


@pytest.mark.parametrize(
    "where", [{"state": "UNKNOWN", "attempt_no": 1}, {"state": "SENDING", "attempt_no": 2}]
)
def test_a_transaction_that_is_not_as_it_was_read_keeps_its_columns_and_gets_no_event(
    where: dict[str, Any], order: PaymentOrder
) -> None:
    transaction = opening(order)
    assert not open_page(transaction.pk, order=as_seen(order), where=where, columns=OPENED, event=EVENT).run()
    assert columns_of(GatewayTransaction.objects.get()) == columns_of(transaction)
    assert rows() == (1, 1, 0)


def test_a_page_whose_order_is_not_as_it_was_seen_is_not_opened_here(order: PaymentOrder) -> None:
    transaction, seen = opening(order), as_seen(order)
    PaymentOrder.objects.filter(pk=order.pk).update(version=seen["version"] + 1)
    where = {"state": "SENDING", "attempt_no": 1}
    assert not open_page(transaction.pk, order=seen, where=where, columns=OPENED, event=EVENT).run()
    assert columns_of(GatewayTransaction.objects.get()) == columns_of(transaction)
    assert rows() == (1, 1, 0)


def test_what_says_that_it_is_one_statement_is_one(order: PaymentOrder, way_of_writing: str) -> None:
    prepared = first_attempt(order, PAYMENT, TRANSACTION)
    with CaptureQueriesContext(connection) as captured:
        prepared.run()
    opened = open_page(
        GatewayTransaction.objects.get().pk,
        order=as_seen(order),
        where={"attempt_no": 1},
        columns=OPENED,
        event=EVENT,
    )
    with CaptureQueriesContext(connection) as later:
        opened.run()
    found = len(captured), len(later)
    assert found == {SEVERAL: (3, 2), TWO: (2, 2)}.get(way_of_writing, (1, 1))
    assert prepared.is_one_statement == opened.is_one_statement == (found == (1, 1))


def killed_at(number: int) -> Callable[..., object]:
    """Return a wrapper of statements that lets those before this one through, and dies."""
    numbers = itertools.count(1)

    def wrapper(execute: Callable[..., object], *statement: object) -> object:
        if next(numbers) == number:
            raise Killed
        return execute(*statement)

    return wrapper


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_writer_that_dies_between_two_statements_leaves_none_of_them(
    order: PaymentOrder, number: int, way_of_writing: str
) -> None:
    statements = {SEVERAL: 3, TWO: 2}.get(way_of_writing, 1)
    if number > statements:
        pytest.skip("this way has fewer statements")
    prepared = first_attempt(order, PAYMENT, TRANSACTION)
    with pytest.raises(Killed), db_transaction.atomic(), connection.execute_wrapper(killed_at(number)):
        prepared.run()
    order.refresh_from_db()
    assert (order.version, rows()) == (0, (0, 0, 0))

    page, where = opening(order), {"state": "SENDING", "attempt_no": 1}
    prepared_page = open_page(page.pk, order=as_seen(order), where=where, columns=OPENED, event=EVENT)
    if number <= min(statements, 2):
        with pytest.raises(Killed), db_transaction.atomic(), connection.execute_wrapper(killed_at(number)):
            prepared_page.run()
        assert columns_of(GatewayTransaction.objects.get()) == columns_of(page)
        assert rows() == (1, 1, 0)


def repeatable() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has the one statement")
@pytest.mark.django_db(transaction=True)
def test_where_reads_are_repeatable_the_order_is_written(order: PaymentOrder, way_of_writing: str) -> None:
    # A writer that locks it later must learn that its snapshot is old, which a lock alone does not tell.
    with db_transaction.atomic():
        repeatable()
        written = first_attempt(order, PAYMENT, TRANSACTION).run()
    assert (written is None) == (way_of_writing != SEVERAL)
