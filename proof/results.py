"""What a part of the proof writes, and what the table shows of it: how much was tried, what was wrong."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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


def write_result(
    path: Path | None,
    *,
    part: str,
    what: str,
    runs: int,
    found: int,
    seconds: float,
    seed: int | None = None,
    notes: str | list[str] = "",
    missing: str = "",
) -> str:
    """Write the result of a part where the runner looks for it, and return it as JSON.

    `missing` is what this machine lacks, where nothing could be run.
    """
    said = {
        "part": part,
        "what": what,
        "runs": runs,
        "found": found,
        "seed": seed,
        "seconds": round(seconds, 1),
        "notes": notes,
        "missing": missing,
    }
    written = json.dumps(said, indent=2) + "\n"
    if path is not None:
        path.write_text(written, encoding="utf-8")
    return written


def read_result(path: Path, *, part: str, what: str, code: int, seed: int, seconds: float) -> Result:
    """Read what a part has written and hold it against its exit code; what cannot be read is no proof.

    `seed` and `seconds` are what the runner knows, for a part that does not say them itself.
    """
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        runs, found = int(said["runs"]), int(said["found"])
    except (OSError, ValueError, KeyError, TypeError) as unreadable:
        notes = f"exit code {code}, and no result that can be read ({type(unreadable).__name__})"
        return Result(part=part, what=what, verdict=Verdict.BROKEN, seed=seed, seconds=seconds, notes=notes)
    if missing := said.get("missing"):
        return Result(part=part, what=what, verdict=Verdict.NOT_RUN, notes=str(missing))
    return Result(
        part=part,
        what=str(said.get("what") or what),
        verdict=_verdict(code, runs, found),
        runs=runs,
        found=found,
        seed=said.get("seed", seed),
        seconds=seconds,
        notes=_notes(said, code, runs, found),
    )


def _verdict(code: int, runs: int, found: int) -> Verdict:
    if found:
        return Verdict.FOUND
    return Verdict.HELD if code == 0 and runs > 0 else Verdict.BROKEN


def _notes(said: dict[str, object], code: int, runs: int, found: int) -> str:
    notes = said.get("notes") or ""
    written = "; ".join(map(str, notes)) if isinstance(notes, list) else str(notes)
    if _verdict(code, runs, found) is Verdict.BROKEN:
        return f"exit code {code} after {runs} runs; {written}".rstrip("; ")
    return written


def written_as_json(results: list[Result], facts: dict[str, str]) -> str:
    """Return the whole table and the facts of the run as JSON."""
    rows = [asdict(result) | {"verdict": str(result.verdict)} for result in results]
    return json.dumps({"facts": facts, "parts": rows}, indent=2) + "\n"
