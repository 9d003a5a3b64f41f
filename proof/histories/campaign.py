"""Many histories of one seed: run them, shrink those that fail, and tell what was found as it is found."""

from __future__ import annotations

import gc
import hashlib
import sys
from collections import Counter
from dataclasses import dataclass, field

from proof.histories.run import Failure, run
from proof.histories.shares import Plan
from proof.histories.shrink import shrink
from proof.histories.steps import History, draw_history
from proof.histories.virtual_world import VirtualWorld


@dataclass(slots=True, kw_only=True)
class Campaign:
    """What a run of many histories has found."""

    runs: int = 0
    found: list[Failure] = field(default_factory=list)
    """One failure for each claim that does not hold, with the shortest history that shows it."""
    again: Counter[str] = field(default_factory=Counter)
    """How many further histories failed by a claim that was found before."""
    happened: Counter[str] = field(default_factory=Counter)
    """What the histories were made of, so that nobody takes an empty search for a proof."""
    traces: dict[int, str] = field(default_factory=dict)
    """A hash of all that was done in each history, the same for the same seed."""

    @property
    def notes(self) -> list[str]:
        """What happened, and each claim that did not hold with its history, for the summary."""
        counts = ", ".join(f"{count:,} {what}" for what, count in sorted(self.happened.items()))
        return [counts] + [
            f"{failure.history.seed}: {failure.claim} (and {self.again[failure.claim]} more histories)"
            for failure in self.found
        ]

    @property
    def trace(self) -> str:
        """One hash of all traces."""
        whole = "".join(self.traces[number] for number in sorted(self.traces))
        return hashlib.blake2b(whole.encode(), digest_size=8).hexdigest()

    @property
    def last_trace(self) -> str:
        """The hash of the history with the highest number, the same whatever ran before it."""
        return self.traces[max(self.traces)] if self.traces else ""

    def add(self, other: Campaign) -> None:
        """Add what another process has found with other histories of the same seed."""
        self.runs += other.runs
        known = {failure.claim for failure in self.found}
        self.again.update(failure.claim for failure in other.found if failure.claim in known)
        self.found += [failure for failure in other.found if failure.claim not in known]
        self.again.update(other.again)
        self.happened.update(other.happened)
        self.traces.update(other.traces)


def run_campaign(plan: Plan) -> Campaign:
    """Run histories until enough was found; the number of a history is part of its seed."""
    # Nothing that was imported is garbage, and what a history leaves behind can wait.
    gc.freeze()
    gc.set_threshold(50_000)
    world, campaign = VirtualWorld(), Campaign()
    for number in plan.numbers:
        history = draw_history(f"{plan.seed}/{number}", plan.steps, plan.gateway)
        if plan.is_shown:
            tell(str(history))
        outcome = run(history, world)
        campaign.runs += 1
        campaign.traces[number] = outcome.trace
        if outcome.failure is not None:
            _add(outcome.failure, history.of(outcome.steps), campaign, world)
            if len(campaign.found) >= plan.most_failures:
                break
        if campaign.runs % 100 == 0:
            tell(f"{campaign.runs} of {len(plan.numbers)} histories")
    campaign.happened.update(world.happened)
    world.close()
    return campaign


def _add(failure: Failure, history: History, campaign: Campaign, world: VirtualWorld) -> None:
    if any(known.claim == failure.claim for known in campaign.found):
        campaign.again[failure.claim] += 1
        return
    shortest = shortest_of(failure, history, world)
    campaign.found.append(shortest)
    tell(f"FOUND: {shortest.claim}\n{shortest.history}\n  after step {shortest.step}: {shortest.text}")


def shortest_of(failure: Failure, history: History, world: VirtualWorld) -> Failure:
    """Return the failure of the shortest history that fails, by the same claim if it goes."""

    def failure_of(shorter: History) -> Failure | None:
        return run(shorter, world, to_the_end=failure.is_at_end).failure

    # What came after that step is not needed. Looked at there, another claim may be the first.
    begun = history.of(history.steps[: failure.step])
    shown = failure_of(begun)
    if shown is None:
        return failure
    shortest = shrink(begun, lambda shorter: getattr(failure_of(shorter), "claim", "") == shown.claim)
    return failure_of(shortest) or shown


def tell(text: str) -> None:
    """Write a line for the person who waits."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
