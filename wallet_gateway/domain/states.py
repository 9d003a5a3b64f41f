"""The states of a transaction, of a payment and of an order, and what is left of a payment's money.

1. What is learned or decided changes a transaction's state by `advance`, which uses the table; no other code
   compares states to decide such a transition. A claim to send is decided by the condition of its UPDATE.
2. The state of a payment and of an order is derived from totals. Only a claim writes what it makes of them
   (open, pending) itself, in the same transaction.
3. What is left to capture, refund or reverse is decided here and by the condition of the reserving UPDATE,
   which has the same rules. These functions name the rule; they never replace the condition.
4. Amounts are minor units of one currency. This module knows nothing about rows, wire values or time.

Note [Unknown is a state]: once a byte of a request that moves money may have left, only the gateway's own
evidence, or a person with a reason, ends the transaction. No event in this table is called "timed out".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from wallet_gateway.domain.error_codes import (
    OPERATION_OUTSTANDING,
    PAYMENT_FROZEN,
    ErrorCode,
    Refusal,
    StoredEnum,
)
from wallet_gateway.domain.error_codes import gettext_noop as _


class TransactionKind(StoredEnum):
    """The operation that a transaction requests from the gateway."""

    CHECKOUT = "CHECKOUT"
    AUTHORIZATION = "AUTHORIZATION"
    CAPTURE = "CAPTURE"
    REFUND = "REFUND"
    REVERSAL = "REVERSAL"
    DETACHED_REFUND = "DETACHED_REFUND"


OPENING_KINDS = frozenset({TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION})
"""The kinds that open a payment; the others act on one."""


class TransactionOrigin(StoredEnum):
    """The party that requested a transaction from the gateway."""

    SHOP = "SHOP"
    ELSEWHERE = "ELSEWHERE"
    """Another one, for example a person in the provider's portal: it was booked from the gateway's record."""


class PaymentType(StoredEnum):
    """Whether the money is taken at once or reserved first."""

    SALE = "sale"
    PREAUTHORIZATION = "preauthorization"


class TransactionState(StoredEnum):
    """The progress of one transaction."""

    SENDING = "SENDING"
    """Committed just before the first byte; a lease limits how long one sender may work on it."""
    NOT_SENT = "NOT_SENT"
    """It is proven that no byte of the request left; the same request may be sent again."""
    UNKNOWN = "UNKNOWN"
    """May have been executed; only queried, never sent again."""
    AWAITING_RESULT = "AWAITING_RESULT"
    """The wallet button was shown with its reference; nothing was sent, other payments are not blocked."""
    OPEN = "OPEN"
    """The hosted page can be reached and the customer has not decided yet."""
    AWAITING_3DS = "AWAITING_3DS"
    """The gateway waits for the customer's 3-D Secure on a separate page."""
    PENDING = "PENDING"
    """The gateway knows it and has not decided."""
    APPROVED = "APPROVED"
    """The gateway's evidence says it happened."""
    REJECTED = "REJECTED"
    """The gateway's evidence says it did not happen."""
    EXPIRED = "EXPIRED"
    """The hosted page or the button timed out, and the gateway had no record."""
    ABANDONED = "ABANDONED"
    """A person decided, or an opened page's address was never received, or nothing will be sent."""
    ANOMALY = "ANOMALY"
    """Evidence contradicts the request or itself; a person must decide."""


class LifecycleEvent(StoredEnum):
    """The events in the life of a transaction."""

    CLAIM = "CLAIM"
    NOTHING_LEFT = "NOTHING_LEFT"
    LOST = "LOST"
    PAGE_LOST = "PAGE_LOST"
    OPENED = "OPENED"
    HELD = "HELD"
    CHALLENGED = "CHALLENGED"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    EXPIRED = "EXPIRED"
    ABANDONED = "ABANDONED"
    CONTRADICTED = "CONTRADICTED"
    ACCEPTED_BY_PERSON = "ACCEPTED_BY_PERSON"


