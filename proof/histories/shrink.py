"""Make a history that fails as short as it goes, without chance: what is left is needed for the failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from proof.histories.steps import Fate, History, Step

Fails = Callable[[History], bool]


def shrink(history: History, fails: Fails) -> History:
    """Return the shortest history found that still fails: no step and no oddity can be left out."""
    before: History | None = None
    while history != before:
        before = history
        size = max(len(history.steps) // 2, 1)
        while size:
            history = _without_parts(history, size, fails)
            size //= 2
        history = _with_less_in_them(history, fails)
        history = _at_a_plainer_gateway(history, fails)
    return history


def _without_parts(history: History, size: int, fails: Fails) -> History:
    """Leave out each run of so many steps that is not needed."""
    start = 0
    while start < len(history.steps):
        shorter = history.of(history.steps[:start] + history.steps[start + size :])
        if fails(shorter):
            history = shorter
        else:
            start += size
    return history


def _at_a_plainer_gateway(history: History, fails: Fails) -> History:
    """Leave out each setting and each oddity of the gateway that is not needed: then it has its default."""
    for name in (*history.settings, *history.behaviour):
        settings = {key: value for key, value in history.settings.items() if key != name}
        behaviour = {key: value for key, value in history.behaviour.items() if key != name}
        plainer = replace(history, settings=settings, behaviour=behaviour)
        if fails(plainer):
            history = plainer
    return history


def _with_less_in_them(history: History, fails: Fails) -> History:
    """Leave out each fault of a step that is not needed."""
    for number in range(len(history.steps)):
        for simpler in _simpler(history.steps[number]):
            steps = history.steps
            candidate = history.of((*steps[:number], simpler, *steps[number + 1 :]))
            if fails(candidate):
                history = candidate
                break
    return history


def _simpler(step: Step) -> Iterator[Step]:
    """Yield the step with less in its fate, the boldest first."""
    fate = step.fate
    if fate == Fate():
        return
    yield replace(step, fate=Fate())
    for number in range(len(fate.faults)):
        left = fate.faults[:number] + fate.faults[number + 1 :]
        yield replace(step, fate=replace(fate, faults=left))
    if fate.dies_at:
        yield replace(step, fate=replace(fate, dies_at=0))
    if fate.loses_database_at:
        yield replace(step, fate=replace(fate, loses_database_at=0))
    if fate.meanwhile is not None:
        yield replace(step, fate=replace(fate, meanwhile=None, overtaken_at=0))
        for simpler in _simpler(fate.meanwhile):
            yield replace(step, fate=replace(fate, meanwhile=simpler))
