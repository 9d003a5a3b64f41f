"""Every cell of the table of transitions, written down a second time, and what the cells promise together."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.domain.lifecycle import (
    FINAL_STATES,
    HELD_STATES,
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
SENDERS = {E.NOTHING_LEFT, E.LOST, E.PAGE_LOST, E.OPENED, E.CHALLENGED}
NOTHING_SENT = (
    "CLAIM SENDING, APPROVED ANOMALY, ABANDONED ABANDONED, CONTRADICTED ANOMALY",
    "HELD, REJECTED",
)
DECIDED = "APPROVED APPROVED, REJECTED REJECTED, CONTRADICTED ANOMALY"
ENDED = "ABANDONED ABANDONED, " + DECIDED

# For each state the events that change it, and those that change nothing; every other event is refused.
# "senders" are the five events that only a sender reports.
MATRIX = {
    S.CREATED: NOTHING_SENT,
    S.SENDING: (
        (
            "NOTHING_LEFT NOT_SENT, LOST UNKNOWN, PAGE_LOST ABANDONED, OPENED OPEN,"
            f" HELD PENDING, CHALLENGED AWAITING_3DS, {DECIDED}"
        ),
        "",
    ),
    S.NOT_SENT: (NOTHING_SENT[0], f"senders, {NOTHING_SENT[1]}"),
    S.UNKNOWN: (f"HELD PENDING, {ENDED}", "senders"),
    S.AWAITING_RESULT: (f"EXPIRED EXPIRED, {NOTHING_SENT[0]}", f"senders, {NOTHING_SENT[1]}"),
    S.OPEN: (f"HELD PENDING, EXPIRED EXPIRED, {ENDED}", "senders"),
    S.AWAITING_3DS: (ENDED, "senders, HELD, EXPIRED"),
    S.PENDING: (f"HELD PENDING, {ENDED}", "senders, EXPIRED"),
    S.APPROVED: ("CONTRADICTED ANOMALY", "senders, HELD, APPROVED, REJECTED, EXPIRED"),
    S.REJECTED: ("APPROVED ANOMALY, CONTRADICTED ANOMALY", "senders, HELD, REJECTED, EXPIRED"),
    S.EXPIRED: ("HELD PENDING, APPROVED APPROVED, CONTRADICTED ANOMALY", "senders, REJECTED, EXPIRED"),
    S.ABANDONED: (
        "APPROVED ANOMALY, CONTRADICTED ANOMALY",
        "senders, HELD, REJECTED, EXPIRED, ABANDONED",
    ),
    S.ANOMALY: (
        "ABANDONED ABANDONED, ACCEPTED_BY_PERSON APPROVED",
        "senders, HELD, APPROVED, REJECTED, EXPIRED, CONTRADICTED",
    ),
}
OF_REFUSED_PAGES = {(S.REJECTED, E.HELD): S.PENDING, (S.REJECTED, E.APPROVED): S.APPROVED}
"""A second card on a refused page is money or pending, and no contradiction."""


def cells() -> Iterator[tuple[TransactionState, LifecycleEvent, TransactionState | None]]:
    """Yield each cell with the state it leads to; None where the event is refused."""
    for state, (moves, ignored) in MATRIX.items():
        led = {E(event): S(to) for event, to in (pair.split() for pair in moves.split(", "))}
        names = set(filter(None, ignored.split(", ")))
        kept = {E(name) for name in names - {"senders"}} | (SENDERS if "senders" in names else set())
        assert not kept & led.keys(), state
        yield from ((state, event, led.get(event, state if event in kept else None)) for event in E)


@every(("state", "event", "leads_to"), cells())
@every("is_page", [False, True])
def test_every_cell_is_as_it_was_decided(
    state: TransactionState, event: LifecycleEvent, leads_to: TransactionState | None, is_page: bool
) -> None:
    if is_page:
        leads_to = OF_REFUSED_PAGES.get((state, event), leads_to)
    if leads_to is None:
        with pytest.raises(IllegalTransition) as refused:
            advance(state, event, is_page=is_page)
        assert (refused.value.state, refused.value.event) == (state, event)
        assert str(refused.value) == f"a transaction in state {state} cannot take the event {event}"
    else:
        assert advance(state, event, is_page=is_page) is leads_to


def test_the_matrix_has_every_state() -> None:
    assert set(MATRIX) == set(TransactionState)


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


STARTS = (S.SENDING, S.UNKNOWN, S.OPEN, S.AWAITING_3DS, S.PENDING)


@given(st.lists(st.sampled_from((E.HELD, E.APPROVED, E.REJECTED)), max_size=6), st.sampled_from(STARTS))
def test_repeating_evidence_changes_nothing(events: list[LifecycleEvent], state: TransactionState) -> None:
    for event in events:
        once = advance(state, event)
        assert advance(once, event) is once
        state = once


@every("events", itertools.permutations((E.HELD, E.HELD, E.APPROVED)))
def test_pending_and_approved_end_approved_in_any_order(events: tuple[LifecycleEvent, ...]) -> None:
    assert functools.reduce(advance, events, S.UNKNOWN) is S.APPROVED


@every("state", sorted(set(TransactionState) - {S.CREATED, S.SENDING, S.NOT_SENT, S.UNKNOWN}))
def test_that_a_page_ended_unpaid_is_outranked_by_every_word_of_the_gateway(state: TransactionState) -> None:
    assert advance(state, E.EXPIRED) is (S.EXPIRED if state in {S.OPEN, S.AWAITING_RESULT} else state)
