"""Run histories: from the first step to the calm at the end; make short what fails."""

from __future__ import annotations

import contextlib
import logging
import sys
import traceback
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from typing import Final

from proof.habits.actors import VERBS, NothingToDo
from proof.habits.gateway import Habits
from proof.habits.judge import Judge
from proof.habits.steps import draw_history
from proof.habits.world import World
from proof.simulation.shrink import shrink
from proof.simulation.steps import History, Step
from wallet_gateway import payments
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.operations.errors import OperationError
from wallet_gateway.testing.invariants import BooksDisagree

_CALM_HOURS: Final = (1, 26, 26, 100, 200)
"""How long the world is left alone at the end, with a sweep after each."""


PLANTED_STEPS: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What is wrong with a history."""

    history: History
    claim: str
    """What does not hold, the same for all histories with this fault."""
    text: str
    step: int
    """After how many steps it showed."""
    is_at_end: bool

    def __str__(self) -> str:
        when = "at the end" if self.is_at_end else f"after step {self.step}"
        habits, plain = self.history.behaviour["habits"], Habits()
        said = {one.name: getattr(habits, one.name) for one in fields(Habits)}
        odd = ", ".join(f"{name}={value}" for name, value in said.items() if value != getattr(plain, name))
        lines = [
            f"FOUND: {self.claim}",
            f"history {self.history.seed}, a gateway with {odd or 'no odd habits'}",
        ]
        lines += [f"  {number}. {step}" for number, step in enumerate(self.history.steps, 1)]
        return "\n".join([*lines, f"  {when}: {self.text}\n"])


@dataclass(slots=True, kw_only=True)
class Search:
    """What a run of many histories has found."""

    runs: int = 0
    found: list[Failure] = field(default_factory=list)
    """One failure for each claim that does not hold, with the shortest history that shows it."""
    again: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    """How often each step did something, was refused, or found nothing to act on."""

    @property
    def notes(self) -> list[str]:
        """Return what was done, and each claim that did not hold, for the summary."""
        counts = ", ".join(f"{count:,} {what}" for what, count in sorted(self.done.items()))
        return [counts] + [
            f"{failure.history.seed}: {failure.claim} (and {self.again[failure.claim]} more histories)"
            for failure in self.found
        ]


def find_planted(client: type[Gateway], world: World, *, seed: int, histories: int) -> Failure | None:
    """Return what a client that hides something leads to, in a history that holds without it."""
    for number in range(histories):
        history = draw_history(f"{seed}/{number}", PLANTED_STEPS)
        world.client = f"{client.__module__}.{client.__qualname__}"
        failure = run(history, world)
        world.client = ""
        if failure is not None and run(history, world) is None:
            return failure
    return None


def search(world: World, *, seed: int, numbers: range, steps: int, most_failures: int) -> Search:
    """Run the histories of a seed; the number of a history is part of its own seed."""
    found = Search()
    for number in numbers:
        history = draw_history(f"{seed}/{number}", steps)
        failure = run(history, world, done=found.done)
        found.runs += 1
        if failure is None:
            continue
        if any(known.claim == failure.claim for known in found.found):
            found.again[failure.claim] += 1
            continue
        found.found.append(_shortest(failure, world))
        sys.stdout.write(str(found.found[-1]))
        sys.stdout.flush()
        if len(found.found) >= most_failures:
            break
    return found


def run(history: History, world: World, *, done: Counter[str] | None = None) -> Failure | None:
    """Run one history; an error that nobody expects is a failure, too."""
    number, is_at_end, judge = 0, False, Judge(world)
    done = Counter() if done is None else done
    # What the plugin says to its log is not looked at here.
    logging.disable(logging.CRITICAL)
    with world.patched():
        world.chance.seed(history.seed)
        world.restart(history.behaviour["habits"], history.seed)
        try:
            for step in history.steps:
                number += 1
                done[f"{step.verb} {_do(step, history, world)}"] += 1
                judge.look()
            is_at_end = True
            _end(world)
            judge.look_at_end()
        except BooksDisagree as error:
            return Failure(
                history=history, claim=error.claim, text=str(error), step=number, is_at_end=is_at_end
            )
        except Exception as error:  # noqa: BLE001  whatever it is, it is a finding
            place = traceback.extract_tb(error.__traceback__)[-1]
            claim = f"{type(error).__name__} at {place.filename.rpartition('/')[2]} {place.name}"
            text = "".join(traceback.format_exception(error, chain=False))
            return Failure(history=history, claim=claim, text=text, step=number, is_at_end=is_at_end)
    return None


def _do(step: Step, history: History, world: World) -> str:
    world.chance.seed(history.seed, step.salt)
    try:
        VERBS[step.verb](world, **step.given)
    except NothingToDo:
        return "(nothing to do)"
    except OperationError as refusal:
        # A refusal is a right answer.
        return f"({refusal.code})" if step.verb in ("decide", "book") else "(refused)"
    finally:
        world.gateway.fate = "works"
    return "done"


def _end(world: World) -> None:
    """Let time go on until everything was asked about; nobody does anything any more."""
    world.chance.seed("end")
    for hours in _CALM_HOURS:
        world.time.pass_by(hours * 3_600)
        payments.sweep()
    with contextlib.suppress(OperationError):
        list(payments.maintenance.comparison("default", days=400, repair_as="anna").rows)
    payments.sweep()


def _shortest(failure: Failure, world: World) -> Failure:
    """Return the failure of the shortest history that fails by the same claim."""

    def fails(shorter: History) -> bool:
        return getattr(run(shorter, world), "claim", "") == failure.claim

    begun = failure.history.of(failure.history.steps[: failure.step])
    shortest = shrink(begun if fails(begun) else failure.history, fails)
    for one in fields(Habits):
        habits = replace(shortest.behaviour["habits"], **{one.name: getattr(Habits(), one.name)})
        plainer = replace(shortest, behaviour={"habits": habits})
        if plainer != shortest and fails(plainer):
            shortest = plainer
    return run(shortest, world) or failure
