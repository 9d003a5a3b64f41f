"""Which counters a move of an intent changes. Computes; writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F

from wallet_gateway.domain.lifecycle import FINAL_STATES, IntentState, PaymentType, TransactionKind
from wallet_gateway.domain.outcomes import Finding
from wallet_gateway.domain.standing import Reversal
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
    """What a move changes on the payment or deposit, and on the intent itself."""

    changes: Mapping[str, int] = field(default_factory=dict)
    """Counter to difference, in minor units."""
    reversal: Reversal | None = None
    intent_columns: Mapping[str, Any] = field(default_factory=dict)

    def as_update(self) -> dict[str, Any]:
        """Return the columns for an UPDATE that adds to whatever stands in the row."""
        columns: dict[str, Any] = {name: F(name) + delta for name, delta in self.changes.items()}
        if self.reversal is not None:
            columns["reversal"] = self.reversal
        return columns


NOTHING = Booking()


def book(intent: GatewayTransaction, *, before: IntentState, after: IntentState, finding: Finding) -> Booking:
    """Say what counters change when an intent moves from one state to another."""
    if before == after:
        return NOTHING
    kind = TransactionKind(intent.kind)
    if kind in OPENING:
        return _book_opening(intent, after)
    if kind is TransactionKind.REVERSAL:
        return _book_reversal(intent, after)
    return _book_amount(intent, kind, after, finding)


def _book_opening(intent: GatewayTransaction, after: IntentState) -> Booking:
    payment = intent.payment
    if after is not IntentState.APPROVED or payment is None or payment.authorised:
        return NOTHING
    changes = {"authorised": intent.amount_minor}
    if payment.type == PaymentType.SALE:
        changes["captured"] = intent.amount_minor
    return Booking(changes=changes)


def _book_reversal(intent: GatewayTransaction, after: IntentState) -> Booking:
    released = {"holds_reservation": False}
    if after is IntentState.APPROVED:
        # A fact that our books contradict, such as a capture begun since, must not become unstorable.
        payment = intent.payment
        untouched = payment is not None and payment.captured == payment.capture_reserved == 0
        return Booking(reversal=Reversal.DONE if untouched else None, intent_columns=released)
    if after in FINAL_STATES and intent.holds_reservation:
        return Booking(reversal=Reversal.NONE, intent_columns=released)
    return NOTHING


def _book_amount(
    intent: GatewayTransaction, kind: TransactionKind, after: IntentState, finding: Finding
) -> Booking:
    if after not in FINAL_STATES:
        return NOTHING
    changes = {RESERVED[kind]: -intent.amount_minor} if intent.holds_reservation else {}
    # An approval that became an anomaly and was then accepted stands in the books already.
    if after is IntentState.APPROVED and intent.approved_minor is None:
        approved = finding.amount or intent.amount_minor
        changes[SETTLED[kind]] = min(approved, _room(intent, kind))
    return Booking(changes=changes, intent_columns={"holds_reservation": False})


def _room(intent: GatewayTransaction, kind: TransactionKind) -> int:
    """Return how far the counter may rise: a fact above that leaves it at its bound, and is a discrepancy."""
    own = intent.amount_minor if intent.holds_reservation else 0
    payment = intent.payment
    if payment is None:
        return _room_of_deposit(intent, own)
    if kind is TransactionKind.CAPTURE and payment.reversal != Reversal.NONE:
        return 0
    return _room_of_payment(payment, kind) + own


def _room_of_payment(payment: Payment, kind: TransactionKind) -> int:
    if kind is TransactionKind.CAPTURE:
        return max(payment.authorised - payment.captured - payment.capture_reserved, 0)
    return max(payment.captured - payment.refunded - payment.refund_reserved, 0)


def _room_of_deposit(intent: GatewayTransaction, own: int) -> int:
    deposit = intent.deposit
    if deposit is None or deposit.amount_minor is None:
        return intent.amount_minor
    before = deposit.refunded_before + deposit.refunded + deposit.refund_reserved
    return max(deposit.amount_minor - before, 0) + own
