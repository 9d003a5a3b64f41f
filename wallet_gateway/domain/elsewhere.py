"""Operations made elsewhere, for example in the provider's portal: which of them can be booked.

A record of such an operation is one that none of our transactions requested: see `evidence`.
Captures, refunds and reversals can be booked. A sale or an authorization belongs to none of our payments, and
a type that the interface does not name has no rule: these are left to a person.
"""

from __future__ import annotations

from dataclasses import dataclass

from wallet_gateway.domain.error_codes import BOOKING_OUTSTANDING, NOT_BOOKABLE, Refusal
from wallet_gateway.domain.evidence import KINDS, LONGEST_RECORD_ID, is_placeholder, minor_units, provider_id
from wallet_gateway.domain.states import PaymentTotals, Reversal, TransactionKind
from wallet_gateway.protocol.status import StatusRecord
from wallet_gateway.protocol.text import storable


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationElsewhere:
    """A capture, refund or reversal that the gateway reports and we did not request."""

    kind: TransactionKind
    amount: int
    """Minor units of the payment's currency."""
    record_id: str
    provider_transaction_id: str = ""

    @property
    def can_be_known_again(self) -> bool:
        """Whether it moved something, under an id by which no second booking can have it."""
        is_unusable = is_placeholder(self.record_id) or len(self.record_id) > LONGEST_RECORD_ID
        return self.amount > 0 and not is_unusable


def operation_of(record: StatusRecord, *, currency: str) -> OperationElsewhere | None:
    """Return the operation on a payment in this currency; None if no rule says how to book the record."""
    kind, amount = KINDS.get(record.type.lower()), minor_units(record)
    if kind is None or amount is None or record.currency_code != currency:
        return None
    found = OperationElsewhere(
        kind=kind,
        amount=amount,
        record_id=storable(record.id),
        provider_transaction_id=provider_id(record),
    )
    return found if found.can_be_known_again else None


def booking_order(record: StatusRecord) -> int:
    """Return the place of a record among those to book: captures, then refunds, then all others."""
    kinds = (TransactionKind.CAPTURE, TransactionKind.REFUND)
    kind = KINDS.get(record.type.lower())
    return kinds.index(kind) if kind in kinds else len(kinds)


def refusal_to_book(operation: OperationElsewhere | None, totals: PaymentTotals) -> Refusal | None:
    """Return why an operation cannot be booked now; None if it can.

    While an amount is reserved, it is not known how much the limits leave: our own operation has to end
    first.
    """
    if operation is None or totals.authorized == 0:
        return NOT_BOOKABLE
    if operation.kind is TransactionKind.REVERSAL and operation.amount != totals.authorized:
        return NOT_BOOKABLE
    if totals.capture_reserved or totals.refund_reserved or totals.reversal is Reversal.RESERVED:
        return BOOKING_OUTSTANDING
    return None
