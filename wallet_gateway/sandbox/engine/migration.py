"""Taking in a migration file: the deposits of an earlier provider that detached refunds may draw on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wallet_gateway.protocol.migration_file import MigrationRow, RowError, read_rows
from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.engine.records import refunded_of
from wallet_gateway.sandbox.models import Deposit
from wallet_gateway.sandbox.write_lock import one_writer


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """How many rows were taken in, and which were not."""

    accepted: int
    rejected: tuple[RowError, ...]


def import_migration_file(lines: Iterable[bytes], *, merchant_id: str, keep_good: bool) -> ImportReport:
    """Take in a merchant's file: as a whole, or with ``keep_good`` the good rows beside bad ones.

    A deposit known from an earlier file is brought up to date, unless more was refunded here than it then
    allows.
    """
    counted = _Counted(lines)
    good: list[Deposit] = []
    rejected: list[RowError] = []
    with one_writer():
        for row in read_rows(counted):
            result = row if isinstance(row, RowError) else _deposit(row, merchant_id, line=counted.line)
            if isinstance(result, RowError):
                rejected.append(result)
            else:
                good.append(result)
        if rejected and not keep_good:
            good = []
        for deposit in good:
            deposit.save()
    return ImportReport(accepted=len(good), rejected=tuple(rejected))


class _Counted:
    """Counts the lines that were read, since a good row does not say which it is."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = lines
        self.line = 0

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self.line += 1
            yield line


def _deposit(row: MigrationRow, merchant_id: str, *, line: int) -> Deposit | RowError:
    parent = row.parent_transaction_id
    known = Deposit.objects.filter(merchant_id=merchant_id, parent_transaction_id=parent).first()
    deposit = known or Deposit(merchant_id=merchant_id, parent_transaction_id=parent)
    if known is not None and known.currency != row.currency:
        return RowError(line, f"{quote(parent)} is known in {known.currency} already")
    deposit.provider_transaction_id = row.provider_transaction_id
    deposit.paid_at = row.transacted_at
    deposit.amount_minor = row.money.minor_units
    deposit.currency = row.currency
    deposit.refunded_before_minor = row.refunded.minor_units
    if known is not None and refunded_of(deposit) > deposit.amount_minor:
        return RowError(line, f"more than {row.money} of {quote(parent)} was refunded here already")
    return deposit
