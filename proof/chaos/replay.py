"""Play a history again with one worker and a clock that stands, and say whether it fails in the same way.

Each replay is a forked process, so that nothing of it is left in this one but its word.
"""

from __future__ import annotations

import json
import multiprocessing
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from django.db import connections

from proof.chaos.calm import settle_down
from proof.chaos.clock import ShopClock
from proof.chaos.outcomes import BROKE
from proof.chaos.plan import Plan, Step
from proof.chaos.shop import Shop, empty_tables, furnish
from proof.chaos.shrink import with_their_times
from proof.chaos.transport import SendingLog
from proof.chaos.verdict import Failure, judge
from proof.chaos.worker import Result, die_here, perform_all
from wallet_gateway import gateways
from wallet_gateway.testing.control import SandboxControl

_LONGEST_REPLAY: Final = 600.0
_NUMBERS: Final = re.compile(r"\d+")


def signature_of(failures: Sequence[Failure], broken: Sequence[Result]) -> frozenset[str]:
    """Return what failed, without numbers: another run has other amounts and references."""
    claims = {failure.claim for failure in failures}
    errors = {result.trace.strip().rpartition("\n")[2].partition(":")[0] for result in broken}
    return frozenset(_NUMBERS.sub("N", text) for text in claims | errors)


class Replay:
    """Plays parts of a plan in the database of a run, emptied before."""

    def __init__(self, plan: Plan, control: SandboxControl, folder: Path, *, wanted: frozenset[str]) -> None:
        self._plan, self._control, self._folder, self._wanted = plan, control, folder, wanted
        self.count = 0

    def fails(self, steps: Sequence[Step]) -> bool:
        """Return whether this history shows one of the failures that were found."""
        self.count += 1
        answer = self._folder / "replay.json"
        answer.write_text("[]")
        connections.close_all()
        plan = self._plan.with_steps(with_their_times(steps, self._plan.steps))
        process = multiprocessing.get_context("fork").Process(target=self._play, args=(plan, answer))
        process.start()
        process.join(_LONGEST_REPLAY)
        if process.is_alive():
            process.kill()
            process.join()
        return bool(self._wanted & set(json.loads(answer.read_text())))

    def _play(self, plan: Plan, answer: Path) -> None:
        gateways.forget_gateways()
        empty_tables()
        self._control.reset()
        furnish(self._control)
        clock = ShopClock(self._folder / "clock-of-replay", is_standing=True)
        log = SendingLog(self._folder / "sent-in-replay")
        log.forget()
        shop = Shop(plan=plan, control=self._control, clock=clock, log=log, die=die_here)
        shop.open()
        results = perform_all(shop)
        settle_down(shop)
        broken = [result for result in results if result.outcome == BROKE]
        answer.write_text(json.dumps(sorted(signature_of(judge(log.sent()).failures, broken))))
