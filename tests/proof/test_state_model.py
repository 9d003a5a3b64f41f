"""The state model itself: the rules agree in many histories, and a rule that is changed is seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from proof.state_model import __main__ as state_model
from wallet_gateway.domain import states
from wallet_gateway.domain.states import LifecycleEvent, TransactionState

E, S = LifecycleEvent, TransactionState


def search(tmp_path: Path, histories: int) -> dict[str, Any]:
    result = tmp_path / "result.json"
    code = state_model.main(["--seed", "5", "--histories", str(histories), "--result", str(result)])
    found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    assert code == bool(found["found"])
    return found


def test_two_hundred_histories_agree_with_the_documentation(tmp_path: Path) -> None:
    found = search(tmp_path, 200)
    assert (found["part"], found["runs"], found["found"], found["notes"]) == ("state_model", 200, 0, [])


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
    table: Mapping[TransactionState, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "TRANSITIONS", table)
    assert search(tmp_path, 100)["found"]
