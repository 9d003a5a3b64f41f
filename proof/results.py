"""What a part of the proof finds, and what its table shows. Knows no Django: each part sets that up."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class NotRun(Exception):
    """What a part needs is missing on this machine; the message says what."""


@dataclass
class Tally:
    """Counts, and what was found wrong."""

    runs: int = 0
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the table of the proof tells beside the figures."""
    missing: str = ""
    """What this machine lacks, so that nothing was run."""
    reached_caller: Counter[str] = field(default_factory=Counter)
    """Errors of the database that a caller was given, by class."""


class Verdict(StrEnum):
    """How a part ended."""

    HELD = "held"
    FOUND = "FOUND"
    """It found something wrong; its seed finds it again."""
    BROKEN = "BROKEN"
    """It came to no end: a crash, a time limit, a result that cannot be read."""
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One row of the table."""

    part: str
    what: str
    verdict: Verdict
    runs: int = 0
    found: int = 0
    seed: int | None = None
    seconds: float = 0
    notes: str = ""

    @property
    def is_kept(self) -> bool:
        return self.verdict is Verdict.HELD


def read_result(path: Path, *, part: str, what: str, code: int | None, seed: int, seconds: float) -> Result:
    """Read the tally of a part and hold it against its exit code; what cannot be read is no proof.

    Without a code the part was ended because its time was up.
    """
    verdict, tally = Verdict.BROKEN, Tally()
    try:
        tally = Tally(**json.loads(path.read_text(encoding="utf-8")))
        verdict = Verdict.HELD if code == 0 and tally.runs > 0 else Verdict.BROKEN
        notes = "; ".join(tally.notes + tally.failures)
    except (OSError, ValueError, TypeError) as unreadable:
        notes = f"no result that can be read ({type(unreadable).__name__})"
    if tally.missing:
        return Result(part=part, what=what, verdict=Verdict.NOT_RUN, notes=tally.missing)
    if tally.failures:
        verdict = Verdict.FOUND
    elif verdict is Verdict.BROKEN:
        ended = f"ended after {seconds / 60:.0f} minutes" if code is None else f"exit code {code}"
        notes = f"{ended} after {tally.runs} runs; {notes}".rstrip("; ")
    return Result(
        part=part,
        what=what,
        verdict=verdict,
        runs=tally.runs,
        found=len(tally.failures),
        seed=seed,
        seconds=seconds,
        notes=notes,
    )
