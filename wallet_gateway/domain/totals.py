"""Derive the state of a payment and of an order from their totals; a state is never set by hand.

Amounts are minor units of one currency. No rows here: `PaymentTotals` has the values of one payment's row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionKind, TransactionState
from wallet_gateway.domain.stored_values import StoredEnum


class Reversal(StoredEnum):
    """Whether a pre-authorization is being reversed, or has been reversed."""

    NONE = "none"
    RESERVED = "reserved"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentTotals:
    """The counters of one payment, in minor units, and whether a person must look at it."""

    amount: int
    authorized: int = 0
    captured: int = 0
    refunded: int = 0
    capture_reserved: int = 0
    refund_reserved: int = 0
    reversal: Reversal = Reversal.NONE
    is_frozen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderTotals:
    """The totals of an order's payments, in minor units."""

    authorized: int
    captured: int
    refunded: int
    reserved: int
    """Captures and refunds in progress, whose outcome is not known yet."""

    @property
    def held(self) -> int:
        """What was taken or is reserved, and was not given back."""
        return self.authorized - self.refunded


def order_totals(payments: Iterable[PaymentTotals]) -> OrderTotals:
    """Add up the totals of an order's payments."""
    totals = tuple(payments)
    return OrderTotals(
        authorized=sum(each.authorized for each in totals),
        captured=sum(each.captured for each in totals),
        refunded=sum(each.refunded for each in totals),
        reserved=sum(each.capture_reserved + each.refund_reserved for each in totals),
    )


_WITHOUT_MONEY = {
    TransactionState.UNKNOWN: PaymentState.PENDING,
    TransactionState.AWAITING_3DS: PaymentState.PENDING,
    TransactionState.PENDING: PaymentState.PENDING,
    TransactionState.REJECTED: PaymentState.FAILED,
    TransactionState.ABANDONED: PaymentState.FAILED,
    TransactionState.EXPIRED: PaymentState.EXPIRED,
    TransactionState.ANOMALY: PaymentState.FROZEN,
}


# A page that is being requested takes no money; an authorization that is being sent may have taken it.
_OF_AUTHORIZATIONS = _WITHOUT_MONEY | {
    TransactionState.AWAITING_RESULT: PaymentState.OFFERED,
    TransactionState.SENDING: PaymentState.PENDING,
    TransactionState.NOT_SENT: PaymentState.PENDING,
}


def payment_state(totals: PaymentTotals, opening: TransactionState, kind: TransactionKind) -> PaymentState:
    """Return the state of a payment from its totals and its first transaction's state and kind."""
    if totals.is_frozen:
        return PaymentState.FROZEN
    if totals.reversal is Reversal.DONE:
        return PaymentState.REVERSED
    if totals.authorized == 0:
        without_money = _OF_AUTHORIZATIONS if kind is TransactionKind.AUTHORIZATION else _WITHOUT_MONEY
        return without_money.get(opening, PaymentState.OPEN)
    return _state_with_money(totals)


def _state_with_money(totals: PaymentTotals) -> PaymentState:
    if totals.captured == 0:
        return PaymentState.AUTHORIZED
    if totals.refunded == totals.captured:
        return PaymentState.REFUNDED
    if totals.refunded > 0:
        return PaymentState.PART_REFUNDED
    return PaymentState.PAID if totals.captured == totals.authorized else PaymentState.PART_CAPTURED


_BEST_FIRST = (
    (PaymentState.PENDING, OrderState.PENDING),
    (PaymentState.OPEN, OrderState.OPEN),
    (PaymentState.REVERSED, OrderState.REVERSED),
    (PaymentState.FAILED, OrderState.FAILED),
    (PaymentState.EXPIRED, OrderState.EXPIRED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentSnapshot:
    """The values of one payment that its order's state depends on."""

    state: PaymentState
    totals: PaymentTotals


def order_state(
    amount: int,
    payments: Sequence[PaymentSnapshot],
    *,
    is_cancelled: bool = False,
    late_payment: LatePayment = LatePayment.NONE,
) -> OrderState:
    """Return the state of an order over `amount` from its payments, in the order of their creation.

    Two payments that together hold more than the order's amount make it overpaid: a task for a person. So is
    money that a cancelled order holds, unless the late payment was accepted.
    """
    if any(payment.state is PaymentState.FROZEN for payment in payments):
        return OrderState.FROZEN
    live = [p.totals for p in payments if p.totals.authorized and p.totals.reversal is not Reversal.DONE]
    if live:
        is_undecided = late_payment is LatePayment.REPORTED and order_totals(live).held > 0
        return OrderState.FROZEN if is_undecided else _order_state_with_money(amount, live)
    # A button that waits on a page does not hide the result of the other attempts.
    pressed = [payment.state for payment in payments if payment.state is not PaymentState.OFFERED]
    if is_cancelled and PaymentState.PENDING not in pressed:
        return OrderState.CANCELLED
    return _order_state_without_money(pressed)


def _order_state_with_money(amount: int, live: Sequence[PaymentTotals]) -> OrderState:
    amount = _agreed(amount, live)
    if order_totals(live).held > amount:
        return OrderState.OVERPAID
    # A payment that was given back does not hide what another one holds.
    kept = [totals for totals in live if not totals.captured == totals.refunded > 0]
    totals = order_totals(kept or live)
    if totals.captured == 0:
        return OrderState.AUTHORIZED
    if totals.captured - totals.refunded >= amount:
        return OrderState.PAID
    if totals.refunded == totals.captured:
        return OrderState.REFUNDED
    return OrderState.PART_REFUNDED if totals.refunded else OrderState.PART_CAPTURED


def _agreed(amount: int, live: Sequence[PaymentTotals]) -> int:
    """Return the agreed amount: a wallet's sheet may have changed the price, e.g. with shipping."""
    holding = [totals for totals in live if totals.authorized > totals.refunded]
    return holding[0].amount if len(holding) == 1 else amount


def _order_state_without_money(states: Sequence[PaymentState]) -> OrderState:
    for payment, order in _BEST_FIRST[:3]:
        if payment in states:
            return order
    # If all attempts failed, the customer last saw the latest one.
    return dict(_BEST_FIRST)[states[-1]] if states else OrderState.OPEN
