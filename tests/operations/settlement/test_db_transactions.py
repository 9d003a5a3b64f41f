"""The one way into the database: durable, and repeated where the database asks for that."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import Mock

import pytest
from django.db import InterfaceError, OperationalError, connection
from django.db import transaction as db_transaction
from django.test import override_settings

from wallet_gateway.models import GatewayPause
from wallet_gateway.operations.errors import InsideTransaction
from wallet_gateway.operations.settlement.db_transactions import (
    NothingIsCommitted,
    in_current_or_new_transaction,
    in_statement,
    in_transaction,
    in_transaction_with_retries,
    is_conflict,
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


class _State(Exception):
    def __init__(self, sqlstate: str) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


class _StateOfPsycopg2(Exception):
    pgcode = "40001"


def conflict(kind: object) -> OperationalError:
    """An error as the drivers raise it when a transaction has to be run again."""
    if isinstance(kind, int):
        return OperationalError(kind, "Deadlock found when trying to get lock")
    if kind == "locked":
        return OperationalError("database is locked")
    error = OperationalError("could not serialize access")
    error.__cause__ = _StateOfPsycopg2() if kind == "psycopg2" else _State(str(kind))
    return error


CONFLICTS = ["40001", "40P01", "psycopg2", 1020, 1205, 1213, "locked"]


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr("wallet_gateway.operations.settlement.db_transactions.time.sleep", slept.append)
    return slept


def failing(errors: list[Exception]) -> Callable[[], str]:
    """Work that fails with these errors, one after the other, and then is done."""
    left = list(errors)

    def work() -> str:
        GatewayPause.objects.create(gateway=f"try-{len(left)}")
        if left:
            raise left.pop(0)
        return "done"

    return work


def test_work_is_committed_and_its_result_given_back() -> None:
    assert in_transaction(failing([])) == "done"
    assert GatewayPause.objects.count() == 1


def test_inside_somebody_elses_transaction_nothing_is_done() -> None:
    work = failing([])
    with db_transaction.atomic(), pytest.raises(InsideTransaction, match="non_atomic_requests"):
        in_transaction(work)
    assert not GatewayPause.objects.exists()


@pytest.mark.parametrize("kind", CONFLICTS)
@pytest.mark.parametrize("times", [1, 4])
def test_what_the_database_wants_repeated_is_repeated(times: int, kind: object, waits: list[float]) -> None:
    assert in_transaction(failing([conflict(kind)] * times)) == "done"
    assert waits == [0.01, 0.02, 0.04, 0.08][:times]
    assert GatewayPause.objects.count() == 1, "what failed has left nothing"


@pytest.mark.parametrize("kind", CONFLICTS)
def test_after_five_tries_it_is_given_up(kind: object) -> None:
    with pytest.raises(OperationalError):
        in_transaction(failing([conflict(kind)] * 5))
    assert not GatewayPause.objects.exists()


@pytest.mark.parametrize("kind", CONFLICTS)
def test_a_single_statement_that_the_database_wants_repeated_is_repeated(
    kind: object, waits: list[float]
) -> None:
    statement = Mock(side_effect=[conflict(kind), conflict(kind), 1])
    assert in_statement(statement) == 1
    assert waits == [0.01, 0.02]


def test_a_single_statement_in_somebody_elses_transaction_is_not_repeated(waits: list[float]) -> None:
    statement = Mock(side_effect=[conflict(1213), 1])
    with db_transaction.atomic(), pytest.raises(OperationalError):
        in_statement(statement)
    assert statement.call_count == 1, "a deadlock has undone the whole transaction, not this statement"


@pytest.mark.parametrize("kind", CONFLICTS)
def test_work_that_sends_nothing_is_repeated_in_a_transaction_of_its_own(
    kind: object, waits: list[float]
) -> None:
    work = failing([conflict(kind), conflict(kind)])
    assert in_current_or_new_transaction(work) == "done"
    assert GatewayPause.objects.count() == 1, "what was written before a conflict is undone"
    assert waits == [0.01, 0.02]


def test_work_in_somebody_elses_transaction_is_left_to_them(waits: list[float]) -> None:
    work = Mock(side_effect=[conflict(1213), 1])
    with db_transaction.atomic(), pytest.raises(OperationalError):
        in_current_or_new_transaction(work)
    assert work.call_count == 1


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("server closed the connection"),
        OperationalError(2006, "gone away"),
        OperationalError(),
    ],
)
def test_a_database_that_is_gone_is_no_conflict(error: OperationalError, waits: list[float]) -> None:
    assert not is_conflict(error)
    with pytest.raises(OperationalError):
        in_transaction(failing([error]))
    assert waits == []


def test_an_error_of_the_work_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        in_transaction(failing([ZeroDivisionError()]))
    assert not GatewayPause.objects.exists()


@pytest.mark.parametrize(
    "error", [OperationalError("server closed the connection"), InterfaceError("closed")]
)
@pytest.mark.parametrize("times", [1, 5])
def test_an_answer_of_the_gateway_outlasts_a_database_that_is_away(
    times: int, error: Exception, waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    assert in_transaction_with_retries(failing([error] * times)) == "done"
    assert waits == [0.5, 1.0, 2.0, 5.0, 10.0][:times]
    assert caplog.text.count("could not be stored yet") == times
    assert GatewayPause.objects.count() == 1


def test_patience_ends(waits: list[float]) -> None:
    with pytest.raises(OperationalError):
        in_transaction_with_retries(failing([OperationalError("gone")] * 6))
    assert sum(waits) == 18.5


def test_the_log_names_no_server(caplog: pytest.LogCaptureFixture) -> None:
    in_transaction_with_retries(failing([OperationalError("could not connect to db.shop.example as root")]))
    assert "shop.example" not in caplog.text
    assert "OperationalError" in caplog.text


def test_patience_begins_with_a_new_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    close = connection.close

    def close_and_note() -> None:
        closed.append("closed")
        close()

    monkeypatch.setattr(connection, "close", close_and_note)
    in_transaction_with_retries(failing([OperationalError("gone")]))
    assert closed == ["closed"]


def test_nothing_is_begun_on_a_connection_without_autocommit() -> None:
    connection.set_autocommit(False)
    try:
        for run in (in_transaction, in_transaction_with_retries):
            with pytest.raises(NothingIsCommitted, match="autocommit is off"):
                run(failing([]))
    finally:
        connection.rollback()
        connection.set_autocommit(True)
    assert not GatewayPause.objects.exists()


class _Elsewhere:
    """A router that sends every row to another database."""

    def db_for_write(self, model: object, **hints: object) -> str:
        return "replica"


def test_nothing_is_begun_where_a_router_sends_the_rows_elsewhere() -> None:
    with override_settings(DATABASE_ROUTERS=[_Elsewhere()]), pytest.raises(NothingIsCommitted, match="E004"):
        in_transaction(failing([]))
