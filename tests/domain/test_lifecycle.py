"""Every cell of the table of transitions, written down a second time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.tables import every
from wallet_gateway.domain import states

S, E, K = states.TransactionState, states.LifecycleEvent, states.TransactionKind
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


def cells() -> Iterator[
    tuple[states.TransactionState, states.LifecycleEvent, states.TransactionState | None]
]:
    """Yield each cell with the state it leads to; None where the event is refused."""
    assert set(MATRIX) == set(S)
    for state, (moves, ignored) in MATRIX.items():
        led = {E(event): S(to) for event, to in (pair.split() for pair in moves.split(", "))}
        names = set(filter(None, ignored.split(", ")))
        kept = {E(name) for name in names - {"senders"}} | (SENDERS if "senders" in names else set())
        assert not kept & led.keys(), state
        yield from ((state, event, led.get(event, state if event in kept else None)) for event in E)


@every(("state", "event", "leads_to"), cells())
@every("is_page", [False, True])
def test_every_cell_is_as_it_was_decided(
    state: states.TransactionState,
    event: states.LifecycleEvent,
    leads_to: states.TransactionState | None,
    is_page: bool,
) -> None:
    if is_page:
        leads_to = OF_REFUSED_PAGES.get((state, event), leads_to)
    if leads_to is None:
        with pytest.raises(states.IllegalTransition) as refused:
            states.advance(state, event, is_page=is_page)
        assert (refused.value.state, refused.value.event) == (state, event)
        assert str(refused.value) == f"a transaction in state {state} cannot take the event {event}"
    else:
        assert states.advance(state, event, is_page=is_page) is leads_to


def test_the_groups_are_those_that_were_decided() -> None:
    assert {S.APPROVED, S.REJECTED, S.EXPIRED, S.ABANDONED} == states.FINAL_STATES
    held = {S.SENDING, S.NOT_SENT, S.UNKNOWN, S.AWAITING_3DS, S.PENDING, S.ANOMALY}
    assert held == states.HELD_STATES
    assert {S.SENDING, S.UNKNOWN, S.AWAITING_3DS, S.PENDING} == states.OUTSTANDING_STATES
    assert {S.SENDING, S.UNKNOWN, S.AWAITING_3DS, S.PENDING, S.NOT_SENT, S.OPEN} == states.UNENDED_STATES
    assert {S.NOT_SENT, S.AWAITING_RESULT} == states.UNSENT_STATES
    assert states.SENDER_EVENTS == SENDERS
    assert {K.CHECKOUT, K.AUTHORIZATION} == states.OPENING_KINDS
