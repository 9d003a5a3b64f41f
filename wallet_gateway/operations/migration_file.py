"""The migration file: which earlier payments may be refunded, read into rows and written out again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.views.decorators.debug import sensitive_variables

from wallet_gateway.models import MigratedDeposit
from wallet_gateway.operations._transactions import in_transaction
from wallet_gateway.operations.context import Clock
from wallet_gateway.protocol.migration_file import MigrationRow, RowError, read_rows, write_rows
from wallet_gateway.protocol.money import Money

_BATCH = 500
_LONGEST_ID = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of a migration file."""

    accepted: int
    rejected: tuple[RowError, ...]
    stored: bool


@sensitive_variables()
def import_migration_file(
    lines: Iterable[str | bytes],
    *,
    gateway: str,
    clock: Clock,
    keep_good: bool = False,
    dry_run: bool = False,
) -> ImportReport:
    """Store the deposits of a migration file; every bad row is reported by its line and reason.

    Give the file opened as binary. With a bad row nothing is stored, unless `keep_good` says that the good
    rows are wanted all the same. A deposit that was refunded before its file came is completed by its row.
    """
    good: list[MigrationRow] = []
    bad: list[RowError] = []
    for batch in _batches(lines):
        there = _deposits_there([row for _, row in batch if isinstance(row, MigrationRow)], gateway)
        for line, row in batch:
            if isinstance(row, RowError):
                bad.append(row)
            elif reason := _why_not(row, there.get(row.parent_transaction_id)):
                bad.append(RowError(line=line, reason=reason))
            else:
                good.append(row)
    stored = not dry_run and (keep_good or not bad)
    if stored:
        in_transaction(lambda: _store(good, gateway, clock))
    return ImportReport(accepted=len(good), rejected=tuple(bad), stored=stored)


def _batches(lines: Iterable[str | bytes]) -> Iterator[list[tuple[int, MigrationRow | RowError]]]:
    numbered = _numbered(lines)
    while batch := list(islice(numbered, _BATCH)):
        yield batch


def _numbered(lines: Iterable[str | bytes]) -> Iterator[tuple[int, MigrationRow | RowError]]:
    """Pair each row with the line of the file it ends on: blank lines are no rows, cells may span lines."""
    counted = _Counted(lines)
    for row in read_rows(counted):
        yield counted.read, row


class _Counted:
    """Lines, and how many of them were read. No generator: one line that cannot be read would end it."""

    def __init__(self, lines: Iterable[str | bytes]) -> None:
        self._lines = iter(lines)
        self.read = 0

    def __iter__(self) -> Iterator[str | bytes]:
        return self

    def __next__(self) -> str | bytes:
        line = next(self._lines)
        self.read += 1
        return line


def _deposits_there(rows: Iterable[MigrationRow], gateway: str) -> dict[str, MigratedDeposit]:
    ids = [row.parent_transaction_id for row in rows]
    there = MigratedDeposit.objects.filter(gateway=gateway, parent_transaction_id__in=ids)
    return {deposit.parent_transaction_id: deposit for deposit in there}


def _why_not(row: MigrationRow, there: MigratedDeposit | None) -> str:
    """Say why a row cannot be stored; empty when it can."""
    if max(len(row.parent_transaction_id), len(row.provider_transaction_id)) > _LONGEST_ID:
        return f"an identifier has more than {_LONGEST_ID} characters"
    if there is None:
        return ""
    if there.known:
        return "this parentTransactionId is known already"
    if there.currency != row.currency:
        return f"refunds of this deposit have been made in {there.currency}"
    refunded = row.refunded.minor_units + there.refunded + there.refund_reserved
    return "more has been refunded since than this row leaves" if refunded > row.money.minor_units else ""


def _store(rows: Iterable[MigrationRow], gateway: str, clock: Clock) -> None:
    now = clock.now()
    iterator = iter(rows)
    while batch := list(islice(iterator, _BATCH)):
        there = _deposits_there(batch, gateway)
        new = [row for row in batch if row.parent_transaction_id not in there]
        MigratedDeposit.objects.bulk_create(_deposit(row, gateway, now) for row in new)
        for row in batch:
            if row.parent_transaction_id in there:
                _complete(there[row.parent_transaction_id], _deposit(row, gateway, now))


def _complete(there: MigratedDeposit, told: MigratedDeposit) -> None:
    """Add what a file tells of a deposit that was known by its refunds only."""
    MigratedDeposit.objects.filter(pk=there.pk, known=False).update(
        known=True,
        amount_minor=told.amount_minor,
        refunded_before=told.refunded_before,
        transacted_at=told.transacted_at,
        transacted_at_text=told.transacted_at_text,
        provider_transaction_id=told.provider_transaction_id,
    )


def _deposit(row: MigrationRow, gateway: str, now: datetime) -> MigratedDeposit:
    return MigratedDeposit(
        gateway=gateway,
        parent_transaction_id=row.parent_transaction_id,
        currency=row.currency,
        known=True,
        amount_minor=row.money.minor_units,
        refunded_before=row.refunded.minor_units,
        transacted_at=row.transacted_at,
        transacted_at_text=row.transaction_date_time,
        provider_transaction_id=row.provider_transaction_id,
        created_at=now,
    )


def export_migration_file(*, gateway: str) -> Iterator[str]:
    """Write the known deposits of one gateway as a migration file, line by line, header first."""
    rows = MigratedDeposit.objects.filter(gateway=gateway, known=True).order_by("pk")
    return write_rows(_row(deposit) for deposit in rows.iterator(chunk_size=_BATCH))


def _row(deposit: MigratedDeposit) -> MigrationRow:
    refunded = deposit.refunded_before + deposit.refunded
    return MigrationRow.build(
        parent_transaction_id=deposit.parent_transaction_id,
        transaction_date_time=deposit.transacted_at_text,
        amount=Money.from_minor_units(deposit.amount_minor or 0, deposit.currency).to_wire(),
        currency=deposit.currency,
        refunded_amount=Money.from_minor_units(refunded, deposit.currency).to_wire(),
        provider_transaction_id=deposit.provider_transaction_id,
    )
