"""The state model itself: the rules agree in many histories, and a rule that is changed is seen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from proof.state_model.histories import run
from wallet_gateway.domain import states
from wallet_gateway.domain.states import LifecycleEvent, TransactionState

E, S = LifecycleEvent, TransactionState


def test_two_hundred_histories_agree_with_the_documentation() -> None:
    found = run(seed=5, histories=200)
    assert (found.runs, found.failures, found.notes) == (200, [], [])


def changed(state: TransactionState, **moves: TransactionState) -> Mapping[TransactionState, object]:
    """The table of transitions with other moves from one state."""
    table = dict(states.TRANSITIONS)
    table[state] = {**table[state], **{E(event): after for event, after in moves.items()}}
    return MappingProxyType(table)


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(changed(S.UNKNOWN, CLAIM=S.SENDING), id="what may have happened is sent again"),
        pytest.param(changed(S.SENDING, LOST=S.REJECTED), id="what was lost counts as refused"),
        pytest.param(changed(S.ABANDONED, APPROVED=S.APPROVED), id="what was given up is approved silently"),
        pytest.param(changed(S.APPROVED, REJECTED=S.REJECTED), id="a final state changes"),
    ],
)
def test_another_transition_is_seen(
    table: Mapping[TransactionState, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "TRANSITIONS", table)
    assert run(seed=5, histories=100).failures
