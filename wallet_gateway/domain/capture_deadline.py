"""How long an authorisation can be captured, and what is to happen before it lapses. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class CapturePolicy(StrEnum):
    """What happens to an authorisation that is about to lapse."""

    ASK = "ask"
    """People are told, and decide."""
    CAPTURE = "capture"
    """What is left is captured."""
    REVERSE = "reverse"
    """It is given back, if nothing of it was captured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureWindow:
    """How one gateway's authorisations lapse."""

    length: timedelta = timedelta(days=7)
    warning: timedelta = timedelta(days=2)
    """How long before its end an authorisation is told of."""
    policy: CapturePolicy = CapturePolicy.ASK

    def ends_at(self, authorised_at: datetime) -> datetime:
        """Return when an authorisation can no longer be relied on."""
        return authorised_at + self.length

    def told_from(self, now: datetime) -> datetime:
        """Return the instant before which what was authorised is to be told of by now."""
        return now - max(self.length - self.warning, timedelta())
