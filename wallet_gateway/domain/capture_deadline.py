"""How long an authorization can be captured, and what is to happen before it lapses. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class CapturePolicy(StrEnum):
    """What happens to an authorization that is about to lapse."""

    ASK = "ask"
    """People are told, and decide."""
    CAPTURE = "capture"
    """What is left is captured."""
    REVERSE = "reverse"
    """It is given back, if nothing of it was captured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureWindow:
    """How one gateway's authorizations lapse."""

    length: timedelta = timedelta(days=7)
    warning: timedelta = timedelta(days=2)
    """How long before its end an authorization is told of."""
    policy: CapturePolicy = CapturePolicy.ASK

    def ends_at(self, authorized_at: datetime) -> datetime:
        """Return when an authorization can no longer be relied on."""
        return authorized_at + self.length

    def told_from(self, now: datetime) -> datetime:
        """Return the instant before which what was authorized is to be told of by now."""
        return now - max(self.length - self.warning, timedelta())
