"""The report of a run: for a person as lines, for a program as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from proof.chaos.crew import CrewReport
from proof.chaos.options import Options
from proof.chaos.outcomes import BROKE, DIED, DONE, NOTHING_TO_DO, REFUSED
from proof.chaos.plan import Plan, Step
from proof.chaos.verdict import Verdict
from proof.chaos.worker import Result

_MOST_SHOWN: Final = 10
CHECKED: Final = (
    "L1 to L13; each reference sent at most once; executed at most once, or named; released means not "
    "executed; no row without a next instant or a person; sums equal events; both ledgers to the cent"
)


@dataclass(slots=True, kw_only=True)
class Report:
    """Everything that is said of a run at its end."""

    options: Options
    plan: Plan
    crew: CrewReport
    results: list[Result]
    verdict: Verdict
    sweeps: int
    seconds: float
    shortest: tuple[Step, ...] = field(default=())
    shrinking: str = ""
    """What came of looking for a shorter history, in one sentence."""

    @property
    def broken(self) -> list[Result]:
        """The steps that ended with an exception no caller is prepared for."""
        return [result for result in self.results if result.outcome == BROKE]

    @property
    def found(self) -> int:
        """How many things do not hold."""
        return len(self.verdict.failures) + len(self.broken)

    def lines(self) -> Iterator[str]:
        """Yield the report, line by line."""
        yield from self._what_happened()
        yield from _listed("Steps that broke", [self._broken_line(result) for result in self.broken])
        yield from _listed("What does not hold", [str(failure) for failure in self.verdict.failures])
        if self.shrinking:
            yield self.shrinking
        for step in self.shortest:
            yield f"  {step}"
        if self.shortest:
            yield "Its orders:"
            for number in sorted({step.story for step in self.shortest if step.story}):
                yield f"  {self.plan.story(number)}"
        if self.found:
            yield f"FAILED: {self.found} found. Repeat it: {self.options.line}"
        else:
            yield f"Both ledgers agree. Seed {self.options.seed_token}, {self.seconds:.0f} seconds."

    def _what_happened(self) -> Iterator[str]:
        verdict, crew = self.verdict, self.crew
        yield f"Operations: {len(self.plan.steps)}, {_counted(step.kind.value for step in self.plan.steps)}"
        yield f"Outcomes: {_counted(self.outcomes())}"
        yield f"Faults planned: {_counted(step.fault.name for step in self.plan.steps if step.fault)}"
        yield (
            f"Workers: {self.options.workers}; killed at random {crew.kills}, as planned {crew.deaths}, "
            f"called again {crew.repeated}, steps lost with a worker {crew.not_begun}"
        )
        yield (
            f"Compared after {self.sweeps} sweeps: {verdict.orders} orders, {verdict.deposits} deposits, "
            f"{verdict.transactions} transactions"
        )
        yield f"Doubles made by the gateway itself: {len(verdict.doubles)}, all of them must be named"
        yield f"Checked: {CHECKED}"

    def outcomes(self) -> Iterator[str]:
        """Yield the outcome of each step that came to one, and one for each that its worker took along."""
        seen = set()
        for result in self.results:
            seen.add(result.step)
            yield result.outcome
        yield from (DIED for step in self.plan.steps if step.number not in seen)

    def _broken_line(self, result: Result) -> str:
        return f"{self.plan.steps[result.step - 1]}\n{result.trace}"

    def as_json(self) -> dict[str, Any]:
        """Return the summary for `--report`."""
        notes = [f"{len(self.verdict.doubles)} doubles of the gateway, all named"] if not self.found else []
        notes += [str(failure) for failure in self.verdict.failures[:_MOST_SHOWN]]
        notes += [result.trace.strip().rpartition("\n")[2] for result in self.broken[:_MOST_SHOWN]]
        notes += [f"{self.crew.kills + self.crew.deaths} workers died"] if self.options.kill else []
        return {
            "part": "chaos",
            "what": f"operations of {self.options.workers} workers on {self.options.database}",
            "runs": len(self.plan.steps),
            "found": self.found,
            "seed": self.options.seed_token,
            "seconds": round(self.seconds, 1),
            "notes": notes,
        }

    def write(self, file: Path) -> None:
        """Write the summary as JSON."""
        file.write_text(json.dumps(self.as_json(), indent=2) + "\n")


def _counted(names: Iterable[str]) -> str:
    order = {DONE: 0, REFUSED: 1, NOTHING_TO_DO: 2}
    counted = sorted(Counter(names).items(), key=lambda item: (order.get(item[0], 3), -item[1], item[0]))
    return ", ".join(f"{count} {name}" for name, count in counted) or "none"


def _listed(title: str, lines: list[str]) -> Iterator[str]:
    if not lines:
        return
    yield f"{title}: {len(lines)}"
    yield from (f"  {line}" for line in lines[:_MOST_SHOWN])
    if len(lines) > _MOST_SHOWN:
        yield f"  ... and {len(lines) - _MOST_SHOWN} more"
