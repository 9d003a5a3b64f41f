"""Dual control: the amounts above which a second person must agree, and who counts as one. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPolicy:
    """The rules of one gateway for refunds, detached refunds and decisions on unknown outcomes."""

    limits: Mapping[str, int] = field(default_factory=dict)
    """Minor units by currency. With any in it, a currency that is missing has the limit zero."""
    waiting_time: timedelta = timedelta(days=7)
    """How long a request waits for a second person before it expires."""

    def limit_for(self, currency: str) -> int | None:
        """Return the amount of one payment that a person may refund alone, or None without a limit."""
        return self.limits.get(currency, 0) if self.limits else None

    def is_needed(self, minor: int, currency: str) -> bool:
        """Return whether an amount needs a second person."""
        limit = self.limit_for(currency)
        return limit is not None and minor > limit


def is_same_person(one: str, other: str) -> bool:
    """Return whether two names may belong to one person; case, outer blanks and Unicode forms are ignored.

    A program acts without a name, so every person is a second one beside it.
    """
    return bool(_plain(one)) and _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()