class PaymentState(StoredEnum):
    """The state of one attempt to pay, derived from its counters and its first transaction."""

    OFFERED = "OFFERED"
    """Only a wallet button that was not pressed; it does not affect the state of its order."""
    OPEN = "OPEN"
    PENDING = "PENDING"
    AUTHORIZED = "AUTHORIZED"
    PART_CAPTURED = "PART_CAPTURED"
    PAID = "PAID"
    PART_REFUNDED = "PART_REFUNDED"
    REFUNDED = "REFUNDED"
    REVERSED = "REVERSED"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"
    FROZEN = "FROZEN"


class OrderState(StoredEnum):
    """The state of an order, derived from all its payments."""

    OPEN = "OPEN"
    PENDING = "PENDING"
    AUTHORIZED = "AUTHORIZED"
    PART_CAPTURED = "PART_CAPTURED"
    PAID = "PAID"
    PART_REFUNDED = "PART_REFUNDED"
    REFUNDED = "REFUNDED"
    REVERSED = "REVERSED"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"
    OVERPAID = "OVERPAID"
    CANCELLED = "CANCELLED"
    """The shop takes no payment for it any more, and nothing of it is paid or pending."""
    FROZEN = "FROZEN"


PAYABLE_STATES = frozenset({OrderState.OPEN, OrderState.FAILED, OrderState.EXPIRED, OrderState.REVERSED})
"""States of an order in which a customer may start another attempt to pay."""
CANCELLABLE_STATES = PAYABLE_STATES | {OrderState.PENDING}
"""States in which an order holds no money, and may be cancelled."""
LEFT_TO_PEOPLE = frozenset({OrderState.FROZEN, OrderState.OVERPAID})
"""States in which a person decides first what becomes of the money, e.g. of a second payment."""


class LatePayment(StoredEnum):
    """What was decided about a payment that was approved after its order was cancelled."""

    NONE = ""
    """There is no such payment."""
    REPORTED = "REPORTED"
    """A person has to decide: give the money back, or accept it."""
    ACCEPTED = "ACCEPTED"
    """It counts as any other payment."""


class IllegalTransition(ValueError):
    """The table has no transition for this event in this state; nothing was changed."""

    def __init__(self, state: TransactionState, event: LifecycleEvent) -> None:
        super().__init__(f"a transaction in state {state} cannot take the event {event}")
        self.state = state
        self.event = event


_S, _E = TransactionState, LifecycleEvent

_EVIDENCE = {
    _E.HELD: _S.PENDING,
    _E.APPROVED: _S.APPROVED,
    _E.REJECTED: _S.REJECTED,
    _E.CONTRADICTED: _S.ANOMALY,
}

