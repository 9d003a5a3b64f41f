"""One run with its rows: the plan worked through, the calm after it, the comparison, the shortest failure."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proof.chaos.calm import settle_down
from proof.chaos.clock import ShopClock
from proof.chaos.crew import Crew, CrewReport
from proof.chaos.options import Options
from proof.chaos.plan import make_plan
from proof.chaos.replay import Replay, signature_of
from proof.chaos.report import Report
from proof.chaos.shop import Shop, furnish, make_tables
from proof.chaos.shrink import first_suspects, shrink, with_their_times
from proof.chaos.transport import SendingLog
from proof.chaos.verdict import judge
from proof.chaos.worker import Result, die_here, perform_all, read_results
from wallet_gateway.testing.control import SandboxControl

_SECONDS_BETWEEN_LINES: Final = 5.0


class Session:
    """A run in a process with Django set up, on empty tables."""

    def __init__(
        self, options: Options, folder: Path, control: SandboxControl, *, say: Callable[[str], None]
    ) -> None:
        self._options, self._folder, self._control, self._say = options, folder, control, say
        self._plan = make_plan(options.seed, options.operations, kill=options.kill)

    def run(self) -> Report:
        """Work through the plan, compare the books, and look for the shortest history of a failure."""
        began = time.monotonic()
        self._say(f"Seed {self._options.seed_token}: {self._options.line}")
        make_tables()
        furnish(self._control)
        shop = self._shop()
        shop.open()
        crew, results = self._work(shop)
        self._say("All operations have ended. No more faults; time goes on until nothing moves.")
        sweeps = settle_down(shop)
        report = Report(
            options=self._options,
            plan=self._plan,
            crew=crew,
            results=results,
            verdict=judge(shop.log.sent()),
            sweeps=sweeps,
            seconds=time.monotonic() - began,
        )
        if report.found and self._options.shrink_seconds:
            self._shrink(report)
        return report

    def _shop(self) -> Shop:
        clock = ShopClock(self._folder / "clock", is_standing=self._options.is_repeatable)
        log = SendingLog(self._folder / "sent")
        return Shop(plan=self._plan, control=self._control, clock=clock, log=log, die=die_here)

    def _work(self, shop: Shop) -> tuple[CrewReport, list[Result]]:
        progress = _Progress(len(self._plan.steps), self._say)
        if self._options.is_repeatable:
            return CrewReport(), perform_all(shop, tell=lambda ended: progress.tell(ended, CrewReport()))
        crew = Crew(shop, workers=self._options.workers, kill=self._options.kill, folder=self._folder)
        report = crew.run(progress.tell)
        return report, read_results(crew.result_files())

    def _shrink(self, report: Report) -> None:
        wanted = signature_of(report.verdict.failures, report.broken)
        self._say(
            f"{report.found} found. Looking for a short history for {self._options.shrink_seconds:g} seconds."
        )
        replay = Replay(self._plan, self._control, self._folder, wanted=wanted)
        suspects = first_suspects(
            self._plan.steps, report.verdict.failures, report.broken, report.crew.interrupted
        )
        deadline = time.monotonic() + self._options.shrink_seconds
        shortest = shrink(suspects, replay.fails, deadline=deadline)
        report.shortest = with_their_times(shortest or (), self._plan.steps)
        report.shrinking = (
            f"The shortest history found that still fails with one worker, {len(shortest)} steps, in "
            f"{replay.count} replays:"
            if shortest
            else f"With one worker it does not fail ({replay.count} replays): it needs several at once."
        )


@dataclass(slots=True)
class _Progress:
    """Says now and then how far a run has come."""

    operations: int
    say: Callable[[str], None]
    said_at: float = 0.0

    def tell(self, ended: int, crew: CrewReport) -> None:
        """Say it, if the last word is some seconds old."""
        if time.monotonic() - self.said_at >= _SECONDS_BETWEEN_LINES:
            self.said_at = time.monotonic()
            died = f", {crew.kills + crew.deaths} workers died" if crew.kills + crew.deaths else ""
            self.say(f"{ended} of {self.operations} operations{died}")
