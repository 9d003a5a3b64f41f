"""The table of transitions, walked cell by cell."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.domain.lifecycle import (
    FINAL_STATES,
    HELD_STATES,
    IGNORED,
    OF_PAGES,
    OUTSTANDING_STATES,
    SENDABLE_STATES,
    TRANSITIONS,
    UNSENT_STATES,
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


@every(("state", "event"), CELLS, ids=[f"{s}-{e}" for s, e in CELLS])
def test_every_cell_moves_ignores_or_refuses_by_name(state: TransactionState, event: LifecycleEvent) -> None:
    if event in TRANSITIONS[state]:
        assert advance(state, event) is TRANSITIONS[state][event]
    elif event in IGNORED[state]:
        assert advance(state, event) is state
    else:
        with pytest.raises(IllegalTransition, match=f"state {state} .* event {event}"):
            advance(state, event)


@every("state", sorted(set(TransactionState) - UNSENT_STATES))
def test_only_what_never_left_can_be_claimed_for_sending(state: TransactionState) -> None:
    with pytest.raises(IllegalTransition):
        advance(state, E.CLAIM)


@every("event", [E.APPROVED, E.REJECTED, E.HELD, E.CONTRADICTED])
@every("state", sorted(TransactionState))
def test_evidence_is_never_refused_by_a_state_in_which_the_gateway_can_have_spoken(
    state: TransactionState, event: LifecycleEvent
) -> None:
    if state in UNSENT_STATES:
        assert advance(state, event) in {state, S.ANOMALY}
    else:
        advance(state, event)


def test_an_unknown_outcome_ends_by_evidence_or_by_a_person_and_by_nothing_else() -> None:
    assert set(TRANSITIONS[S.UNKNOWN]) == {E.HELD, E.APPROVED, E.REJECTED, E.CONTRADICTED, E.ABANDONED}


def test_an_open_page_ends_by_evidence_by_its_time_or_by_a_person() -> None:
    assert set(TRANSITIONS[S.OPEN]) == {
        *(E.HELD, E.APPROVED, E.REJECTED, E.CONTRADICTED, E.EXPIRED, E.ABANDONED)
    }


@pytest.mark.parametrize("state", [S.REJECTED, S.ABANDONED, *sorted(UNSENT_STATES)])
def test_an_approval_after_an_end_without_money_is_a_contradiction(state: TransactionState) -> None:
    assert advance(state, E.APPROVED) is S.ANOMALY


def test_a_late_success_of_an_expired_page_is_money_and_not_a_contradiction() -> None:
    assert advance(S.EXPIRED, E.APPROVED) is S.APPROVED


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


def test_a_sender_that_lost_its_claim_changes_nothing_it_was_overtaken_in() -> None:
    for state in set(TransactionState) - {S.CREATED, S.SENDING}:
        for event in (E.NOTHING_LEFT, E.LOST, E.PAGE_LOST, E.OPENED, E.CHALLENGED):
            assert advance(state, event) is state


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


def test_the_groups_of_states_fit_together() -> None:
    assert not FINAL_STATES & HELD_STATES
    assert OUTSTANDING_STATES <= HELD_STATES
    assert SENDABLE_STATES <= HELD_STATES
    assert S.AWAITING_RESULT not in HELD_STATES


WITHOUT_END = {S.CREATED, S.SENDING, S.NOT_SENT, S.UNKNOWN}


@every("state", sorted(set(TransactionState) - WITHOUT_END))
def test_that_a_page_ended_unpaid_is_outranked_by_every_word_of_the_gateway(state: TransactionState) -> None:
    assert advance(state, E.EXPIRED) is (S.EXPIRED if state in {S.OPEN, S.AWAITING_RESULT} else state)


def test_three_d_secure_ends_by_the_gateways_word_or_a_persons_and_pending_is_no_news() -> None:
    assert advance(S.SENDING, E.CHALLENGED) is S.AWAITING_3DS
    assert advance(S.AWAITING_3DS, E.HELD) is S.AWAITING_3DS
    assert set(TRANSITIONS[S.AWAITING_3DS]) == {E.APPROVED, E.REJECTED, E.CONTRADICTED, E.ABANDONED}


def test_a_button_that_was_never_pressed_keeps_nothing_and_sends_nothing() -> None:
    assert set(TRANSITIONS[S.AWAITING_RESULT]) == {
        *(E.CLAIM, E.EXPIRED, E.ABANDONED, E.APPROVED, E.CONTRADICTED)
    }
    assert S.AWAITING_RESULT not in OUTSTANDING_STATES
