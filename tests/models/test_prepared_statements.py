"""Statements are prepared where a connection stays open and leads to one server process, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection

from tests.models.test_prepared_sql import order as order
from wallet_gateway.models import PaymentOrder, prepared_statements
from wallet_gateway.models.prepared_sql import select_row

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]

on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="only PostgreSQL has prepared statements"
)


@pytest.fixture(autouse=True)
def new_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin with a connection of which nothing is known, and leave none that is kept open."""
    monkeypatch.setattr(prepared_statements.switch, "executed_before", 0)
    connection.close()
    yield
    connection.close()


@pytest.fixture
def kept_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", None)


def prepared() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return [text for (text,) in cursor.fetchall()]


def read(order: PaymentOrder) -> PaymentOrder:
    return select_row(PaymentOrder, where={"reference": order.reference})


@on_postgresql
@pytest.mark.usefixtures("kept_open")
def test_a_connection_that_is_kept_plans_a_statement_once(order: PaymentOrder) -> None:
    assert [read(order), read(order)] == [order, order]
    (text,) = prepared()
    assert "reference" in text

    PaymentOrder.objects.get(reference=order.reference)
    assert prepared() == [text], "a query of Django's is not prepared"


@on_postgresql
def test_a_connection_that_is_closed_after_each_request_prepares_nothing(order: PaymentOrder) -> None:
    assert read(order) == order
    assert prepared() == []


@on_postgresql
@pytest.mark.usefixtures("kept_open")
def test_the_switch_turns_it_off(order: PaymentOrder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared_statements.switch, "is_on", False)
    assert read(order) == order
    assert prepared() == []


@on_postgresql
@pytest.mark.usefixtures("kept_open")
def test_a_pooler_that_tells_of_a_process_of_its_own_is_not_given_a_prepared_statement(
    order: PaymentOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    # As PgBouncer does: the number it tells is that of its own key for a cancellation.
    monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", 1)
    assert [read(order), read(order)] == [order, order]
    assert prepared() == []


@on_postgresql
@pytest.mark.usefixtures("kept_open")
def test_cursors_that_another_has_put_in_djangos_place_are_used(order: PaymentOrder) -> None:
    connection.ensure_connection()
    seen: list[str] = []

    class Traced(connection.connection.cursor_factory):  # type: ignore[name-defined,misc]  # known when it runs
        def execute(self, query: str, *given: object, **named: object) -> object:
            seen.append(query)
            return super().execute(query, *given, **named)

    connection.connection.cursor_factory = Traced
    assert [read(order), read(order)] == [order, order]
    assert len(seen) == 2
    assert prepared() == []


@pytest.mark.usefixtures("kept_open")
def test_rows_are_the_same_on_every_database(order: PaymentOrder) -> None:
    by_django = PaymentOrder.objects.get(pk=order.pk)
    for _ in range(3):
        found = read(order)
        assert {**vars(found), "_state": None} == {**vars(by_django), "_state": None}
