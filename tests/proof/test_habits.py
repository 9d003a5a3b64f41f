"""Gateways that speak differently: forty histories hold, a seed is a history, and the search can fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from proof.habits.gateway import APPROVED, ERRORED, FATES, PAGE_OUTCOMES, PENDING, STATES
from proof.habits.steps import STEPS, draw_habits, draw_history
from tests.architecture.sources import ROOT
from tests.proof.test_simulation import PATIENCE


def habits(*arguments: str) -> tuple[int, str]:
    """Run a search in a process of its own: it exchanges clocks, random numbers and settings."""
    done = subprocess.run(
        [sys.executable, "-m", "proof.habits", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.wire
@pytest.mark.slow
def test_forty_histories_hold(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    code, text = habits("--seed", "11", "--histories", "40", "--steps", "15", "--result", str(result))

    assert code == 0, text
    found = json.loads(result.read_text(encoding="utf-8"))
    assert (found["part"], found["runs"], found["found"], found["seed"]) == ("habits", 40, 0, 11)
    assert "pay_on_page done" in found["notes"][0], "nobody takes an empty search for a proof"


@pytest.mark.wire
@pytest.mark.slow
def test_what_a_client_hides_or_changes_is_found() -> None:
    code, text = habits("--planted", "--seed", "11", "--histories", "60")
    assert code == 0, text


def test_a_seed_is_a_history_and_another_one_another() -> None:
    assert draw_history("1/0", 25) == draw_history("1/0", 25)
    assert draw_history("1/0", 25) != draw_history("1/1", 25)
    assert len(draw_history("1/0", 25).steps) == 25


def test_every_step_outcome_and_fate_is_drawn() -> None:
    steps = [step for number in range(150) for step in draw_history(f"1/{number}", 25).steps]
    assert {step.verb for step in steps} == set(STEPS)
    given = [step.given for step in steps]
    assert {one["outcome"] for one in given if "outcome" in one} >= set(PAGE_OUTCOMES)
    assert {one["fate"] for one in given if "fate" in one} == {"works", *FATES}


def test_every_habit_is_drawn_alone_and_beside_others() -> None:
    drawn = [draw_habits(Random(number)) for number in range(400)]
    for state in STATES:
        assert {one.words[state].lower() == state.lower() for one in drawn} == {True, False}
        assert {state in one.has_placeholder for one in drawn} == {True, False}
    for state in (ERRORED, PENDING):
        assert len({one.amounts[state] for one in drawn}) == 5
    assert {one.files for one in drawn} == {"own", "listed", "original"}
    assert {one.portal for one in drawn} == {"own", "original"}
    assert {one.order for one in drawn} == {"oldest", "newest", "shuffled"}
    for name in ("repeats", "mixes", "strangers", "shares"):
        assert {getattr(one, name) for one in drawn} == {True, False}
    plain = [one for one in drawn if one.words[APPROVED] == APPROVED and not one.has_placeholder]
    assert plain, "a gateway that speaks as the interface does is one of them"
