"""One worker process of the shop: takes steps from the plan, until there are none or it dies.

It shares two things with the process that started it, neither of which a death can leave locked: a pipe of
step numbers, and a board of bytes.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import struct
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from proof.chaos.outcomes import BROKE, DIED, WorkerDied
from proof.chaos.plan import Step
from proof.chaos.shop import Shop
from proof.chaos.steps import perform

_NUMBER: Final = struct.Struct("<i")
_WAITING, _BEGUN, _ENDED = b"\0", b"\1", b"\2"


class Board:
    """What each step has come to, and the step that each worker has in hand; shared by forked processes."""

    def __init__(self, *, steps: int, workers: int) -> None:
        self._steps = steps
        self._bytes = mmap.mmap(-1, steps + 1 + _NUMBER.size * workers)

    def begin(self, step: int, worker: int) -> None:
        """Note that a worker has taken a step."""
        self._bytes[step : step + 1] = _BEGUN
        self._put(worker, step)

    def end(self, step: int, worker: int) -> None:
        """Note that a worker is through with a step."""
        self._bytes[step : step + 1] = _ENDED
        self._put(worker, 0)

    def forget(self, worker: int) -> int:
        """Return the step that a dead worker had in hand, 0 for none, and note that it has none now."""
        place = self._place(worker)
        (step,) = _NUMBER.unpack(self._bytes[place : place + _NUMBER.size])
        self._put(worker, 0)
        return int(step)

    def taken(self) -> int:
        """Return how many steps were begun at least once."""
        return self._steps - self._count(_WAITING)

    def ended(self) -> int:
        """Return how many steps came to an end."""
        return self._count(_ENDED)

    def _count(self, value: bytes) -> int:
        return bytes(self._bytes[1 : self._steps + 1]).count(value)

    def _put(self, worker: int, step: int) -> None:
        place = self._place(worker)
        self._bytes[place : place + _NUMBER.size] = _NUMBER.pack(step)

    def _place(self, worker: int) -> int:
        return self._steps + 1 + _NUMBER.size * worker


class Feed:
    """A pipe of step numbers that any worker may take from: four bytes are read in one piece or not."""

    def __init__(self) -> None:
        self._out, self._in = os.pipe()

    def put(self, step: int) -> None:
        """Offer a step, or its repetition by a negative number; never more than the pipe holds."""
        os.write(self._in, _NUMBER.pack(step))

    def end(self) -> None:
        """Offer no more: who asks for another is told so. May be called again."""
        if self._in >= 0:
            os.close(self._in)
            self._in = -1

    def close(self) -> None:
        """Give back both ends."""
        self.end()
        os.close(self._out)

    def __iter__(self) -> Iterator[int]:
        while piece := os.read(self._out, _NUMBER.size):
            yield _NUMBER.unpack(piece)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one step in one worker."""

    step: int
    outcome: str
    trace: str = ""


def work(shop: Shop, *, number: int, feed: Feed, board: Board, results: Path) -> None:
    """Be one worker: the main function of a forked process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = os.getppid()
    feed.end()
    shop.open()
    for step_number in feed:
        if os.getppid() != parent:
            return
        step = shop.plan.steps[abs(step_number) - 1]
        board.begin(step.number, number)
        write_result(results, attempt(shop, step if step_number > 0 else replace(step, fault=None)))
        board.end(step.number, number)


def attempt(shop: Shop, step: Step) -> Result:
    """Perform a step and turn every end of it into a result."""
    try:
        return Result(step=step.number, outcome=perform(shop, step))
    except WorkerDied:
        return Result(step=step.number, outcome=DIED)
    except Exception:  # noqa: BLE001 - whatever no caller is prepared for is a failure of the run
        return Result(step=step.number, outcome=BROKE, trace=traceback.format_exc())


def write_result(file: Path, result: Result) -> None:
    """Add one line to a worker's results; of a killed worker the last one may be cut off."""
    with file.open("a") as lines:
        lines.write(json.dumps(asdict(result)) + "\n")


def read_results(files: Iterable[Path]) -> list[Result]:
    """Return what all workers have written."""
    found = []
    for file in files:
        for line in file.read_text().splitlines():
            if line.endswith("}"):
                found.append(Result(**json.loads(line)))
    return sorted(found, key=lambda result: result.step)


def kill_self() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def die_here() -> None:
    """Let the step end as though its process had died, where the process goes on."""
    raise WorkerDied


def perform_all(shop: Shop, *, tell: Callable[[int], object] = abs) -> list[Result]:
    """Perform all steps of a plan in this process, in order."""
    results = []
    for step in shop.plan.steps:
        results.append(attempt(shop, step))
        tell(len(results))
    return results
