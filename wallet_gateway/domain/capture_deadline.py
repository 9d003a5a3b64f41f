"""How long an authorization can be captured, and what happens before it expires. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class CapturePolicy(StrEnum):
    """What happens to an authorization that is about to expire."""

    ASK = "ask"
    """Notify people, who decide."""
    CAPTURE = "capture"
    """Capture the remaining amount."""
    REVERSE = "reverse"
    """Reverse the authorization, if nothing of it was captured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureWindow:
    """When a gateway's authorizations expire, and what to do before."""

    length: timedelta = timedelta(days=7)
    warning: timedelta = timedelta(days=2)
    """How long before its end an authorization is announced."""
    policy: CapturePolicy = CapturePolicy.ASK

    def expires_at(self, authorized_at: datetime) -> datetime:
        """Return when an authorization can no longer be relied on."""
        return authorized_at + self.length

    def warns_from(self, now: datetime) -> datetime:
        """Return the latest authorization time that must have been announced by now."""
        return now - max(self.length - self.warning, timedelta())