TRANSITIONS: Mapping[TransactionState, Mapping[LifecycleEvent, TransactionState]] = MappingProxyType(
    {
        _S.AWAITING_RESULT: {
            _E.CLAIM: _S.SENDING,
            _E.EXPIRED: _S.EXPIRED,
            _E.ABANDONED: _S.ABANDONED,
            # We sent nothing, so any evidence of it contradicts what we know.
            _E.APPROVED: _S.ANOMALY,
            _E.CONTRADICTED: _S.ANOMALY,
        },
        _S.SENDING: {
            **_EVIDENCE,
            _E.CHALLENGED: _S.AWAITING_3DS,
            _E.NOTHING_LEFT: _S.NOT_SENT,
            _E.LOST: _S.UNKNOWN,
            _E.OPENED: _S.OPEN,
            # The answer was the only copy of the page's address: no customer can reach that page through us.
            _E.PAGE_LOST: _S.ABANDONED,
        },
        _S.NOT_SENT: {
            _E.CLAIM: _S.SENDING,
            _E.ABANDONED: _S.ABANDONED,
            _E.APPROVED: _S.ANOMALY,
            _E.CONTRADICTED: _S.ANOMALY,
        },
        _S.UNKNOWN: {**_EVIDENCE, _E.ABANDONED: _S.ABANDONED},
        # A person ends a page whose records are unreadable; polling of it continues.
        _S.OPEN: {**_EVIDENCE, _E.EXPIRED: _S.EXPIRED, _E.ABANDONED: _S.ABANDONED},
        _S.PENDING: {**_EVIDENCE, _E.ABANDONED: _S.ABANDONED},
        _S.AWAITING_3DS: {
            _E.APPROVED: _S.APPROVED,
            _E.REJECTED: _S.REJECTED,
            _E.CONTRADICTED: _S.ANOMALY,
            _E.ABANDONED: _S.ABANDONED,
        },
        # A page that was decided in its last second appears as a late record: the money moved.
        _S.EXPIRED: {_E.HELD: _S.PENDING, _E.APPROVED: _S.APPROVED, _E.CONTRADICTED: _S.ANOMALY},
        # The reservation was released and someone may have acted on that: never reverse it silently. A hosted
        # page reserves nothing: see OF_PAGES.
        _S.REJECTED: {_E.APPROVED: _S.ANOMALY, _E.CONTRADICTED: _S.ANOMALY},
        _S.ABANDONED: {_E.APPROVED: _S.ANOMALY, _E.CONTRADICTED: _S.ANOMALY},
        _S.APPROVED: {_E.CONTRADICTED: _S.ANOMALY},
        _S.ANOMALY: {_E.ABANDONED: _S.ABANDONED, _E.ACCEPTED_BY_PERSON: _S.APPROVED},
    }
)

OF_PAGES: Mapping[TransactionState, Mapping[LifecycleEvent, TransactionState]] = MappingProxyType(
    # A refused card does not close a hosted page: the customer may pay with another card until it ends.
    {_S.REJECTED: {_E.HELD: _S.PENDING, _E.APPROVED: _S.APPROVED}}
)
"""Transitions of a transaction that opened a hosted page, where they differ from the main table."""

SENDER_EVENTS = frozenset({_E.NOTHING_LEFT, _E.LOST, _E.PAGE_LOST, _E.OPENED, _E.CHALLENGED})
"""Events that only a sender reports. Without a transition, the sender has lost its claim to another one."""

# Evidence that is weaker than, or equal to, what is already known: it is stored and changes no state.
IGNORED: Mapping[TransactionState, frozenset[LifecycleEvent]] = MappingProxyType(
    {
        _S.AWAITING_RESULT: frozenset({_E.REJECTED, _E.HELD, *SENDER_EVENTS}),
        _S.SENDING: frozenset(),
        _S.NOT_SENT: frozenset({_E.REJECTED, _E.HELD, *SENDER_EVENTS}),
        _S.UNKNOWN: SENDER_EVENTS,
        _S.OPEN: SENDER_EVENTS,
        # That a page ended unpaid is concluded from missing records, so any record outranks it.
        _S.PENDING: frozenset({_E.EXPIRED, *SENDER_EVENTS}),
        # Until the customer has completed 3-D Secure, the gateway reports it as pending.
        _S.AWAITING_3DS: frozenset({_E.HELD, _E.EXPIRED, *SENDER_EVENTS}),
        _S.APPROVED: frozenset({_E.APPROVED, _E.REJECTED, _E.HELD, _E.EXPIRED, *SENDER_EVENTS}),
        _S.REJECTED: frozenset({_E.REJECTED, _E.HELD, _E.EXPIRED, *SENDER_EVENTS}),
        _S.EXPIRED: frozenset({_E.REJECTED, _E.EXPIRED, *SENDER_EVENTS}),
        _S.ABANDONED: frozenset({_E.REJECTED, _E.HELD, _E.EXPIRED, _E.ABANDONED, *SENDER_EVENTS}),
        _S.ANOMALY: frozenset(
            {_E.APPROVED, _E.REJECTED, _E.HELD, _E.CONTRADICTED, _E.EXPIRED, *SENDER_EVENTS}
        ),
    }
)

