"""What an import keeps on disk comes back as it was put there."""

from __future__ import annotations

from datetime import UTC, datetime

from wallet_gateway.operations.migration.spool import CheckedRows
from wallet_gateway.protocol.migration_file import MigrationRow

NOW = datetime(2026, 2, 1, tzinfo=UTC)


def row(parent: str, amount: str = "49.90") -> MigrationRow:
    return MigrationRow.build(
        parent_transaction_id=parent,
        transaction_date_time="2026-01-15T10:30:00.1234567",
        amount=amount,
        currency="EUR",
        refunded_amount="9.90",
        provider_transaction_id="PRV-1",
    )


def test_rows_come_back_in_order_and_in_batches() -> None:
    with CheckedRows() as rows:
        for number in range(5):
            rows.keep(row(f"OLD-{number}"))
        found = [[each.parent_transaction_id for each in batch] for batch in rows.batches(2)]
        assert rows.count == 5
    assert found == [["OLD-0", "OLD-1"], ["OLD-2", "OLD-3"], ["OLD-4"]]


def test_a_row_becomes_the_deposit_that_its_file_describes() -> None:
    with CheckedRows() as rows:
        rows.keep(row("OLD-1", "1234.50"))
        ((checked,),) = rows.batches(10)
    deposit = checked.deposit("second", NOW)
    assert (deposit.gateway, deposit.is_known, deposit.created_at) == ("second", True, NOW)
    assert (deposit.amount_minor, deposit.refunded_before) == (123450, 990)
    assert deposit.transacted_at == datetime(2026, 1, 15, 10, 30, 0, 123456, tzinfo=UTC)
    assert deposit.transacted_at_text == "2026-01-15T10:30:00.1234567"
    assert deposit.provider_transaction_id == "PRV-1"
