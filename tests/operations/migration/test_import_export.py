"""The migration file: what is imported, what is refused by its line, and what comes out again."""

from __future__ import annotations

import itertools
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from inspect import GEN_CLOSED, GEN_SUSPENDED, getgeneratorstate
from typing import Any

import pytest
from django.db.models import QuerySet

from tests.operations.conftest import VirtualClock
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import MigratedDeposit
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.migration import import_export as migration_file
from wallet_gateway.operations.migration.import_export import ImportReport, ImportStep, export_migration_file
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
Import = Callable[..., ImportReport]

HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"


def row(parent: str, amount: str = "50.00", refunded: str = "0.00", currency: str = "EUR") -> str:
    return f"{parent},2026-01-15T10:30:00,{amount},{currency},{refunded},PRV-1\n"


@pytest.fixture
def take(clock: VirtualClock) -> Import:
    def take_in(*rows: str, **given: bool) -> ImportReport:
        return migration_file.import_migration_file([HEADER, *rows], gateway="default", clock=clock, **given)

    return take_in


def test_a_row_becomes_a_deposit_with_all_it_says(take: Import, clock: VirtualClock) -> None:
    assert take(row("OLD-1", "49.90", "10.00")) == ImportReport(accepted=1, rejected=(), stored=True)

    deposit = MigratedDeposit.objects.get()
    assert (deposit.gateway, deposit.parent_transaction_id, deposit.is_known) == ("default", "OLD-1", True)
    assert (deposit.amount_minor, deposit.refunded_before, deposit.currency) == (4990, 1000, "EUR")
    assert deposit.transacted_at_text == "2026-01-15T10:30:00"
    assert deposit.transacted_at is not None
    assert deposit.transacted_at.isoformat() == "2026-01-15T10:30:00+00:00"
    assert deposit.provider_transaction_id == "PRV-1"
    assert deposit.created_at == clock.now()
    assert str(deposit.refundable) == "39.90 EUR"


def test_with_a_bad_row_nothing_is_stored(take: Import) -> None:
    report = take(row("OLD-1"), row("OLD-2", "1,5"), row("OLD-3"))
    assert (report.accepted, report.stored) == (2, False)
    assert [error.line for error in report.rejected] == [3]
    assert not MigratedDeposit.objects.exists()


def test_the_good_rows_are_kept_where_they_are_wanted_all_the_same(take: Import) -> None:
    report = take(row("OLD-1"), row("OLD-2", "-1.00"), row("OLD-3"), keep_good=True)
    assert (report.accepted, report.stored) == (2, True)
    assert set(MigratedDeposit.objects.values_list("parent_transaction_id", flat=True)) == {"OLD-1", "OLD-3"}


def test_a_dry_run_stores_nothing(take: Import) -> None:
    report = take(row("OLD-1"), dry_run=True)
    assert (report.accepted, report.stored) == (1, False)
    assert not MigratedDeposit.objects.exists()


def test_a_deposit_that_is_known_already_is_refused_and_left_as_it_is(take: Import) -> None:
    take(row("OLD-1", "50.00"))
    report = take(row("OLD-1", "99.00"), row("OLD-2"), keep_good=True)
    assert [error.reason for error in report.rejected] == ["this parentTransactionId is known already"]
    assert MigratedDeposit.objects.get(parent_transaction_id="OLD-1").amount_minor == 5000
    assert MigratedDeposit.objects.count() == 2


def test_one_gateways_deposits_are_not_anothers(take: Import, clock: VirtualClock) -> None:
    take(row("OLD-1"))
    lines = [HEADER, row("OLD-1")]
    assert migration_file.import_migration_file(lines, gateway="second", clock=clock).accepted == 1


# Deposits that were refunded before their file came


@pytest.fixture
def refunded(context: GatewayContext, wallet_sandbox: SandboxControl) -> MigratedDeposit:
    """20.00 EUR of a deposit that only the gateway knows have been refunded."""
    wallet_sandbox.migration_file(HEADER + row("OLD-1"))
    refund_migrated(parent_transaction_id="OLD-1", amount=Decimal("20.00"), currency="EUR", context=context)
    return MigratedDeposit.objects.get()


def test_a_file_completes_a_deposit_that_only_the_gateway_knew(
    refunded: MigratedDeposit, take: Import, context: GatewayContext
) -> None:
    assert take(row("OLD-1", "50.00", "10.00"), row("OLD-2")).stored

    refunded.refresh_from_db()
    assert (refunded.is_known, refunded.amount_minor, refunded.refunded) == (True, 5000, 2000)
    assert str(refunded.refundable) == "20.00 EUR"
    with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH, left=Money(Decimal("20.00"), "EUR")):
        refund_migrated(
            parent_transaction_id="OLD-1", amount=Decimal("20.01"), currency="EUR", context=context
        )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (row("OLD-1", "29.99", "10.00"), "more has been refunded since than this row leaves"),
        (row("OLD-1", "50.00", "0.00", "USD"), "refunds of this deposit have been made in EUR"),
    ],
)
def test_a_row_that_contradicts_what_was_refunded_is_refused(
    line: str, reason: str, refunded: MigratedDeposit, take: Import
) -> None:
    report = take(line)
    assert [error.reason for error in report.rejected] == [reason]
    refunded.refresh_from_db()
    assert (refunded.is_known, refunded.amount_minor) == (False, None)


# Out again


