"""The workers of a run: started, fed, killed at random moments, started again. Only processes of this run."""

from __future__ import annotations

import multiprocessing
import random
import signal
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from django.db import connections

from proof.chaos.shop import Shop
from proof.chaos.worker import Board, Feed, kill_self, work

_OFFERED_AHEAD: Final = 8
"""How many steps wait in the pipe for each worker."""
_REST: Final = 0.005
_SECONDS_WITHOUT_A_STEP: Final = 180.0
"""A run in which nothing ends for so long hangs."""
_SECONDS_UNTIL_STALLED: Final = 5.0
_STEPS_BETWEEN_KILLS: Final = (8, 60)


class NothingMoves(AssertionError):
    """The workers have ended no step for a long time."""


class WorkerFailed(AssertionError):
    """A worker has ended in a way that no step explains."""


@dataclass(slots=True)
class CrewReport:
    """What happened to the workers."""

    kills: int = 0
    """By the run, at random moments."""
    deaths: int = 0
    """By the plan, right before a request left or right after its answer."""
    interrupted: list[int] = field(default_factory=list)
    """The steps that a worker had in hand when it was killed at a random moment."""
    repeated: int = 0
    not_begun: int = 0
    """Steps that went with a worker between the pipe and its hand."""


class Crew:
    """Some workers, and the steps that they are still to take."""

    def __init__(self, shop: Shop, *, workers: int, kill: bool, folder: Path) -> None:
        self._shop = replace(shop, die=kill_self)
        self._workers = workers
        self._kill = kill
        self._folder = folder
        self._steps = shop.plan.steps
        self._board = Board(steps=len(self._steps), workers=workers)
        self._feed = Feed()
        self._todo = deque(step.number for step in self._steps)
        self._offered = 0
        self._repeated: set[int] = set()
        self._processes: dict[int, BaseProcess] = {}
        self._fork = multiprocessing.get_context("fork")
        # The plan does not depend on it: when a process is killed is a matter of the moment anyway.
        self._draw = random.Random(shop.plan.seed)
        self.report = CrewReport()

    def run(self, tell: Callable[[int, CrewReport], None]) -> CrewReport:
        """Work through all steps; `tell` is called now and then with how many have ended."""
        try:
            for number in range(self._workers):
                self._start(number)
            self._drive(tell)
        finally:
            self._end_all()
            self._feed.close()
        self.report.not_begun = len(self._steps) - self._board.taken()
        return self.report

    def result_files(self) -> list[Path]:
        """Return the files in which the workers have written what came of each step."""
        return sorted(self._folder.glob("results-*.jsonl"))

    def _start(self, number: int) -> None:
        # A forked process must not use its parent's connection.
        connections.close_all()
        process = self._fork.Process(
            target=work,
            args=(self._shop,),
            kwargs={
                "number": number,
                "feed": self._feed,
                "board": self._board,
                "results": self._folder / f"results-{number}.jsonl",
            },
            daemon=True,
        )
        process.start()
        self._processes[number] = process

    def _drive(self, tell: Callable[[int, CrewReport], None]) -> None:
        next_kill = self._drawn_distance() if self._kill else None
        last, moved_at = -1, time.monotonic()
        while self._processes:
            self._offer(is_stalled=time.monotonic() - moved_at > _SECONDS_UNTIL_STALLED)
            self._bury()
            ended = self._board.ended()
            if ended != last:
                last, moved_at = ended, time.monotonic()
                tell(ended, self.report)
            elif time.monotonic() - moved_at > _SECONDS_WITHOUT_A_STEP:
                raise NothingMoves(f"no step has ended for {_SECONDS_WITHOUT_A_STEP:g} seconds")
            # All may have ended by themselves meanwhile.
            if next_kill is not None and ended >= next_kill and self._processes:
                self._kill_one()
                next_kill = ended + self._drawn_distance()
            time.sleep(_REST)

    def _drawn_distance(self) -> int:
        return self._draw.randint(*_STEPS_BETWEEN_KILLS)

    def _offer(self, *, is_stalled: bool) -> None:
        """Keep the pipe filled a little, also where steps went with a worker that had just read them."""
        while self._todo and (self._is_short() or is_stalled):
            step = self._todo.popleft()
            self._feed.put(step)
            self._offered += step > 0
            is_stalled = False
        if not self._todo:
            self._feed.end()

    def _is_short(self) -> bool:
        return self._offered - self._board.taken() < _OFFERED_AHEAD * self._workers

    def _kill_one(self) -> None:
        number = self._draw.choice(sorted(self._processes))
        self._processes[number].kill()
        self.report.kills += 1
        self._processes[number].join()
        self._bury(killed=number)

    def _bury(self, *, killed: int | None = None) -> None:
        for number, process in list(self._processes.items()):
            if process.is_alive():
                continue
            process.join()
            del self._processes[number]
            if process.exitcode not in {0, -signal.SIGKILL}:
                raise WorkerFailed(f"a worker ended by itself with code {process.exitcode}")
            if process.exitcode != 0:
                self._lost(number, by_plan=number != killed)
                if self._board.taken() < len(self._steps):
                    self._start(number)

    def _lost(self, number: int, *, by_plan: bool) -> None:
        step = self._board.forget(number)
        self.report.deaths += by_plan
        if not step:
            return
        if not by_plan:
            self.report.interrupted.append(step)
        if self._steps[step - 1].is_repeated and self._todo and step not in self._repeated:
            # The caller comes again soon, with the same key where there is one.
            self._repeated.add(step)
            self._todo.appendleft(-step)
            self.report.repeated += 1

    def _end_all(self) -> None:
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.join()
        self._processes.clear()
