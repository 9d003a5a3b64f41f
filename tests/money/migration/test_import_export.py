"""The migration file: what is imported, what is refused by its line, and what comes out again."""

from __future__ import annotations

import itertools
import tracemalloc
from decimal import Decimal
from typing import Any

import pytest

from tests.support.database_faults import meddling
from tests.support.refusals import refuses
from tests.support.shop import Shop, euros, reloaded
from wallet_gateway import payments
from wallet_gateway.models import MigratedDeposit
from wallet_gateway.payments.errors import ErrorCode, InvalidState
from wallet_gateway.payments.maintenance import MAX_REPORTED, ImportReport, ImportStep

pytestmark = pytest.mark.django_db
HEADER = "parentTransactionId,transactionDateTime,amount,currencyCode,refundedAmount,providerTransactionId\n"
BATCH = 2_000
"""How many rows are stored at a time."""


def row(parent: str, amount: str = "50.00", refunded: str = "0.00", currency: str = "EUR") -> str:
    return f"{parent},2026-01-15T10:30:00,{amount},{currency},{refunded},PRV-1\n"


def take(*rows: str, **given: Any) -> ImportReport:
    return payments.maintenance.import_migration_file([HEADER, *rows], **given)


def known() -> set[str]:
    return set(MigratedDeposit.objects.values_list("parent_transaction_id", flat=True))


@pytest.mark.every_database
def test_a_row_becomes_a_deposit_with_all_it_says(shop: Shop) -> None:
    shop.clock.stop()
    assert take(row("OLD-1", "49.90", "10.00")) == ImportReport(accepted=1, rejected=(), stored=True)
    deposit = MigratedDeposit.objects.get()
    assert (deposit.gateway, deposit.parent_transaction_id, deposit.is_known) == ("default", "OLD-1", True)
    assert (deposit.amount_minor, deposit.refunded_before, deposit.currency) == (4990, 1000, "EUR")
    assert deposit.transacted_at_text == "2026-01-15T10:30:00"
    assert deposit.transacted_at is not None
    assert deposit.transacted_at.isoformat() == "2026-01-15T10:30:00+00:00"
    assert (deposit.provider_transaction_id, deposit.created_at) == ("PRV-1", shop.clock.now())
    assert deposit.refundable == euros("39.90")


@pytest.mark.parametrize(
    ("bad", "given", "accepted", "stored"),
    [
        ("1,5", {}, 2, set()),
        ("-1.00", {"keep_good": True}, 2, {"OLD-1", "OLD-3"}),
        ("50.00", {"dry_run": True}, 3, set()),
    ],
    ids=["with a bad row nothing is stored", "unless it is wanted", "a dry run stores nothing"],
)
def test_what_is_stored_of_a_file(bad: str, given: dict[str, bool], accepted: int, stored: set[str]) -> None:
    report = take(row("OLD-1"), row("OLD-2", bad), row("OLD-3"), **given)
    assert (report.accepted, report.stored) == (accepted, bool(stored))
    assert [error.line for error in report.rejected] == ([] if accepted == 3 else [3])
    assert known() == stored


@pytest.mark.every_database
def test_a_deposit_that_is_known_already_is_refused_and_left_as_it_is_but_not_at_another_gateway(
    shop: Shop,
) -> None:
    take(row("OLD-1", "50.00"))
    report = take(row("OLD-1", "99.00"), row("OLD-2"), keep_good=True)
    assert [error.reason for error in report.rejected] == ["this parentTransactionId is known already"]
    assert MigratedDeposit.objects.get(parent_transaction_id="OLD-1").amount_minor == 5000
    assert MigratedDeposit.objects.count() == 2
    (usual,) = shop.settings.WALLET_GATEWAY["GATEWAYS"].values()
    shop.set(GATEWAYS={"default": usual, "second": usual})
    assert take(row("OLD-1"), gateway="second").accepted == 1


# Deposits that were refunded before their file came


@pytest.fixture
def refunded(shop: Shop) -> MigratedDeposit:
    """20.00 EUR of a deposit that only the gateway knows have been refunded, and some of another one."""
    for parent, amount in (("OLD-1", "20.00"), ("OLD-9", "1.00")):
        assert payments.refund_migrated(parent, Decimal(amount), "EUR").state == "APPROVED"
    return MigratedDeposit.objects.get(parent_transaction_id="OLD-1")


