"""Every cell of the table of transitions, written down a second time.

The other tests say why single cells are as they are. These see to it that nobody changes a cell by accident.
"""

from __future__ import annotations

from tests.tables import every
from wallet_gateway.domain.lifecycle import (
    FINAL_STATES,
    HELD_STATES,
    OF_PAGES,
    OPENING_KINDS,
    OUTSTANDING_STATES,
    SENDABLE_STATES,
    SENDER_EVENTS,
    UNENDED_STATES,
    UNSENT_STATES,
    IllegalTransition,
    LifecycleEvent,
    TransactionKind,
    TransactionState,
    advance,
)

S, E = TransactionState, LifecycleEvent

# For each state the events that change it, and those that change nothing; every other event is refused.
# "senders" are the five events that only a sender reports.
MATRIX = {
    S.CREATED: (
        "CLAIM SENDING, APPROVED ANOMALY, ABANDONED ABANDONED, CONTRADICTED ANOMALY",
        "HELD, REJECTED",
    ),
    S.SENDING: (
        (
            "NOTHING_LEFT NOT_SENT, LOST UNKNOWN, PAGE_LOST ABANDONED, OPENED OPEN, "
            "HELD PENDING, CHALLENGED AWAITING_3DS, "
            "APPROVED APPROVED, REJECTED REJECTED, CONTRADICTED ANOMALY"
        ),
        "",
    ),
    S.NOT_SENT: (
        "CLAIM SENDING, APPROVED ANOMALY, ABANDONED ABANDONED, CONTRADICTED ANOMALY",
        "senders, HELD, REJECTED",
    ),
    S.UNKNOWN: (
        "HELD PENDING, APPROVED APPROVED, REJECTED REJECTED, ABANDONED ABANDONED, CONTRADICTED ANOMALY",
        "senders",
    ),
    S.AWAITING_RESULT: (
        "CLAIM SENDING, APPROVED ANOMALY, EXPIRED EXPIRED, ABANDONED ABANDONED, CONTRADICTED ANOMALY",
        "senders, HELD, REJECTED",
    ),
    S.OPEN: (
        (
            "HELD PENDING, APPROVED APPROVED, REJECTED REJECTED, "
            "EXPIRED EXPIRED, ABANDONED ABANDONED, CONTRADICTED ANOMALY"
        ),
        "senders",
    ),
    S.AWAITING_3DS: (
        "APPROVED APPROVED, REJECTED REJECTED, ABANDONED ABANDONED, CONTRADICTED ANOMALY",
        "senders, HELD, EXPIRED",
    ),
    S.PENDING: (
        "HELD PENDING, APPROVED APPROVED, REJECTED REJECTED, ABANDONED ABANDONED, CONTRADICTED ANOMALY",
        "senders, EXPIRED",
    ),
    S.APPROVED: (
        "CONTRADICTED ANOMALY",
        "senders, HELD, APPROVED, REJECTED, EXPIRED",
    ),
    S.REJECTED: (
        "APPROVED ANOMALY, CONTRADICTED ANOMALY",
        "senders, HELD, REJECTED, EXPIRED",
    ),
    S.EXPIRED: (
        "HELD PENDING, APPROVED APPROVED, CONTRADICTED ANOMALY",
        "senders, REJECTED, EXPIRED",
    ),
    S.ABANDONED: (
        "APPROVED ANOMALY, CONTRADICTED ANOMALY",
        "senders, HELD, REJECTED, EXPIRED, ABANDONED",
    ),
    S.ANOMALY: (
        "ABANDONED ABANDONED, ACCEPTED_BY_PERSON APPROVED",
        "senders, HELD, APPROVED, REJECTED, EXPIRED, CONTRADICTED",
    ),
}
SENDERS = {E.NOTHING_LEFT, E.LOST, E.PAGE_LOST, E.OPENED, E.CHALLENGED}


def _moves(words: str) -> dict[LifecycleEvent, TransactionState]:
    pairs = (pair.split() for pair in words.split(", ") if pair)
    return {E(event): S(state) for event, state in pairs}


def _ignored(words: str) -> set[LifecycleEvent]:
    names = {name for name in words.split(", ") if name}
    return {E(name) for name in names - {"senders"}} | (SENDERS if "senders" in names else set())


def _came_of(state: TransactionState, event: LifecycleEvent) -> TransactionState | None:
    try:
        return advance(state, event)
    except IllegalTransition:
        return None


@every("state", sorted(TransactionState))
def test_every_cell_is_as_it_was_decided(state: TransactionState) -> None:
    moves, ignored = _moves(MATRIX[state][0]), _ignored(MATRIX[state][1])
    expected = {event: moves.get(event, state if event in ignored else None) for event in LifecycleEvent}
    assert {event: _came_of(state, event) for event in LifecycleEvent} == expected


def test_a_refused_page_alone_has_cells_of_its_own() -> None:
    assert {state: dict(cells) for state, cells in OF_PAGES.items()} == {
        S.REJECTED: {E.HELD: S.PENDING, E.APPROVED: S.APPROVED}
    }


def test_the_groups_are_those_that_were_decided() -> None:
    assert {S.APPROVED, S.REJECTED, S.EXPIRED, S.ABANDONED} == FINAL_STATES
    assert {
        *(S.CREATED, S.SENDING, S.NOT_SENT, S.UNKNOWN, S.AWAITING_3DS, S.PENDING, S.ANOMALY)
    } == HELD_STATES
    assert {S.SENDING, S.UNKNOWN, S.AWAITING_3DS, S.PENDING} == OUTSTANDING_STATES
    assert {S.SENDING, S.UNKNOWN, S.AWAITING_3DS, S.PENDING, S.NOT_SENT, S.OPEN} == UNENDED_STATES
    assert {S.CREATED, S.NOT_SENT} == SENDABLE_STATES
    assert {S.CREATED, S.NOT_SENT, S.AWAITING_RESULT} == UNSENT_STATES
    assert SENDER_EVENTS == SENDERS
    assert {TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION} == OPENING_KINDS


def test_a_refused_transition_names_the_state_and_the_event() -> None:
    refused = IllegalTransition(S.APPROVED, E.CLAIM)
    assert (refused.state, refused.event) == (S.APPROVED, E.CLAIM)
    assert str(refused) == "a transaction in state APPROVED cannot take the event CLAIM"
