"""Import and export the migration file, which lists the earlier payments that may be refunded."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import cast

from django.db import IntegrityError

from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.models import MigratedDeposit
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.migration.spool import CheckedRow, CheckedRows
from wallet_gateway.protocol.migration_file import (
    MigrationRow,
    RowError,
    read_rows,
    text_lines,
    write_rows,
)
from wallet_gateway.protocol.money import Money

_BATCH = 2_000
"""Rows looked up and stored per statement; an import keeps only this many in memory, and all identifiers."""
_LONGEST_ID = 128
MAX_REPORTED = 1_000
"""Maximum number of bad rows in a report; the steps contain all of them."""
_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """The result of importing a migration file."""

    accepted: int
    """The number of good rows."""
    rejected: tuple[RowError, ...]
    """The first thousand bad rows."""
    stored: bool
    """Whether the good rows were stored."""
    rejected_in_all: int = 0
    """The number of bad rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportStep:
    """The progress of an import; one for each batch of rows."""

    checked: int
    """Rows read so far, good and bad."""
    stored: int
    """Rows stored so far; 0 while the file is checked."""
    bad: tuple[RowError, ...] = ()
    """The bad rows of this batch."""


Steps = Generator[ImportStep, None, ImportReport]


def import_migration_file(
    lines: Iterable[str | bytes],
    *,
    gateway: str,
    clock: Clock,
    keep_good: bool = False,
    dry_run: bool = False,
) -> ImportReport:
    """Store the deposits of a migration file; report every bad row by its line and reason.

    Open the file as binary. If a row is bad, nothing is stored unless `keep_good` is set, which stores the
    good rows. A deposit that was refunded before its file was imported is completed by its row.
    """
    steps = import_in_steps(lines, gateway=gateway, clock=clock, keep_good=keep_good, dry_run=dry_run)
    try:
        while True:
            next(steps)
    except StopIteration as end:
        report: ImportReport = end.value
        return report


def import_in_steps(
    lines: Iterable[str | bytes],
    *,
    gateway: str,
    clock: Clock,
    keep_good: bool = False,
    dry_run: bool = False,
) -> Steps:
    """Import like `import_migration_file`, and yield the progress after each batch.

    The whole file is checked before anything is stored. Then each batch is committed separately, which keeps
    database transactions short. Finish an interrupted import with `keep_good`, because the rows already
    stored are reported as known.
    """
    with CheckedRows() as good:
        rejected: list[RowError] = []
        rejected_in_all = 0
        for batch in _batches(lines):
            bad = tuple(_check(batch, good, gateway))
            rejected += bad[: MAX_REPORTED - len(rejected)]
            rejected_in_all += len(bad)
            yield ImportStep(checked=good.count + rejected_in_all, stored=0, bad=bad)
        wanted = not dry_run and (keep_good or not rejected_in_all)
        if wanted:
            yield from _store_all(good, gateway, clock, checked=good.count + rejected_in_all)
        return ImportReport(
            accepted=good.count,
            rejected=tuple(rejected),
            stored=wanted,
            rejected_in_all=rejected_in_all,
        )


Numbered = tuple[int, MigrationRow | RowError]


def _batches(lines: Iterable[str | bytes]) -> Iterator[list[Numbered]]:
    numbered = _numbered(lines)
    while batch := list(islice(numbered, _BATCH)):
        yield batch


def _check(batch: Iterable[Numbered], good: CheckedRows, gateway: str) -> Iterator[RowError]:
    """Keep the good rows of a batch and yield the errors of the others."""
    ids = [row.parent_transaction_id for _, row in batch if isinstance(row, MigrationRow)]
    there = _deposits_there(ids, gateway)
    for line, row in batch:
        if isinstance(row, RowError):
            yield row
        elif reason := _why_not(row, there.get(row.parent_transaction_id)):
            yield RowError(line=line, reason=reason)
        else:
            good.keep(row)


def _numbered(lines: Iterable[str | bytes]) -> Iterator[Numbered]:
    """Pair each row with the line it ends on: blank lines are not rows, and cells may span lines."""
    counted = _Counted(text_lines(lines))
    for row in read_rows(counted):
        yield counted.read, row


