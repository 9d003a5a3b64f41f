"""Histories at both gateways: a seed is a history, and a fault is found and made short."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from proof.histories.shrink import shrink
from proof.histories.steps import (
    FAULTS,
    GATEWAYS,
    HABITS,
    OUTAGE,
    SANDBOX,
    VERBS,
    Fate,
    History,
    Step,
    draw_history,
)
from tests.architecture.sources import ROOT

FOUND = re.compile(r"^found: (?P<fault>.+), in history (?P<number>\d+), (?P<steps>\d+) steps: ", re.M)
PATIENCE = 1800
"""Seconds after which a run is a broken one, and not a busy machine."""


PART = {SANDBOX: "simulation", HABITS: "habits"}


def simulate(gateway: str, *arguments: str, hash_seed: str = "0") -> subprocess.Popen[str]:
    """Start histories in a process of their own: they exchange clocks, random numbers and settings."""
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return subprocess.Popen(
        [sys.executable, "-m", "proof", PART[gateway], *arguments],
        cwd=ROOT,
        env=environment | {"PYTHONHASHSEED": hash_seed},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def said(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=PATIENCE)
    return out


def last_trace_in(text: str) -> str:
    match = re.search(r"trace [0-9a-f]{16}, ([0-9a-f]{32})$", text, re.M)
    assert match, text
    return match[1]


@pytest.mark.wire
@pytest.mark.slow
@pytest.mark.parametrize("gateway", GATEWAYS)
def test_twenty_histories_hold_and_one_alone_does_the_same_statements_again(
    gateway: str, tmp_path: Path
) -> None:
    result = tmp_path / "result.json"
    given = ("--seed", "11", "--steps", "10")
    first = simulate(gateway, *given, "--histories", "20", "--result", str(result))
    # Without those before it, and with other hashes of texts: the order of a set decides nothing.
    alone = simulate(gateway, *given, "--only", "19", hash_seed="4711")
    text, again = said(first), said(alone)

    assert first.returncode == 0, text
    assert last_trace_in(text) == last_trace_in(again)
    found = json.loads(result.read_text(encoding="utf-8"))
    assert (found["runs"], found["failures"]) == (20, [])
    assert "requests with a fault" in found["notes"][0], "nobody takes an empty search for a proof"


@pytest.mark.wire
@pytest.mark.exhaustive
@pytest.mark.parametrize(("gateway", "planted", "seed"), [(SANDBOX, 5, "21"), (HABITS, 9, "23")])
def test_faults_that_are_planted_are_found_within_sixty_histories_and_made_short(
    gateway: str, planted: int, seed: str
) -> None:
    process = simulate(gateway, "--planted", "quick", "--seed", seed, "--histories", "60", "--steps", "10")
    text = said(process)
    assert process.returncode == 0, text
    lengths = {match["fault"]: int(match["steps"]) for match in FOUND.finditer(text)}
    assert len(lengths) == planted, text
    assert max(lengths.values()) <= 8, text


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_a_seed_is_a_history_and_another_one_another(gateway: str) -> None:
    assert draw_history("1/0", 30, gateway) == draw_history("1/0", 30, gateway)
    assert draw_history("1/0", 30, gateway) != draw_history("1/1", 30, gateway)
    assert len(draw_history("1/0", 30, gateway).steps) == 30


def test_several_processes_are_given_more_orders_and_more_to_do_with_each() -> None:
    def drawn(*, is_of_several: bool) -> Counter[str]:
        histories = [
            draw_history(f"1/{number}", 30, SANDBOX, is_of_several=is_of_several) for number in range(50)
        ]
        return Counter(step.verb for history in histories for step in history.steps)

    of_one, of_several = drawn(is_of_several=False), drawn(is_of_several=True)
    assert all(of_several[verb] > 1.5 * of_one[verb] for verb in ("pay_on_page", "capture", "refund"))
    assert set(of_several) >= {"sweep", "compare", "portal", "decide", "settle_pending"}


def test_every_verb_is_drawn_at_one_of_the_gateways() -> None:
    drawn = [step for gateway in GATEWAYS for step in steps_at(gateway)]
    assert {step.verb for step in drawn} == set(VERBS)


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_every_fault_is_drawn(gateway: str) -> None:
    steps = steps_at(gateway)
    assert {fault for step in steps for _, fault in step.fate.faults} == set(FAULTS[gateway])
    assert {call for step in steps for call, _ in step.fate.faults} >= {OUTAGE, 1, 2, 3}
    assert any(step.fate.dies_at for step in steps)
    assert any(step.fate.loses_database_at for step in steps)
    assert any(step.fate.meanwhile for step in steps)


def steps_at(gateway: str) -> list[Step]:
    return [step for number in range(150) for step in draw_history(f"1/{number}", 30, gateway).steps]


def test_a_key_that_is_drawn_is_one_that_the_plugin_takes() -> None:
    steps = [step for gateway in GATEWAYS for step in steps_at(gateway)]
    keys = {step.given["key"] for step in steps if step.given.get("key")}
    assert len(keys) == 3
    # With others no follow-up would be tried, and no second click.
    assert all(re.fullmatch(r"[!-~]{1,64}", key) for key in keys)


def test_what_is_left_of_a_failing_history_is_needed() -> None:
    chance = Random(5)
    fate = Fate(faults=((1, "late"), (2, "dns")), dies_at=7)
    steps = [Step(verb="wait", salt=salt) for salt in range(20)]
    needed = {4, 13}
    for salt in needed:
        steps[salt] = Step(verb="refund", fate=fate, salt=salt)
    chance.shuffle(steps)

    def fails(history: History) -> bool:
        refunds = [step for step in history.steps if step.verb == "refund"]
        is_late = history.behaviour.get("lag") == 30
        return is_late and len(refunds) == 2 and any((1, "late") in step.fate.faults for step in refunds)

    behaviour = {"order": "newest", "lag": 30}
    history = History(seed="x", gateway=HABITS, settings={}, behaviour=behaviour, steps=tuple(steps))
    shortest = shrink(history, fails)

    assert {step.salt for step in shortest.steps} == needed
    assert sorted(len(step.fate.faults) for step in shortest.steps) == [0, 1]
    assert not any(step.fate.dies_at for step in shortest.steps)
    assert shortest.behaviour == {"lag": 30}
    assert "late at call 1" in str(shortest)
