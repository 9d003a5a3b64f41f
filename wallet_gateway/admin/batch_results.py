"""What the page of a running or ended batch says of one row: its order or deposit, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse

from wallet_gateway.admin.pages import sentence_of
from wallet_gateway.models import GatewayTransaction, OperationBatchRow
from wallet_gateway.protocol.faults import REFUND_AMOUNT_EXCEEDED, RefundLimit, read_refund_amount_exceeded
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import visible


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """One row, in words that are fit to be shown."""

    row: OperationBatchRow

    @property
    def name(self) -> str:
        """What the row is about, as people know it."""
        return visible(self.row.subject)

    @property
    def url(self) -> str:
        """The page of the row's order or deposit."""
        subject = self.row.subject
        return reverse(f"admin:wallet_gateway_{subject._meta.model_name}_change", args=[subject.pk])

    @property
    def amount(self) -> Money | None:
        """How much is asked for; None where nothing can be."""
        row = self.row
        return row.amount if row.amount_minor else None

    @property
    def sentence(self) -> str:
        """What came of it; how it stands where nothing has yet."""
        row = self.row
        told = row.result if row.transaction is None else sentence_of(row.transaction)
        return told or str(row.get_state_display())

    @property
    def shortfall(self) -> bool:
        """Whether less was approved than was asked for."""
        transaction = self.row.transaction
        approved = transaction.approved_amount if transaction is not None else None
        return approved is not None and approved != self.row.amount

    @property
    def limit(self) -> RefundLimit | None:
        """The four amounts, where the gateway has refused more than is left."""
        return None if self.row.transaction is None else limit_of(self.row.transaction)


def limit_of(transaction: GatewayTransaction) -> RefundLimit | None:
    """Find the four amounts in what the gateway said of a refused refund."""
    start = transaction.detail.find(REFUND_AMOUNT_EXCEEDED)
    return None if start < 0 else read_refund_amount_exceeded(transaction.detail[start:])
