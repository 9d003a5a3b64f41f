"""The temporary file of an import, which keeps its rows out of memory."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from types import TracebackType
from typing import Self

from wallet_gateway.models import MigratedDeposit
from wallet_gateway.protocol.migration_file import MigrationRow
from wallet_gateway.protocol.money import parse_amount


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
