"""The table of transitions, walked cell by cell."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.domain.lifecycle import (
    IGNORED,
    OF_PAGES,
    TRANSITIONS,
    IllegalTransition,
    LifecycleEvent,
    TransactionState,
    advance,
)

S, E = TransactionState, LifecycleEvent
CELLS = list(itertools.product(TransactionState, LifecycleEvent))
EVIDENCE = (E.HELD, E.APPROVED, E.REJECTED)


def test_every_state_has_a_row_in_both_tables() -> None:
    assert set(TRANSITIONS) == set(IGNORED) == set(TransactionState)


def test_no_event_is_both_a_move_and_ignored() -> None:
    for state in TransactionState:
        assert not set(TRANSITIONS[state]) & IGNORED[state], state


def test_a_second_card_on_a_refused_page_is_money_or_pending_and_not_a_contradiction() -> None:
    assert advance(S.REJECTED, E.APPROVED, is_page=True) is S.APPROVED
    assert advance(S.REJECTED, E.HELD, is_page=True) is S.PENDING
    assert advance(S.REJECTED, E.CONTRADICTED, is_page=True) is S.ANOMALY
    assert advance(S.REJECTED, E.HELD) is S.REJECTED


@pytest.mark.parametrize(("state", "event"), CELLS, ids=[f"{s}-{e}" for s, e in CELLS])
def test_a_page_moves_as_others_do_but_for_its_own_cells(
    state: TransactionState, event: LifecycleEvent
) -> None:
    if event in OF_PAGES.get(state, {}):
        assert advance(state, event, is_page=True) is OF_PAGES[state][event]
    elif event in TRANSITIONS[state] or event in IGNORED[state]:
        assert advance(state, event, is_page=True) is advance(state, event)
    else:
        with pytest.raises(IllegalTransition):
            advance(state, event, is_page=True)


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


WITHOUT_END = {S.CREATED, S.SENDING, S.NOT_SENT, S.UNKNOWN}


@every("state", sorted(set(TransactionState) - WITHOUT_END))
def test_that_a_page_ended_unpaid_is_outranked_by_every_word_of_the_gateway(state: TransactionState) -> None:
    assert advance(state, E.EXPIRED) is (S.EXPIRED if state in {S.OPEN, S.AWAITING_RESULT} else state)
