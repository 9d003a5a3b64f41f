"""The states of a transaction, of a payment and of an order, and the one table by which a transaction moves.

1. A state changes only by `advance`, which walks the table; nobody compares states to decide a move.
2. Nothing here knows rows, wire words or time.

Note [Unknown is a state]: once a byte of a request that moves money may have left, only the gateway's own
evidence, or a person with a reason, ends the transaction. No event of this table is called "timed out".
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class TransactionKind(StrEnum):
    """What a transaction asks of the gateway."""

    CHECKOUT = "CHECKOUT"
    AUTHORIZATION = "AUTHORIZATION"
    CAPTURE = "CAPTURE"
    REFUND = "REFUND"
    REVERSAL = "REVERSAL"
    DETACHED_REFUND = "DETACHED_REFUND"


class PaymentType(StrEnum):
    """Whether the money is taken at once or reserved first."""

    SALE = "sale"
    PREAUTHORIZATION = "preauthorization"


class TransactionState(StrEnum):
    """How far one transaction has come."""

    CREATED = "CREATED"
    """Committed, nothing sent."""
    SENDING = "SENDING"
    """Committed just before the first byte; a lease says until when somebody is at it."""
    NOT_SENT = "NOT_SENT"
    """Proof that no byte of the request left; the same request may be sent again."""
    UNKNOWN = "UNKNOWN"
    """May have been executed; only asked after, never sent again."""
    AWAITING_RESULT = "AWAITING_RESULT"
    """The wallet button was shown under it; nothing was sent, and nothing keeps others from paying."""
    OPEN = "OPEN"
    """The hosted page can be reached and nobody has decided on it."""
    AWAITING_3DS = "AWAITING_3DS"
    """The gateway waits for the customer's 3-D Secure on a page of its own."""
    PENDING = "PENDING"
    """The gateway knows it and has not decided."""
    APPROVED = "APPROVED"
    """The gateway's evidence says it happened."""
    REJECTED = "REJECTED"
    """The gateway's evidence says it did not happen."""
    EXPIRED = "EXPIRED"
    """The time of the hosted page or of the button passed, and the gateway knew of nothing."""
    ABANDONED = "ABANDONED"
    """A person decided, a hosted page was opened whose address nobody received, or nothing will be sent."""
    ANOMALY = "ANOMALY"
    """Evidence contradicts the request or itself; a person decides."""


class LifecycleEvent(StrEnum):
    """What can happen to a transaction."""

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


class PaymentState(StrEnum):
    """Where one attempt to pay stands; derived from its sums and its first transaction."""

    OFFERED = "OFFERED"
    """A wallet button and no more: nobody has pressed it, and of its order it says nothing."""
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


class OrderState(StrEnum):
    """Where an order stands; derived from all its payments."""

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
    FROZEN = "FROZEN"


class IllegalTransition(ValueError):
    """The table has no move for this event in this state; nothing was changed."""

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
            # Nothing was sent by us, so any news of it contradicts what we know.
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
            # The answer was the only copy of the page's address: nobody can reach that page through us.
            _E.PAGE_LOST: _S.ABANDONED,
        },
        _S.NOT_SENT: {
            _E.CLAIM: _S.SENDING,
            _E.ABANDONED: _S.ABANDONED,
            _E.APPROVED: _S.ANOMALY,
            _E.CONTRADICTED: _S.ANOMALY,
        },
        _S.UNKNOWN: {**_EVIDENCE, _E.ABANDONED: _S.ABANDONED},
        # A person ends a page of which the gateway says nothing readable; it stays on watch.
        _S.OPEN: {**_EVIDENCE, _E.EXPIRED: _S.EXPIRED, _E.ABANDONED: _S.ABANDONED},
        _S.PENDING: {**_EVIDENCE, _E.ABANDONED: _S.ABANDONED},
        _S.AWAITING_3DS: {
            _E.APPROVED: _S.APPROVED,
            _E.REJECTED: _S.REJECTED,
            _E.CONTRADICTED: _S.ANOMALY,
            _E.ABANDONED: _S.ABANDONED,
        },
        # A page that was decided in its last second shows as a late record: the money moved.
        _S.EXPIRED: {_E.HELD: _S.PENDING, _E.APPROVED: _S.APPROVED, _E.CONTRADICTED: _S.ANOMALY},
        # The reservation is gone and somebody may have acted on it: never silently turned around. A hosted
        # page reserves nothing: see OF_PAGES.
        _S.REJECTED: {_E.APPROVED: _S.ANOMALY, _E.CONTRADICTED: _S.ANOMALY},
        _S.ABANDONED: {_E.APPROVED: _S.ANOMALY, _E.CONTRADICTED: _S.ANOMALY},
        _S.APPROVED: {_E.CONTRADICTED: _S.ANOMALY},
        _S.ANOMALY: {_E.ABANDONED: _S.ABANDONED, _E.ACCEPTED_BY_PERSON: _S.APPROVED},
    }
)

