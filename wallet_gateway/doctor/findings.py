"""One thing that was looked at: how it is, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    """It works, and something may go wrong one day."""
    ERROR = "error"
    """Payments are in danger, or do not work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found about one subject."""

    level: Level
    subject: str
    """What was looked at: `settings`, `clock`, `gateway default`."""
    text: str
    advice: str = ""


def good(subject: str, text: str) -> Finding:
    """Say that something is as it should be."""
    return Finding(level=Level.OK, subject=subject, text=text)


def doubtful(subject: str, text: str, advice: str = "") -> Finding:
    """Say that something may go wrong one day."""
    return Finding(level=Level.WARNING, subject=subject, text=text, advice=advice)


def bad(subject: str, text: str, advice: str = "") -> Finding:
    """Say that something is wrong."""
    return Finding(level=Level.ERROR, subject=subject, text=text, advice=advice)
