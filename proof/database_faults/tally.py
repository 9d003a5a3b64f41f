"""What came of the misfortunes of one part. Knows no Django, which each part sets up for itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts, and what was found wrong."""

    runs: int = 0
    failures: list[str] = field(default_factory=list)
    reached_caller: Counter[str] = field(default_factory=Counter)
    """Errors of the database that a caller was given, by class."""
    notes: list[str] = field(default_factory=list)
    """What is worth telling, though nothing was wrong."""