OF_PAGES: Mapping[TransactionState, Mapping[LifecycleEvent, TransactionState]] = MappingProxyType(
    # A refused card does not close a hosted page: its customer may pay with another one until it ends.
    {_S.REJECTED: {_E.HELD: _S.PENDING, _E.APPROVED: _S.APPROVED}}
)
"""How a transaction that opened a hosted page moves where others move otherwise or not at all."""

SENDERS_NEWS = frozenset({_E.NOTHING_LEFT, _E.LOST, _E.PAGE_LOST, _E.OPENED, _E.CHALLENGED})
"""What only a sender says. Where it moves nothing, its claim was lost and others have gone on without it."""

# Evidence that is weaker than, or the same as, what is already known: it is kept, and moves nothing.
IGNORED: Mapping[TransactionState, frozenset[LifecycleEvent]] = MappingProxyType(
    {
        _S.CREATED: frozenset({_E.REJECTED, _E.HELD}),
        _S.AWAITING_RESULT: frozenset({_E.REJECTED, _E.HELD, *SENDERS_NEWS}),
        _S.SENDING: frozenset(),
        _S.NOT_SENT: frozenset({_E.REJECTED, _E.HELD, *SENDERS_NEWS}),
        _S.UNKNOWN: SENDERS_NEWS,
        _S.OPEN: SENDERS_NEWS,
        # That a page ended unpaid is concluded from silence, so every word of the gateway outranks it.
        _S.PENDING: frozenset({_E.EXPIRED, *SENDERS_NEWS}),
        # Until the customer has been through 3-D Secure, the gateway calls it pending.
        _S.AWAITING_3DS: frozenset({_E.HELD, _E.EXPIRED, *SENDERS_NEWS}),
        _S.APPROVED: frozenset({_E.APPROVED, _E.REJECTED, _E.HELD, _E.EXPIRED, *SENDERS_NEWS}),
        _S.REJECTED: frozenset({_E.REJECTED, _E.HELD, _E.EXPIRED, *SENDERS_NEWS}),
        _S.EXPIRED: frozenset({_E.REJECTED, _E.EXPIRED, *SENDERS_NEWS}),
        _S.ABANDONED: frozenset({_E.REJECTED, _E.HELD, _E.EXPIRED, _E.ABANDONED, *SENDERS_NEWS}),
        _S.ANOMALY: frozenset(
            {_E.APPROVED, _E.REJECTED, _E.HELD, _E.CONTRADICTED, _E.EXPIRED, *SENDERS_NEWS}
        ),
    }
)

FINAL_STATES = frozenset({_S.APPROVED, _S.REJECTED, _S.EXPIRED, _S.ABANDONED})
"""States that no timer and no repeated question leaves; only contradicting evidence does."""

HELD_STATES = frozenset(
    {_S.CREATED, _S.SENDING, _S.NOT_SENT, _S.UNKNOWN, _S.AWAITING_3DS, _S.PENDING, _S.ANOMALY}
)
"""States in which an amount stays reserved."""

OUTSTANDING_STATES = frozenset({_S.SENDING, _S.UNKNOWN, _S.AWAITING_3DS, _S.PENDING})
"""States that block a second operation on the same payment, because records could not be told apart."""

UNENDED_STATES = OUTSTANDING_STATES | {_S.NOT_SENT, _S.OPEN}
"""States that only a sweep of their gateway, or a person, ends."""

SENDABLE_STATES = frozenset({_S.CREATED, _S.NOT_SENT})
"""States from which a request may be sent."""

UNSENT_STATES = SENDABLE_STATES | {_S.AWAITING_RESULT}
"""States in which the gateway has never heard of it; one that waits for the wallet has no request yet."""


def advance(state: TransactionState, event: LifecycleEvent, *, is_page: bool = False) -> TransactionState:
    """Return the state after an event; the same state when the event tells nothing new.

    `is_page` says that the transaction opened a hosted page. Raises `IllegalTransition` when the event cannot
    happen in this state.
    """
    own = OF_PAGES.get(state, {}) if is_page else {}
    moved = own.get(event) or TRANSITIONS[state].get(event)
    if moved is not None:
        return moved
    if event in IGNORED[state]:
        return state
    raise IllegalTransition(state, event)
