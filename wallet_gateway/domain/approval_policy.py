"""Dual control: the amounts above which a second person must approve, and who counts as one. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPolicy:
    """One gateway's rules for refunds, detached refunds and decisions on unknown outcomes."""

    limits: Mapping[str, int] = field(default_factory=dict)
    """Minor units by currency. If any limit is set, a missing currency has the limit zero."""
    waiting_time: timedelta = timedelta(days=7)
    """How long a request waits for a second person before it expires."""

    def limit_for(self, currency: str) -> int | None:
        """Return the amount of one payment that one person may refund alone; None if there is no limit."""
        return self.limits.get(currency, 0) if self.limits else None

    def is_needed(self, minor: int, currency: str) -> bool:
        """Return whether an amount needs a second person."""
        limit = self.limit_for(currency)
        return limit is not None and minor > limit
