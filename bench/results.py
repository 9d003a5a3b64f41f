"""What a run of the bench has found, as JSON: written by a run, read again for the page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.measure import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: what was found of each part, what could not be measured, and with what it ran."""

    facts: Mapping[str, str]
    found: Mapping[str, tuple[Finding, ...]]
    """Of each part its lines."""
    left_out: tuple[str, ...] = ()
    """For each part that could not be measured to its end, the reason."""
    is_judged: bool = True
    """Whether sizes and rounds were whole."""

    @property
    def is_kept(self) -> bool:
        """Whether every promise was measured and met."""
        return not self.left_out and all(each.met for of_part in self.found.values() for each in of_part)


def write_run(path: Path, run: Run) -> None:
    """Write a run as JSON; of each line also the median and the spread, for programs that draw it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    said = {
        "facts": dict(run.facts),
        "is_judged": run.is_judged,
        "left_out": list(run.left_out),
        "parts": {name: [_written(each) for each in found] for name, found in run.found.items()},
    }
    path.write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")


def read_run(path: Path) -> Run:
    """Read a run that was written before."""
    said = json.loads(path.read_text(encoding="utf-8"))
    return Run(
        facts=said["facts"],
        found={name: tuple(map(_read, found)) for name, found in said["parts"].items()},
        left_out=tuple(said["left_out"]),
        is_judged=said["is_judged"],
    )


def _written(finding: Finding) -> dict[str, Any]:
    return {
        "what": finding.what,
        "unit": finding.unit,
        "target": finding.target,
        "at_most": finding.at_most,
        "met": finding.met if finding.target is not None else None,
        "median": finding.value,
        "min": min(finding.values),
        "max": max(finding.values),
        "values": list(finding.values),
        "wall": list(finding.wall),
    }


def _read(said: dict[str, Any]) -> Finding:
    return Finding(
        what=said["what"],
        unit=said["unit"],
        target=said["target"],
        at_most=said["at_most"],
        values=tuple(said["values"]),
        wall=tuple(said["wall"]),
    )
