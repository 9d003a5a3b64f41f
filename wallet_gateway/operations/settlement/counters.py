"""Write a transition's counters of the payment or deposit, and the states derived from them.

Locks are taken in the same sequence everywhere: order, payment, transaction. A changed order version shows a
writer that another process has settled something in the meantime.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.lifecycle import (
    FINAL_STATES,
    OPENING_KINDS,
    OrderState,
    PaymentState,
    PaymentType,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.outcomes import Finding
from wallet_gateway.domain.totals import PaymentSnapshot, Reversal, order_state, payment_state
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.models.settlement_writes import RowChange, SettlementRows, write_settlement
from wallet_gateway.models.single_rows import update_row

T = TypeVar("T")
_TRIES = 5


class VersionConflict(Exception):
    """Another process has settled something in between; nothing was written; read the rows again."""


def retry_conflicts(work: Callable[[], T]) -> T:
    """Run `work` again a few times while other processes settle the same rows; it reads them in each run."""
    for _ in range(_TRIES):
        with suppress(VersionConflict):
            return work()
    return work()


def write_totals(
    transaction: GatewayTransaction, booking: Booking, *, after: TransactionState, freeze: bool, now: datetime
) -> None:
    """Add a booking to a transaction's payment or deposit, and derive the states again.

    Raises `VersionConflict` if another process has settled something of the same order.
    """
    if not write_settlement(changed_totals(transaction, booking, after=after, freeze=freeze, now=now)):
        raise VersionConflict


def changed_totals(
    transaction: GatewayTransaction, booking: Booking, *, after: TransactionState, freeze: bool, now: datetime
) -> SettlementRows:
    """Add a booking to the payment in memory; return the changes of the order, payment or deposit."""
    if transaction.deposit_id is not None:
        return SettlementRows(deposit=_change_of_deposit(transaction.deposit_id, booking, freeze=freeze))
    payment = transaction.payment
    assert payment is not None  # noqa: S101 - the database holds that one of the two parents is there
    seen = (payment.state, payment.is_frozen)
    _apply(payment, transaction, booking, opening=_opening_state(transaction, payment, after), freeze=freeze)
    unchanged = (
        not booking.changes and booking.reversal is None and seen == (payment.state, payment.is_frozen)
    )
    # A concurrent release of the freeze must see a further reason to freeze, so write the order then.
    if unchanged and not freeze:
        return SettlementRows()
    columns = {"state": payment.state, "is_frozen": payment.is_frozen, **booking.columns}
    return SettlementRows(
        order=_change_of_order(payment, now),
        payment=RowChange(where={"id": payment.pk}, columns=columns, added=booking.changes),
    )


def _change_of_deposit(deposit: int, booking: Booking, *, freeze: bool) -> RowChange:
    columns = booking.columns | ({"is_frozen": True} if freeze else {})
    return RowChange(where={"id": deposit}, columns=columns, added=booking.changes)


def _opening_state(
    transaction: GatewayTransaction, payment: Payment, after: TransactionState
) -> TransactionState:
    if transaction.reference == payment.reference:
        return after
    # Once there are follow-up transactions, the opening transaction was approved.
    return TransactionState.APPROVED


def _apply(
    payment: Payment,
    transaction: GatewayTransaction,
    booking: Booking,
    *,
    opening: TransactionState,
    freeze: bool,
) -> None:
    for column, delta in booking.changes.items():
        setattr(payment, column, getattr(payment, column) + delta)
    if booking.reversal is not None:
        payment.reversal = booking.reversal
    payment.is_frozen = payment.is_frozen or freeze
    payment.state = payment_state(payment.totals, opening, TransactionKind(transaction.kind))


def write_order(payment: Payment, now: datetime) -> None:
    """Write the order's state, derived from its payments, this one as in memory. Raises `VersionConflict`."""
    change = _change_of_order(payment, now)
    if not update_row(PaymentOrder, where=change.where, columns=change.columns):
        raise VersionConflict


def _change_of_order(payment: Payment, now: datetime) -> RowChange:
    """Derive the order's state in memory from its payments, this one as in memory; return its change."""
    order = payment.order
    seen = order.version
    order.state = state_of(order, _standings(order, payment))
    order.version, order.updated_at, order.known_payments = seen + 1, now, None
    columns: dict[str, Any] = {"state": order.state, "version": seen + 1, "updated_at": now}
    if order.has_end:
        # The sweep looks at the order again: this change may release it, or leave it to its end.
        order.release_check_at = now
        columns |= {"release_check_at": now, "late_payment": order.late_payment}
    return RowChange(where={"id": order.pk, "version": seen}, columns=columns)


