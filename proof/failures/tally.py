"""What came of the runs of one part. Knows no Django, which each part sets up for itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts, and what was found wrong."""

    missing: str = ""
    """What this machine lacks, so that nothing was run."""
    runs: int = 0
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the table of the proof tells beside the figures."""
    reached_caller: Counter[str] = field(default_factory=Counter)
    """Errors of the database that a caller was given, by class."""