FINAL_STATES = frozenset({_S.APPROVED, _S.REJECTED, _S.EXPIRED, _S.ABANDONED})
"""States that no timer and no repeated query changes; only contradicting evidence does."""

HELD_STATES = frozenset({_S.SENDING, _S.NOT_SENT, _S.UNKNOWN, _S.AWAITING_3DS, _S.PENDING, _S.ANOMALY})
"""States in which an amount stays reserved."""

OUTSTANDING_STATES = frozenset({_S.SENDING, _S.UNKNOWN, _S.AWAITING_3DS, _S.PENDING})
"""States that block a second operation on the same payment, because records could not be distinguished."""

UNENDED_STATES = OUTSTANDING_STATES | {_S.NOT_SENT, _S.OPEN}
"""States that only a sweep of their gateway, or a person, ends."""

UNSENT_STATES = frozenset({_S.NOT_SENT, _S.AWAITING_RESULT})
"""States unknown to the gateway; a transaction that waits for the wallet has no request yet."""


def advance(state: TransactionState, event: LifecycleEvent, *, is_page: bool = False) -> TransactionState:
    """Return the state after an event; the same state when the event contains nothing new.

    `is_page` means that the transaction opened a hosted page. Raises `IllegalTransition` when the event
    cannot happen in this state.
    """
    own = OF_PAGES.get(state, {}) if is_page else {}
    moved = own.get(event) or TRANSITIONS[state].get(event)
    if moved is not None:
        return moved
    if event in IGNORED[state]:
        return state
    raise IllegalTransition(state, event)


# The state of a payment and of an order, from their totals


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
        if late_payment is LatePayment.REPORTED and order_totals(live).held > 0:
            return OrderState.FROZEN
        # A wallet's sheet may have changed the price, e.g. with shipping.
        holding = [totals for totals in live if totals.authorized > totals.refunded]
        agreed = holding[0].amount if len(holding) == 1 else amount
        if order_totals(live).held > agreed:
            return OrderState.OVERPAID
        # A payment that was given back does not hide what another one holds.
        kept = [totals for totals in live if not totals.captured == totals.refunded > 0]
        totals = order_totals(kept or live)
        if totals.captured == 0:
            return OrderState.AUTHORIZED
        if totals.captured - totals.refunded >= agreed:
            return OrderState.PAID
        if totals.refunded == totals.captured:
            return OrderState.REFUNDED
        return OrderState.PART_REFUNDED if totals.refunded else OrderState.PART_CAPTURED
    # A button that waits on a page does not hide the result of the other attempts.
    pressed = [payment.state for payment in payments if payment.state is not PaymentState.OFFERED]
    if is_cancelled and PaymentState.PENDING not in pressed:
        return OrderState.CANCELLED
    for state, of_order in _BEST_FIRST[:3]:
        if state in pressed:
            return of_order
    # If all attempts failed, the customer last saw the latest one.
    return dict(_BEST_FIRST)[pressed[-1]] if pressed else OrderState.OPEN


# What is left of a payment


_NOTHING_AUTHORIZED = Refusal(_("Nothing is authorized."), ErrorCode.NOTHING_LEFT)
_AUTHORIZATION_REVERSED = Refusal(
    _("The authorization has been reversed, or a reversal is under way."), ErrorCode.NOTHING_LEFT
)


def capturable(totals: PaymentTotals) -> int:
    """Return the minor units that can still be captured."""
    if totals.is_frozen or totals.reversal is not Reversal.NONE:
        return 0
    return totals.authorized - totals.captured - totals.capture_reserved


def refundable(totals: PaymentTotals) -> int:
    """Return the minor units that can still be refunded; a capture in progress does not count."""
    return 0 if totals.is_frozen else totals.captured - totals.refunded - totals.refund_reserved


def reversible(totals: PaymentTotals) -> int:
    """Return the minor units a reversal would release: the full authorization, or 0 once a capture began."""
    untouched = totals.captured == 0 and totals.capture_reserved == 0 and totals.reversal is Reversal.NONE
    return totals.authorized if untouched and not totals.is_frozen else 0