def state_of(order: PaymentOrder, payments: Sequence[PaymentSnapshot]) -> OrderState:
    """Return the state of an order, as its columns and its payments have it."""
    return order_state(
        order.amount_minor,
        payments,
        is_cancelled=order.is_cancelled,
        late_payment=LatePayment(order.late_payment),
    )


def _standings(order: PaymentOrder, changed: Payment) -> Sequence[PaymentSnapshot]:
    known = order.known_payments
    # Payments read at another version of the order are stale.
    others = known.payments if known and known.version == order.version else list(order.payments.all())
    payments = sorted((changed, *(p for p in others if p.pk != changed.pk)), key=lambda p: p.number)
    return snapshots_of(payments)


def snapshots_of(payments: Iterable[Payment]) -> Sequence[PaymentSnapshot]:
    """Return what an order's state depends on, of its payments in the order of their numbers."""
    return [PaymentSnapshot(state=PaymentState(p.state), totals=p.totals) for p in payments]


# Which counters a transition changes


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """The changes of a transition to the payment or deposit, and to the transaction itself."""

    changes: Mapping[str, int] = field(default_factory=dict)
    """Counter name to difference, in minor units."""
    reversal: Reversal | None = None
    transaction_columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def excess(self) -> int:
        """The approved amount above the limit, which no counter contains."""
        return int(self.transaction_columns.get("excess_minor", 0))

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the payment or deposit that do not depend on their current values."""
        return {} if self.reversal is None else {"reversal": self.reversal}


NOTHING = Booking()


def book(
    transaction: GatewayTransaction, *, before: TransactionState, after: TransactionState, finding: Finding
) -> Booking:
    """Return the counter changes of a transition from one state to another."""
    if before == after:
        return NOTHING
    kind = TransactionKind(transaction.kind)
    if kind in OPENING_KINDS:
        return _book_opening(transaction, after)
    if kind is TransactionKind.REVERSAL:
        return _book_reversal(transaction, after)
    return _book_amount(transaction, kind, after, finding)


def _book_opening(transaction: GatewayTransaction, after: TransactionState) -> Booking:
    payment = transaction.payment
    assert payment is not None  # noqa: S101 - what opens a payment belongs to it
    if after is not TransactionState.APPROVED or payment.authorized:
        return NOTHING
    changes = {"authorized": transaction.amount_minor}
    if payment.type == PaymentType.SALE:
        changes["captured"] = transaction.amount_minor
    return Booking(changes=changes)


def _book_reversal(transaction: GatewayTransaction, after: TransactionState) -> Booking:
    released = {"holds_reservation": False}
    if after is TransactionState.APPROVED and transaction.approved_minor is not None:
        # An approval that became an anomaly and was then accepted is already in the totals.
        return Booking(transaction_columns=released)
    if after is TransactionState.APPROVED:
        # A reversal that contradicts our records, for example by a later capture, must still be storable.
        payment = transaction.payment
        assert payment is not None  # noqa: S101 - an authorization that is reversed is a payment's
        is_untouched = payment.captured == payment.capture_reserved == 0
        if is_untouched and payment.reversal != Reversal.DONE:
            return Booking(reversal=Reversal.DONE, transaction_columns=released)
        return Booking(transaction_columns=released | {"excess_minor": transaction.amount_minor})
    if after in FINAL_STATES and transaction.holds_reservation:
        return Booking(reversal=Reversal.NONE, transaction_columns=released)
    return NOTHING


def _book_amount(
    transaction: GatewayTransaction, kind: TransactionKind, after: TransactionState, finding: Finding
) -> Booking:
    if after not in FINAL_STATES:
        return NOTHING
    changes = {RESERVED[kind]: -transaction.amount_minor} if transaction.holds_reservation else {}
    columns: dict[str, Any] = {"holds_reservation": False}
    before, approved = transaction.approved_minor, finding.amount or transaction.amount_minor
    # An approval that became an anomaly and was then accepted is already in the totals, unless a person books
    # the amount that the gateway reports now.
    if after is TransactionState.APPROVED and (before is None or finding.amount not in {None, before}):
        counted = (before or 0) - transaction.excess_minor
        booked = min(approved, _room(transaction, kind) + counted)
        changes[SETTLED[kind]] = booked - counted
        columns["excess_minor"] = approved - booked
    return Booking(changes=changes, transaction_columns=columns)


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
    assert deposit is not None  # noqa: S101 - the database holds that one of the two parents is there
    if deposit.amount_minor is None:
        return transaction.amount_minor
    before = deposit.refunded_before + deposit.refunded + deposit.refund_reserved
    return max(deposit.amount_minor - before, 0) + own
