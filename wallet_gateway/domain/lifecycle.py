"""The states of a transaction, of a payment and of an order, and the transition table of transactions.

1. A state changes only by `advance`, which uses the table; no other code compares states to decide a
   transition.
2. This module knows nothing about rows, wire values or time.

Note [Unknown is a state]: once a byte of a request that moves money may have left, only the gateway's own
evidence, or a person with a reason, ends the transaction. No event in this table is called "timed out".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wallet_gateway.domain.stored_values import StoredEnum


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

    CREATED = "CREATED"
    """Committed, nothing sent."""
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
        _S.CREATED: {
            _E.CLAIM: _S.SENDING,
            _E.ABANDONED: _S.ABANDONED,
            # We sent nothing, so any evidence of it contradicts what we know.
            _E.APPROVED: _S.ANOMALY,
            _E.CONTRADICTED: _S.ANOMALY,
        },
        _S.AWAITING_RESULT: {
            _E.CLAIM: _S.SENDING,
            _E.EXPIRED: _S.EXPIRED,
            _E.ABANDONED: _S.ABANDONED,
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
        _S.CREATED: frozenset({_E.REJECTED, _E.HELD}),
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

HELD_STATES = frozenset(
    {_S.CREATED, _S.SENDING, _S.NOT_SENT, _S.UNKNOWN, _S.AWAITING_3DS, _S.PENDING, _S.ANOMALY}
)
"""States in which an amount stays reserved."""

OUTSTANDING_STATES = frozenset({_S.SENDING, _S.UNKNOWN, _S.AWAITING_3DS, _S.PENDING})
"""States that block a second operation on the same payment, because records could not be distinguished."""

UNENDED_STATES = OUTSTANDING_STATES | {_S.NOT_SENT, _S.OPEN}
"""States that only a sweep of their gateway, or a person, ends."""

SENDABLE_STATES = frozenset({_S.CREATED, _S.NOT_SENT})
"""States from which a request may be sent."""

UNSENT_STATES = SENDABLE_STATES | {_S.AWAITING_RESULT}
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
