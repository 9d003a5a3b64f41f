"""Dual control: the amounts above which a second person must approve. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from wallet_gateway.domain.states import TransactionKind

GIVING_BACK = frozenset({TransactionKind.REFUND, TransactionKind.DETACHED_REFUND})
"""The operations to which the limits apply."""
LIMITED_PERIOD = timedelta(hours=24)
"""The time over which the limit per person and day adds up; it moves on with the clock."""

Limits = Mapping[str, int]
"""Minor units by currency. If any limit is set, a missing currency has the limit zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPolicy:
    """One gateway's rules for refunds, detached refunds and decisions on unknown outcomes."""

    limits: Limits = field(default_factory=dict)
    """Of one payment."""
    day_limits: Limits = field(default_factory=dict)
    """Of everything that one account gives back within `LIMITED_PERIOD`."""
    waiting_time: timedelta = timedelta(days=7)
    """How long a request waits for a second person before it expires."""

    def limit_for(self, currency: str) -> int | None:
        """Return the amount of one payment that one person may refund alone; None if there is no limit."""
        return _limit(self.limits, currency)

    def day_limit_for(self, currency: str) -> int | None:
        """Return what one account may give back alone within a day; None if there is no limit."""
        return _limit(self.day_limits, currency)

    def is_needed(self, minor: int, currency: str) -> bool:
        """Return whether an amount of one payment needs a second person."""
        limit = self.limit_for(currency)
        return limit is not None and minor > limit


NOBODY_ALONE = ApprovalPolicy(limits={"": 0}, day_limits={"": 0})
"""The policy while a gateway's own is not known: every amount needs a second person."""


def _limit(limits: Limits, currency: str) -> int | None:
    return limits.get(currency, 0) if limits else None