def test_what_was_read_is_written_with_what_has_been_refunded_since(
    refunded: MigratedDeposit, take: Import
) -> None:
    take(row("OLD-1", "50.00", "10.00"), row("OLD-2", "1.00"))
    lines = [line.rstrip("\r\n") for line in export_migration_file(gateway="default")]
    assert lines == [
        HEADER.rstrip(),
        "OLD-1,2026-01-15T10:30:00,50.00,EUR,30.00,PRV-1",
        "OLD-2,2026-01-15T10:30:00,1.00,EUR,0.00,PRV-1",
    ]


def test_what_was_never_told_is_not_written(refunded: MigratedDeposit) -> None:
    assert len(list(export_migration_file(gateway="default"))) == 1


def test_an_export_that_breaks_off_leaves_no_cursor_behind(
    take: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    take("OLD-1,2024-03-01T09:30:00,50.00,EUR,20.00,P-1", "OLD-2,2024-03-01T09:30:00,50.00,EUR,20.00,P-2")
    opened: list[Any] = []
    iterator = QuerySet.iterator

    def noted(rows: QuerySet[MigratedDeposit], chunk_size: int) -> object:
        opened.append(iterator(rows, chunk_size))
        return opened[-1]

    monkeypatch.setattr(QuerySet, "iterator", noted)
    lines = export_migration_file(gateway="default")
    assert [next(lines), next(lines)][1].startswith("OLD-1")
    assert getgeneratorstate(opened[0]) == GEN_SUSPENDED
    with pytest.raises(RuntimeError, match="the reader has gone"):
        lines.throw(RuntimeError("the reader has gone"))  # type: ignore[attr-defined]
    assert getgeneratorstate(opened[0]) == GEN_CLOSED


# Long files


@pytest.fixture
def batches_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration_file, "_BATCH", 2)


def _steps_of(lines: list[str], clock: VirtualClock, **given: bool) -> tuple[list[ImportStep], ImportReport]:
    steps = migration_file.import_in_steps([HEADER, *lines], gateway="default", clock=clock, **given)
    told: list[ImportStep] = []
    while True:
        try:
            told.append(next(steps))
        except StopIteration as end:
            return told, end.value


def test_an_import_tells_after_each_batch_how_far_it_is(batches_of_two: None, clock: VirtualClock) -> None:
    told, report = _steps_of([row(f"OLD-{number}") for number in range(3)], clock)
    assert [(step.checked, step.stored) for step in told] == [(2, 0), (3, 0), (3, 2), (3, 3)]
    assert (report.accepted, report.stored) == (3, True)


def test_a_deposit_that_stands_twice_is_found_however_far_apart(
    batches_of_two: None, clock: VirtualClock
) -> None:
    told, _ = _steps_of([row("OLD-1"), row("OLD-2"), row("OLD-3"), row("OLD-1")], clock, dry_run=True)
    (error,) = told[-1].bad
    assert (error.line, "earlier row" in error.reason) == (5, True)


def test_a_report_holds_the_first_bad_rows_and_counts_all(
    monkeypatch: pytest.MonkeyPatch, batches_of_two: None, clock: VirtualClock
) -> None:
    monkeypatch.setattr(migration_file, "MAX_REPORTED", 3)
    told, report = _steps_of([row(f"OLD-{number}", "?") for number in range(5)], clock)
    assert [error.line for error in report.rejected] == [2, 3, 4]
    assert report.rejected_in_all == 5
    assert [error.line for step in told for error in step.bad] == [2, 3, 4, 5, 6]


def test_a_broken_import_is_finished_by_keeping_the_good_rows(
    batches_of_two: None, clock: VirtualClock
) -> None:
    lines = [row(f"OLD-{number}") for number in range(5)]
    steps = migration_file.import_in_steps([HEADER, *lines], gateway="default", clock=clock)
    while not next(steps).stored:
        pass
    steps.close()
    assert MigratedDeposit.objects.count() == 2

    _, report = _steps_of(lines, clock, keep_good=True)
    assert (report.accepted, report.rejected_in_all) == (3, 2)
    assert MigratedDeposit.objects.count() == 5


def test_a_deposit_refunded_while_its_file_is_being_stored_is_completed(
    batches_of_two: None, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody's refund makes the row after the look and before the insert."""
    look, looks = migration_file._deposits_there, []

    def look_too_early(ids: list[str], gateway: str) -> dict[str, MigratedDeposit]:
        found = look(ids, gateway)
        looks.append(ids)
        if len(looks) == 2:
            MigratedDeposit.objects.create(
                gateway="default", parent_transaction_id="OLD-1", currency="EUR", created_at=clock.now()
            )
        return found

    monkeypatch.setattr(migration_file, "_deposits_there", look_too_early)
    assert _steps_of([row("OLD-1", "50.00"), row("OLD-2")], clock)[1].stored
    assert MigratedDeposit.objects.get(parent_transaction_id="OLD-1").amount_minor == 5000
    assert MigratedDeposit.objects.count() == 2


def test_memory_does_not_grow_with_the_file(clock: VirtualClock) -> None:
    def peak_of(rows: int) -> int:
        lines = itertools.chain([HEADER], (row(f"OLD-{number}") for number in range(rows)))
        tracemalloc.start()
        migration_file.import_migration_file(lines, gateway="default", clock=clock, dry_run=True)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak_of(10)
    assert peak_of(12_000) < 1.3 * peak_of(4_000)