class _Counted:
    """An iterator that counts the lines read."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.read += 1
        return line


def _deposits_there(ids: Sequence[str], gateway: str) -> dict[str, MigratedDeposit]:
    there = MigratedDeposit.objects.filter(gateway=gateway, parent_transaction_id__in=ids)
    return {deposit.parent_transaction_id: deposit for deposit in there}


def _why_not(row: MigrationRow, there: MigratedDeposit | None) -> str:
    """Return why a row cannot be stored; empty if it can."""
    if max(len(row.parent_transaction_id), len(row.provider_transaction_id)) > _LONGEST_ID:
        return f"an identifier has more than {_LONGEST_ID} characters"
    if there is None:
        return ""
    if there.is_known:
        return "this parentTransactionId is known already"
    if there.currency != row.currency:
        return f"refunds of this deposit have been made in {there.currency}"
    refunded = row.refunded.minor_units + there.refunded + there.refund_reserved
    return "more has been refunded since than this row leaves" if refunded > row.money.minor_units else ""


def _store_all(good: CheckedRows, gateway: str, clock: Clock, *, checked: int) -> Iterator[ImportStep]:
    now, stored = clock.now(), 0
    for batch in good.batches(_BATCH):
        _store(batch, gateway, now)
        stored += len(batch)
        yield ImportStep(checked=checked, stored=stored)


def _store(batch: Sequence[CheckedRow], gateway: str, now: datetime) -> None:
    """Store a batch; try again if another process has created one of its deposits in the meantime."""
    for _ in range(_TRIES - 1):
        try:
            return in_transaction(lambda: _write(batch, gateway, now))
        except IntegrityError:
            continue
    return in_transaction(lambda: _write(batch, gateway, now))


def _write(batch: Sequence[CheckedRow], gateway: str, now: datetime) -> None:
    there = _deposits_there([row.parent_transaction_id for row in batch], gateway)
    new = (row for row in batch if row.parent_transaction_id not in there)
    MigratedDeposit.objects.bulk_create(row.deposit(gateway, now) for row in new)
    for row in batch:
        if row.parent_transaction_id in there:
            _complete(there[row.parent_transaction_id], row.deposit(gateway, now))


def _complete(there: MigratedDeposit, given: MigratedDeposit) -> None:
    """Complete a deposit that was known only by its refunds with the data of the file."""
    MigratedDeposit.objects.filter(pk=there.pk, is_known=False).update(
        is_known=True,
        amount_minor=given.amount_minor,
        refunded_before=given.refunded_before,
        transacted_at=given.transacted_at,
        transacted_at_text=given.transacted_at_text,
        provider_transaction_id=given.provider_transaction_id,
    )


def export_migration_file(*, gateway: str, is_live: bool = False) -> Iterator[str]:
    """Write the known deposits of one gateway as a migration file, line by line, header first.

    If it `is_live`, a refund that was a test gave nothing back.
    """
    rows = MigratedDeposit.objects.filter(gateway=gateway, is_known=True).order_by("pk")
    deposits = cast(Generator[MigratedDeposit], rows.iterator(chunk_size=_BATCH))
    # If a download breaks off, the cursor must be closed here: psycopg waits for its own lock for ever when
    # the garbage collector closes one in the middle of the thread's next statement.
    with closing(deposits):
        yield from write_rows(_row(deposit, is_live=is_live) for deposit in deposits)


def _row(deposit: MigratedDeposit, *, is_live: bool) -> MigrationRow:
    refunded = deposit.refunded_before + (0 if is_live and deposit.is_test else deposit.refunded)
    return MigrationRow.build(
        parent_transaction_id=deposit.parent_transaction_id,
        transaction_date_time=deposit.transacted_at_text,
        amount=Money.from_minor_units(deposit.amount_minor or 0, deposit.currency).to_wire(),
        currency=deposit.currency,
        refunded_amount=Money.from_minor_units(refunded, deposit.currency).to_wire(),
        provider_transaction_id=deposit.provider_transaction_id,
    )
