"""Import and export the migration file, which lists the earlier payments that may be refunded."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from types import TracebackType
from typing import Self, cast

from django.db import IntegrityError

from wallet_gateway import gateways
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.ledger.transactions import check_outside_transaction, in_transaction
from wallet_gateway.models import MigratedDeposit
from wallet_gateway.payments.inputs import check_several
from wallet_gateway.protocol.migration_file import MigrationRow, RowError, read_rows, write_rows
from wallet_gateway.protocol.money import Money, parse_amount

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


@sensitive_variables()
def import_migration_file(
    lines: Iterable[str | bytes], *, gateway: str = "default", keep_good: bool = False, dry_run: bool = False
) -> ImportReport:
    """Store the deposits of a migration file; with a bad row nothing is stored, unless `keep_good`.

    :param lines: the lines of the file, such as `open(path, "rb")`.
    :param gateway: alias of the gateway through which they are refunded.
    :param keep_good: store the good rows of a file with bad ones.
    :param dry_run: check the file and store nothing.
    :returns: how many rows are good, and the bad ones by line and reason.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.import_migration_file")
    steps = import_in_steps(lines, gateway=gateway, keep_good=keep_good, dry_run=dry_run)
    try:
        while True:
            next(steps)
    except StopIteration as end:
        report: ImportReport = end.value
        return report


@sensitive_variables()
def import_in_steps(
    lines: Iterable[str | bytes], *, gateway: str = "default", keep_good: bool = False, dry_run: bool = False
) -> Generator[ImportStep, None, ImportReport]:
    """Import as `import_migration_file` does, and yield the progress after each batch of rows.

    Each batch is committed separately. An interrupted import is completed with `keep_good`: the rows that it
    has stored are reported as known.

    :param lines: the lines of the file, such as `open(path, "rb")`.
    :param gateway: alias of the gateway through which they are refunded.
    :param keep_good: store the good rows of a file with bad ones.
    :param dry_run: check the file and store nothing.
    :returns: a generator of steps, whose value at the end is the report.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.maintenance.import_in_steps")
    check_several("lines", lines)
    return _import(lines, gateway, keep_good=keep_good, dry_run=dry_run)


def _import(
    lines: Iterable[str | bytes], gateway: str, *, keep_good: bool, dry_run: bool
) -> Generator[ImportStep, None, ImportReport]:
    """Check the whole file before anything is stored, and then commit each batch separately."""
    with CheckedRows() as good:
        rejected: list[RowError] = []
        rejected_in_all = 0
        rows = read_rows(lines)
        while batch := list(islice(rows, _BATCH)):
            ids = [row.parent_transaction_id for _, row in batch if isinstance(row, MigrationRow)]
            there = _deposits_there(ids, gateway)
            bad: list[RowError] = []
            for line, row in batch:
                if isinstance(row, str):
                    bad.append(RowError(line=line, reason=row))
                elif reason := _why_not(row, there.get(row.parent_transaction_id)):
                    bad.append(RowError(line=line, reason=reason))
                else:
                    good.keep(row)
            rejected += bad[: MAX_REPORTED - len(rejected)]
            rejected_in_all += len(bad)
            yield ImportStep(checked=good.count + rejected_in_all, stored=0, bad=tuple(bad))
        wanted = not dry_run and (keep_good or not rejected_in_all)
        if wanted:
            now, stored = gateways.clock().now(), 0
            for kept in good.batches(_BATCH):
                _store(kept, gateway, now)
                stored += len(kept)
                yield ImportStep(checked=good.count + rejected_in_all, stored=stored)
        return ImportReport(
            accepted=good.count,
            rejected=tuple(rejected),
            stored=wanted,
            rejected_in_all=rejected_in_all,
        )


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
            # It was known only by its refunds: the file completes it.
            given, known = row.deposit(gateway, now), there[row.parent_transaction_id]
            MigratedDeposit.objects.filter(pk=known.pk, is_known=False).update(
                is_known=True,
                amount_minor=given.amount_minor,
                refunded_before=given.refunded_before,
                transacted_at=given.transacted_at,
                transacted_at_text=given.transacted_at_text,
                provider_transaction_id=given.provider_transaction_id,
            )


# The good rows of a file, kept on disk between check and storage


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """The stored values of a valid row."""

    parent_transaction_id: str
    currency: str
    amount_minor: int
    refunded_before: int
    transacted_at_text: str
    transacted_at: str
    """In ISO 8601, because it is stored as JSON."""
    provider_transaction_id: str

    @classmethod
    def of(cls, row: MigrationRow) -> Self:
        """Return the values of a file's row."""
        return cls(
            row.parent_transaction_id,
            row.currency,
            parse_amount(row.amount, row.currency),
            parse_amount(row.refunded_amount, row.currency, allow_zero=True),
            row.transaction_date_time,
            row.transacted_at.isoformat(),
            row.provider_transaction_id,
        )

    def deposit(self, gateway: str, now: datetime) -> MigratedDeposit:
        """Return the unsaved database row with these values."""
        return MigratedDeposit(
            gateway=gateway,
            parent_transaction_id=self.parent_transaction_id,
            currency=self.currency,
            is_known=True,
            amount_minor=self.amount_minor,
            refunded_before=self.refunded_before,
            transacted_at=datetime.fromisoformat(self.transacted_at),
            transacted_at_text=self.transacted_at_text,
            provider_transaction_id=self.provider_transaction_id,
            created_at=now,
        )


class CheckedRows:
    """The good rows of a file, kept on disk between check and storage."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed by __exit__
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def keep(self, row: MigrationRow) -> None:
        """Append a row to the temporary file."""
        checked = CheckedRow.of(row)
        self._file.write(json.dumps([getattr(checked, name) for name in CheckedRow.__slots__]) + "\n")
        self.count += 1

    def batches(self, size: int) -> Iterator[list[CheckedRow]]:
        """Yield the rows in the order of the file, `size` at a time."""
        self._file.seek(0)
        while lines := list(islice(self._file, size)):
            yield [CheckedRow(*json.loads(line)) for line in lines]


@sensitive_variables()
def export_migration_file(*, gateway: str = "default") -> Iterator[str]:
    """Return the known deposits of a gateway as the lines of a migration file.

    :param gateway: its alias: `"default"`.
    :returns: the lines with their line ends, for `file.writelines`; rows are read while it runs.
    """
    # To a live gateway a refund that was a test gave nothing back.
    return _lines(gateway, is_live=not gateways.is_test(gateway))


def _lines(gateway: str, *, is_live: bool) -> Iterator[str]:
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
