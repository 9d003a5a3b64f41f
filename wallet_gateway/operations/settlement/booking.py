"""Compute the counter changes of a transaction's state transition. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F

from wallet_gateway.domain.lifecycle import FINAL_STATES, PaymentType, TransactionKind, TransactionState
from wallet_gateway.domain.outcomes import Finding
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import GatewayTransaction, Payment

RESERVED = {
    TransactionKind.CAPTURE: "capture_reserved",
    TransactionKind.REFUND: "refund_reserved",
    TransactionKind.DETACHED_REFUND: "refund_reserved",
}
SETTLED = {
    TransactionKind.CAPTURE: "captured",
    TransactionKind.REFUND: "refunded",
    TransactionKind.DETACHED_REFUND: "refunded",
}
OPENING = frozenset({TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """The changes of a transition to the payment or deposit, and to the transaction itself."""

    changes: Mapping[str, int] = field(default_factory=dict)
    """Counter name to difference, in minor units."""
    reversal: Reversal | None = None
    transaction_columns_of: Mapping[str, Any] = field(default_factory=dict)

    def as_update(self) -> dict[str, Any]:
        """Return the columns for an UPDATE that adds to the row's current values."""
        columns: dict[str, Any] = {name: F(name) + delta for name, delta in self.changes.items()}
        if self.reversal is not None:
            columns["reversal"] = self.reversal
        return columns


NOTHING = Booking()


def book(
    transaction: GatewayTransaction, *, before: TransactionState, after: TransactionState, finding: Finding
) -> Booking:
    """Return the counter changes of a transition from one state to another."""
    if before == after:
        return NOTHING
    kind = TransactionKind(transaction.kind)
    if kind in OPENING:
        return _book_opening(transaction, after)
    if kind is TransactionKind.REVERSAL:
        return _book_reversal(transaction, after)
    return _book_amount(transaction, kind, after, finding)


def _book_opening(transaction: GatewayTransaction, after: TransactionState) -> Booking:
    payment = transaction.payment
    if after is not TransactionState.APPROVED or payment is None or payment.authorized:
        return NOTHING
    changes = {"authorized": transaction.amount_minor}
    if payment.type == PaymentType.SALE:
        changes["captured"] = transaction.amount_minor
    return Booking(changes=changes)


def _book_reversal(transaction: GatewayTransaction, after: TransactionState) -> Booking:
    released = {"holds_reservation": False}
    if after is TransactionState.APPROVED:
        # A reversal that contradicts our records, for example by a later capture, must still be storable.
        payment = transaction.payment
        untouched = payment is not None and payment.captured == payment.capture_reserved == 0
        return Booking(reversal=Reversal.DONE if untouched else None, transaction_columns_of=released)
    if after in FINAL_STATES and transaction.holds_reservation:
        return Booking(reversal=Reversal.NONE, transaction_columns_of=released)
    return NOTHING


def _book_amount(
    transaction: GatewayTransaction, kind: TransactionKind, after: TransactionState, finding: Finding
) -> Booking:
    if after not in FINAL_STATES:
        return NOTHING
    changes = {RESERVED[kind]: -transaction.amount_minor} if transaction.holds_reservation else {}
    # An approval that became an anomaly and was then accepted is already in the totals.
    if after is TransactionState.APPROVED and transaction.approved_minor is None:
        approved = finding.amount or transaction.amount_minor
        changes[SETTLED[kind]] = min(approved, _room(transaction, kind))
    return Booking(changes=changes, transaction_columns_of={"holds_reservation": False})


def _room(transaction: GatewayTransaction, kind: TransactionKind) -> int:
    """Return how much the counter may rise; an amount above leaves it at its limit and is a discrepancy."""
    own = transaction.amount_minor if transaction.holds_reservation else 0
    payment = transaction.payment
    if payment is None:
        return _room_of_deposit(transaction, own)
    if kind is TransactionKind.CAPTURE and payment.reversal != Reversal.NONE:
        return 0
    return _room_of_payment(payment, kind) + own


def _room_of_payment(payment: Payment, kind: TransactionKind) -> int:
    if kind is TransactionKind.CAPTURE:
        return max(payment.authorized - payment.captured - payment.capture_reserved, 0)
    return max(payment.captured - payment.refunded - payment.refund_reserved, 0)


def _room_of_deposit(transaction: GatewayTransaction, own: int) -> int:
    deposit = transaction.deposit
    if deposit is None or deposit.amount_minor is None:
        return transaction.amount_minor
    before = deposit.refunded_before + deposit.refunded + deposit.refund_reserved
    return max(deposit.amount_minor - before, 0) + own