def why_not_capture(totals: PaymentTotals, wanted: int) -> Refusal | None:
    """Return the rule that forbids capturing `wanted`; None if it is allowed."""
    if totals.is_frozen:
        return PAYMENT_FROZEN
    if totals.reversal is not Reversal.NONE:
        return _AUTHORIZATION_REVERSED
    if totals.authorized == 0:
        return _NOTHING_AUTHORIZED
    if wanted <= capturable(totals):
        return None
    return Refusal(_("The amount is higher than what is left to capture."), ErrorCode.AMOUNT_TOO_HIGH)


def why_not_refund(totals: PaymentTotals, wanted: int) -> Refusal | None:
    """Return the rule that forbids refunding `wanted`; None if it is allowed."""
    if totals.is_frozen:
        return PAYMENT_FROZEN
    if totals.captured == 0:
        return Refusal(_("Nothing is captured."), ErrorCode.NOTHING_LEFT)
    if wanted <= refundable(totals):
        return None
    return Refusal(_("The amount is higher than what is left to refund."), ErrorCode.AMOUNT_TOO_HIGH)


def why_not_reverse(totals: PaymentTotals) -> Refusal | None:
    """Return the rule that forbids reversing the authorization; None if it is allowed."""
    if totals.is_frozen:
        return PAYMENT_FROZEN
    if totals.authorized == 0:
        return _NOTHING_AUTHORIZED
    if totals.reversal is not Reversal.NONE:
        return _AUTHORIZATION_REVERSED
    if reversible(totals):
        return None
    return Refusal(
        _("A capture has been made or is under way. Refund it instead of reversing."), ErrorCode.REFUND_NEEDED
    )


def available(kind: TransactionKind, totals: PaymentTotals) -> int:
    """Return the minor units of a payment that are left for a capture, a refund or a reversal."""
    left = {
        TransactionKind.CAPTURE: capturable,
        TransactionKind.REFUND: refundable,
        TransactionKind.REVERSAL: reversible,
    }
    return left[kind](totals)


def why_not(kind: TransactionKind, totals: PaymentTotals, wanted: int) -> Refusal | None:
    """Return the rule that forbids an operation of `wanted`; None if it is allowed."""
    if kind is TransactionKind.CAPTURE:
        return why_not_capture(totals, wanted)
    if kind is TransactionKind.REFUND:
        return why_not_refund(totals, wanted)
    return why_not_reverse(totals)


def why_not_begin(kind: TransactionKind, totals: PaymentTotals, *, awaits_outcome: bool) -> Refusal | None:
    """Return the reason why an operation of any amount cannot begin; None if one can.

    `awaits_outcome` means that another operation has no outcome yet: it may hold the amount that is missing.
    """
    if awaits_outcome and not totals.is_frozen:
        return OPERATION_OUTSTANDING
    if available(kind, totals) > 0:
        return None
    return why_not(kind, totals, 0) or _NOTHING_LEFT[kind]


_NOTHING_LEFT = {
    TransactionKind.CAPTURE: Refusal(_("Nothing is left to capture."), ErrorCode.NOTHING_LEFT),
    TransactionKind.REFUND: Refusal(_("Nothing is left to refund."), ErrorCode.NOTHING_LEFT),
}


# How customers pay: on the gateway's hosted page, or by the wallet button on the shop's own page


class Way(StrEnum):
    """How a customer pays."""

    HOSTED_PAGE = "HOSTED_PAGE"
    WALLET_BUTTON = "WALLET_BUTTON"


WAY_OF: Mapping[TransactionKind, Way] = MappingProxyType(
    {TransactionKind.CHECKOUT: Way.HOSTED_PAGE, TransactionKind.AUTHORIZATION: Way.WALLET_BUTTON}
)
"""By the kind of the transaction that opens the payment."""
