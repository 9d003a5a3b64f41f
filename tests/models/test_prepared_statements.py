"""Statements are prepared where a connection stays open and leads to one server process, and nowhere else."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from django.db import IntegrityError, connection
from django.db import transaction as db_transaction

from tests.models.test_prepared_sql import order as order
from wallet_gateway.models import PaymentOrder, prepared_statements
from wallet_gateway.models.prepared_sql import select_row, update_row
from wallet_gateway.operations.settlement.db_transactions import in_transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]

on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="only PostgreSQL has prepared statements"
)
on_one_process = pytest.mark.skipif(
    connection.vendor != "postgresql" or bool(connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")),
    reason="only PostgreSQL without a pooler before it keeps a prepared statement",
)


@pytest.fixture(autouse=True)
def new_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin with a connection of which nothing is known, from no pool, and leave none that is kept open."""
    monkeypatch.setattr(prepared_statements.switch, "executed_before", 0)
    connection.close()
    monkeypatch.delitem(connection.settings_dict["OPTIONS"], "pool", raising=False)
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


def read_by_token(order: PaymentOrder) -> PaymentOrder:
    return select_row(PaymentOrder, where={"token": order.token})


@on_one_process
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


@on_one_process
@pytest.mark.usefixtures("kept_open")
@pytest.mark.parametrize("throw_away", ["DEALLOCATE ALL", "DISCARD ALL", "DEALLOCATE wallet_gateway_0"])
def test_what_somebody_has_thrown_away_is_prepared_again(order: PaymentOrder, throw_away: str) -> None:
    assert [read(order), read_by_token(order)] == [order, order]
    with connection.cursor() as cursor:
        cursor.execute(throw_away)
    assert [read(order), read_by_token(order)] == [order, order]
    assert {"reference", "token"} == {text.rpartition("WHERE ")[2].split('"')[1] for text in prepared()}


@on_one_process
@pytest.mark.usefixtures("kept_open")
def test_in_a_transaction_what_was_thrown_away_lets_all_of_it_be_repeated(order: PaymentOrder) -> None:
    assert read(order) == order
    with connection.cursor() as cursor:
        cursor.execute("DISCARD ALL")
    tries: list[str] = []

    def write() -> PaymentOrder:
        tries.append("begun")
        # The first statement of a transaction is Django's, because it begins it.
        assert read_by_token(order) == order
        return read(order)

    assert in_transaction(write) == order
    assert tries == ["begun", "begun"]


@on_one_process
@pytest.mark.usefixtures("kept_open")
def test_a_column_whose_type_a_migration_has_changed_is_read_by_a_connection_that_is_kept(
    order: PaymentOrder,
) -> None:
    assert [read(order), read(order)] == [order, order]
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE wallet_gateway_paymentorder ALTER reference TYPE text")
        try:
            assert [read(order), read(order)] == [order, order]
        finally:
            size = PaymentOrder._meta.get_field("reference").max_length
            cursor.execute(f"ALTER TABLE wallet_gateway_paymentorder ALTER reference TYPE varchar({size})")


@on_postgresql
@pytest.mark.usefixtures("kept_open")
def test_where_psycopg_prepares_by_itself_djangos_cursors_are_used(
    order: PaymentOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection.close()
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "prepare_threshold", 5)
    assert [read(order), read(order)] == [order, order]
    assert prepared() == []


@on_one_process
@pytest.mark.usefixtures("kept_open")
def test_a_statement_is_prepared_when_it_was_executed_before(
    order: PaymentOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared_statements.switch, "executed_before", 2)
    assert [read(order), read(order), prepared()] == [order, order, []]
    assert read(order) == order
    assert len(prepared()) == 1


@on_postgresql
@pytest.mark.usefixtures("kept_open")
def test_with_a_psycopg_that_has_another_lowest_layer_djangos_cursors_are_used(
    order: PaymentOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wallet_gateway.models.prepared_cursor", None)
    assert [read(order), read(order), prepared()] == [order, order, []]


@on_postgresql
@pytest.mark.usefixtures("kept_open")
def test_a_connection_that_was_closed_is_forgotten(order: PaymentOrder) -> None:
    assert read(order) == order
    closed = weakref.ref(connection.connection)
    connection.close()
    assert read(order) == order
    gc.collect()
    assert closed() is None


@on_one_process
@pytest.mark.usefixtures("kept_open")
def test_no_more_is_prepared_than_the_server_is_to_keep(
    order: PaymentOrder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wallet_gateway.models import prepared_cursor

    monkeypatch.setattr(prepared_cursor, "MOST", 1)
    assert [read(order), read_by_token(order), read(order), read_by_token(order)] == [order] * 4
    assert len(prepared()) == 1


@pytest.mark.usefixtures("kept_open")
def test_a_block_of_the_caller_takes_back_what_was_written_in_it(order: PaymentOrder) -> None:
    def write(state: str) -> None:
        assert update_row(PaymentOrder, where={"id": order.pk}, columns={"state": state})

    write("OPEN")
    with db_transaction.atomic():
        write("PAID")
        write("FAILED")
        assert read(order).state == "FAILED"
        db_transaction.set_rollback(True)
    assert read(order).state == "OPEN"


@pytest.mark.usefixtures("kept_open")
def test_errors_are_djangos(order: PaymentOrder) -> None:
    with pytest.raises(IntegrityError):
        update_row(PaymentOrder, where={"id": order.pk}, columns={"amount_minor": 0})
    assert read(order) == order


@on_postgresql
@pytest.mark.usefixtures("kept_open")
def test_what_wraps_djangos_statements_may_change_them_and_read_the_cursors_connection(
    order: PaymentOrder,
) -> None:
    seen: list[object] = []

    # As a history of rows does that tells the database who is logged in.
    def prepend(
        execute: Callable[..., object], sql: str, params: object, many: bool, context: dict[str, Any]
    ) -> object:
        seen.append(context["cursor"].connection.info.transaction_status)
        return execute(f"SELECT set_config('shop.user', 'ada', true); {sql}", params, many, context)

    with connection.execute_wrapper(prepend):
        assert update_row(PaymentOrder, where={"id": order.pk}, columns={"state": "PAID"})
    assert len(seen) == 1
    assert read(order).state == "PAID"


@pytest.mark.usefixtures("kept_open")
def test_what_wraps_djangos_statements_sees_each_execution(order: PaymentOrder) -> None:
    seen: list[str] = []

    def note(execute: Callable[..., object], sql: str, *given: object) -> object:
        seen.append(sql)
        return execute(sql, *given)

    with connection.execute_wrapper(note):
        assert [read(order), read(order)] == [order, order]
    assert len(seen) == 2


@pytest.mark.usefixtures("kept_open")
def test_rows_are_the_same_on_every_database(order: PaymentOrder) -> None:
    by_django = PaymentOrder.objects.get(pk=order.pk)
    for _ in range(3):
        found = read(order)
        assert {**vars(found), "_state": None} == {**vars(by_django), "_state": None}
