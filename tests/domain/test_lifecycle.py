"""The table of transitions, walked cell by cell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wallet_gateway.domain.lifecycle import (
    IGNORED,
    TRANSITIONS,
    LifecycleEvent,
    TransactionState,
    advance,
)

S, E = TransactionState, LifecycleEvent
EVIDENCE = (E.HELD, E.APPROVED, E.REJECTED)


def test_every_state_has_a_row_in_both_tables() -> None:
    assert set(TRANSITIONS) == set(IGNORED) == set(TransactionState)


def test_no_event_is_both_a_move_and_ignored() -> None:
    for state in TransactionState:
        assert not set(TRANSITIONS[state]) & IGNORED[state], state


@given(
    st.lists(st.sampled_from(EVIDENCE), max_size=6),
    st.sampled_from((S.SENDING, S.UNKNOWN, S.OPEN, S.AWAITING_3DS, S.PENDING)),
)
def test_repeating_evidence_changes_nothing(events: list[LifecycleEvent], state: TransactionState) -> None:
    for event in events:
        once = advance(state, event)
        assert advance(once, event) is once
        state = once


@given(st.permutations((E.HELD, E.HELD, E.APPROVED)))
def test_pending_and_approved_end_approved_in_any_order(events: list[LifecycleEvent]) -> None:
    state = S.UNKNOWN
    for event in events:
        state = advance(state, event)
    assert state is S.APPROVED
