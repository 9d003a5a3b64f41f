"""The migration file: which earlier payments may be refunded, read into rows and written out again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from wallet_gateway.models import MigratedDeposit
from wallet_gateway.operations._transactions import in_transaction
from wallet_gateway.operations.context import Clock
from wallet_gateway.protocol.migration_file import MigrationRow, RowError, read_rows, write_rows
from wallet_gateway.protocol.money import Money

_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of a migration file."""

    accepted: int
    rejected: tuple[RowError, ...]
    stored: bool


def import_migration_file(
    lines: Iterable[str], *, gateway: str, clock: Clock, keep_good: bool = False, dry_run: bool = False
) -> ImportReport:
    """Store the deposits of a migration file; every bad row is reported by its line and reason.

    With a bad row nothing is stored, unless `keep_good` says that the good rows are wanted all the same.
    """
    good: list[MigrationRow] = []
    bad: list[RowError] = []
    for batch in _batches(read_rows(lines)):
        known = _known_ids([row for _, row in batch if isinstance(row, MigrationRow)], gateway)
        for line, row in batch:
            if isinstance(row, RowError):
                bad.append(row)
            elif row.parent_transaction_id in known:
                bad.append(RowError(line=line, reason="this parentTransactionId is known already"))
            else:
                good.append(row)
    stored = not dry_run and (keep_good or not bad)
    if stored:
        in_transaction(lambda: _store(good, gateway, clock))
    return ImportReport(accepted=len(good), rejected=tuple(bad), stored=stored)


def _batches(
    rows: Iterable[MigrationRow | RowError],
) -> Iterator[list[tuple[int, MigrationRow | RowError]]]:
    # The header is line 1.
    numbered = enumerate(rows, start=2)
    while batch := list(islice(numbered, _BATCH)):
        yield batch


def _known_ids(rows: Iterable[MigrationRow], gateway: str) -> set[str]:
    ids = [row.parent_transaction_id for row in rows]
    known = MigratedDeposit.objects.filter(gateway=gateway, known=True, parent_transaction_id__in=ids)
    return set(known.values_list("parent_transaction_id", flat=True))


def _store(rows: Iterable[MigrationRow], gateway: str, clock: Clock) -> None:
    now = clock.now()
    iterator = iter(rows)
    while batch := list(islice(iterator, _BATCH)):
        MigratedDeposit.objects.bulk_create(_deposit(row, gateway, now) for row in batch)


def _deposit(row: MigrationRow, gateway: str, now: datetime) -> MigratedDeposit:
    return MigratedDeposit(
        gateway=gateway,
        parent_transaction_id=row.parent_transaction_id,
        currency=row.currency,
        known=True,
        amount_minor=Money.parse(row.amount, row.currency).minor_units,
        refunded_before=Money.parse(row.refunded_amount, row.currency, allow_zero=True).minor_units,
        transacted_at=row.transacted_at,
        transacted_at_text=row.transaction_date_time,
        provider_transaction_id=row.provider_transaction_id or "",
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