@pytest.mark.every_database
def test_a_file_completes_a_deposit_that_only_the_gateway_knew(refunded: MigratedDeposit) -> None:
    assert take(row("OLD-1", "50.00", "10.00"), row("OLD-2")).stored
    assert (reloaded(refunded).is_known, refunded.amount_minor, refunded.refunded) == (True, 5000, 2000)
    assert refunded.refundable == euros("20.00")
    assert not MigratedDeposit.objects.get(parent_transaction_id="OLD-9").is_known
    with refuses(InvalidState, ErrorCode.AMOUNT_TOO_HIGH, left=euros("20.00")):
        payments.refund_migrated("OLD-1", Decimal("20.01"), "EUR")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (row("OLD-1", "29.99", "10.00"), "more has been refunded since than this row leaves"),
        (row("OLD-1", "50.00", "0.00", "USD"), "refunds of this deposit have been made in EUR"),
    ],
)
def test_a_row_that_contradicts_what_was_refunded_is_refused(
    line: str, reason: str, refunded: MigratedDeposit
) -> None:
    assert [error.reason for error in take(line).rejected] == [reason]
    assert (reloaded(refunded).is_known, refunded.amount_minor) == (False, None)


def test_what_was_read_is_written_with_what_has_been_refunded_since_and_nothing_that_was_never_told(
    refunded: MigratedDeposit,
) -> None:
    assert len(list(payments.maintenance.export_migration_file())) == 1
    take(row("OLD-1", "50.00", "10.00"), row("OLD-2", "1.00"))
    assert [line.rstrip("\r\n") for line in payments.maintenance.export_migration_file()] == [
        HEADER.rstrip(),
        "OLD-1,2026-01-15T10:30:00,50.00,EUR,30.00,PRV-1",
        "OLD-2,2026-01-15T10:30:00,1.00,EUR,0.00,PRV-1",
    ]


@pytest.mark.every_database
def test_a_deposit_refunded_while_its_file_is_being_stored_is_completed(shop: Shop) -> None:
    """Somebody's refund makes the row after the look and before the insert."""

    def refund_first() -> None:
        MigratedDeposit.objects.create(
            gateway="default", parent_transaction_id="OLD-1", currency="EUR", created_at=shop.clock.now()
        )

    with meddling("INSERT", MigratedDeposit._meta.db_table, act=refund_first):
        assert take(row("OLD-1", "50.00"), row("OLD-2")).stored
    assert MigratedDeposit.objects.get(parent_transaction_id="OLD-1").amount_minor == 5000
    assert MigratedDeposit.objects.count() == 2


# Long files


def steps_of(lines: list[str], **given: Any) -> tuple[list[ImportStep], ImportReport]:
    steps = payments.maintenance.import_in_steps([HEADER, *lines], **given)
    told: list[ImportStep] = []
    while True:
        try:
            told.append(next(steps))
        except StopIteration as end:
            return told, end.value


def test_an_import_tells_after_each_batch_how_far_it_is_and_a_broken_one_can_be_finished() -> None:
    lines = [row(f"OLD-{number}") for number in range(BATCH + 1)]
    broken = payments.maintenance.import_in_steps([HEADER, *lines])
    told = [next(broken) for _ in range(3)]
    broken.close()
    assert [(step.checked, step.stored) for step in told] == [(BATCH, 0), (BATCH + 1, 0), (BATCH + 1, BATCH)]
    assert MigratedDeposit.objects.count() == BATCH

    told, report = steps_of(lines, keep_good=True)
    assert (told[-1].stored, report.accepted, report.rejected_in_all) == (1, 1, BATCH)
    assert MigratedDeposit.objects.count() == BATCH + 1


def test_a_deposit_that_stands_twice_is_found_however_far_apart() -> None:
    lines = [row(f"OLD-{number}") for number in range(BATCH)]
    told, _ = steps_of([*lines, row("OLD-0")], dry_run=True)
    (error,) = told[-1].bad
    assert (error.line, "earlier row" in error.reason) == (BATCH + 2, True)


def test_a_report_holds_the_first_bad_rows_and_counts_all() -> None:
    most = MAX_REPORTED + 2
    told, report = steps_of([row(f"OLD-{number}", "?") for number in range(most)])
    assert [error.line for error in report.rejected] == list(range(2, MAX_REPORTED + 2))
    assert report.rejected_in_all == most
    assert [error.line for step in told for error in step.bad] == list(range(2, most + 2))


def test_memory_does_not_grow_with_the_file() -> None:
    def peak_of(rows: int) -> int:
        lines = itertools.chain([HEADER], (row(f"OLD-{number}") for number in range(rows)))
        tracemalloc.start()
        payments.maintenance.import_migration_file(lines, dry_run=True)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak_of(10)
    assert peak_of(3 * BATCH) < 1.3 * peak_of(2 * BATCH)
