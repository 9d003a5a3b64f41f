"""Histories that several processes of a shop live at once, on one database and against one faulty sandbox.

Each takes the next step of the history. Some are killed within a step, and the caller may call again. When
all steps are done calm returns, and the judge of the histories compares the books of shop and gateway. The
seed repeats the plan, not which process was faster.
"""

from __future__ import annotations

import time
import traceback
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from random import Random

from proof.failures.judge import look_at_end
from proof.failures.processes import Child
from proof.failures.world import RealWorld
from proof.histories.run import calm_down
from proof.histories.steps import SANDBOX, Fate, History, NothingToDo, Step, draw_history, instead_of
from proof.histories.verbs import VERBS
from proof.results import Tally
from wallet_gateway.operation_errors import OperationError
from wallet_gateway.testing.control import SandboxRefused
from wallet_gateway.testing.invariants import BooksDisagree

_STEPS = 100
"""Of each history."""
_KILLED_FROM_OUTSIDE = 0.02
"""The share of steps that are killed at any moment, within a statement as well."""
_MOST_FAILURES = 5
_PATIENCE = 180.0
"""Seconds in which some step must end."""


def run(
    world: RealWorld, chance: Random, *, seed: int, operations: int, workers: int, only: int | None
) -> Tally:
    """Live through as many histories as have so many operations, or through one of them."""
    tally, ends, asked, doubles = Tally(), Counter[str](), Counter[str](), 0
    numbers = range(max(1, round(operations / _STEPS))) if only is None else (only,)
    for number in numbers:
        history = draw_history(f"{seed}/{number}", _STEPS, SANDBOX, is_of_several=True)
        world.restart(history)
        wrong = _live_through(history, world, workers, chance, ends) or _judged(world)
        asked += world.asked()
        doubles += sum(sum(times.values()) > 1 for times in world.gateway.executed().values())
        if wrong:
            tally.failures.append(f"history {number}: {wrong}")
            print(f"FOUND {tally.failures[-1]}\n{history}")
        print(f"{number + 1} histories, {ends.total()} steps", flush=True)
        if len(tally.failures) >= _MOST_FAILURES:
            break
    tally.runs += ends.total()
    told = [", ".join(f"{count:,} {what}" for what, count in some.most_common()) for some in (ends, asked)]
    tally.notes += [f"{workers} workers", *told, f"{doubles} doubles of the gateway, all named"]
    return tally


def _live_through(
    history: History, world: RealWorld, workers: int, chance: Random, ends: Counter[str]
) -> str:
    """Let several processes take the steps of a history; return what no caller is prepared for."""
    todo, wrong = deque(_all_steps(history)), ""
    idle = [_begin(history, world) for _ in range(workers)]
    busy: dict[Connection, tuple[Child, Step]] = {}
    try:
        while busy or (todo and not wrong):
            while todo and idle and not wrong:
                child, step = idle.pop(), todo.popleft()
                child.pipe.send(step)
                busy[child.pipe] = child, step
                if chance.random() < _KILLED_FROM_OUTSIDE:
                    time.sleep(chance.random() * 0.05)
                    child.kill()
            ready = wait(list(busy), timeout=_PATIENCE)
            if not ready:
                steps = "; ".join(str(step) for _, step in busy.values())
                return f"no step has ended for {_PATIENCE:g} seconds: {steps}"
            for pipe in [one for one in busy if one in ready]:
                child, step = busy.pop(pipe)
                try:
                    end, error, decided = pipe.recv()
                except (EOFError, ConnectionResetError):
                    child.ending()
                    end, error, decided = "killed", "", {}
                    if chance.random() < 0.5:
                        # The caller calls again.
                        todo.appendleft(replace(step, fate=Fate()))
                ends[end] += 1
                wrong = wrong or (error and f"{step}\n{error}")
                world.decided |= decided
                idle.append(child if child.is_alive else _begin(history, world))
    finally:
        for child in (*idle, *(child for child, _ in busy.values())):
            child.kill()
    return wrong


def _all_steps(history: History) -> Iterator[Step]:
    """Yield the steps; what is done meanwhile is the next one here, which another process takes."""
    for step in history.steps:
        yield step
        if step.fate.meanwhile:
            yield step.fate.meanwhile


def _judged(world: RealWorld) -> str:
    """Let calm return and compare; return what is wrong."""
    try:
        world.connect()
        calm_down(world)
        look_at_end(world)
    except BooksDisagree as difference:
        return str(difference)
    except Exception:  # noqa: BLE001  whatever it is, it is a finding
        return traceback.format_exc()
    return ""


# One process of the shop


def _begin(history: History, world: RealWorld) -> Child:
    return Child(lambda pipe: _live(pipe, history, world))


def _live(pipe: Connection, history: History, world: RealWorld) -> None:
    world.new_process()
    while True:
        end, error = _attempt(pipe.recv(), history, world)
        world.begin(Fate())
        pipe.send((end, error, world.decided))


def _attempt(step: Step, history: History, world: RealWorld) -> tuple[str, str]:
    """Do a step, or another one where it is idle; return how it ended, and an error that nobody expects."""
    world.begin(step.fate)
    try:
        VERBS[step.verb](world, **step.given)
    except NothingToDo:
        if history.fills_gaps:
            return _attempt(instead_of(step, history.gateway), history.of(history.steps), world)
        return "nothing to do", ""
    except OperationError:
        # A refusal is a right answer.
        return "refused", ""
    except SandboxRefused as refused:
        return "refused there", traceback.format_exc() if refused.status >= 500 else ""
    except Exception:  # noqa: BLE001  whatever it is, it is a finding
        return "broke", traceback.format_exc()
    return "done", ""
