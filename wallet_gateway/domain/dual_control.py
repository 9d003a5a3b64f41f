"""Above which amounts one person alone may not give money back, and who counts as another one. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondPerson:
    """What one gateway's shop demands of refunds, detached refunds and decisions on lost outcomes."""

    above: Mapping[str, int] = field(default_factory=dict)
    """Minor units by currency. With any in it, a currency that is missing has the limit zero."""
    waits: timedelta = timedelta(days=7)
    """How long a request waits for a second person before it is void."""

    def alone_up_to(self, currency: str) -> int | None:
        """Return how much of one payment a person may give back alone; None where there is no limit."""
        return self.above.get(currency, 0) if self.above else None

    def is_needed(self, minor: int, currency: str) -> bool:
        """Say whether an amount of a currency takes a second person."""
        alone = self.alone_up_to(currency)
        return alone is not None and minor > alone


def is_same_person(one: str, other: str) -> bool:
    """Say whether two names may be one person's: case, blanks around and forms of letters are no difference.

    A program asks without a name; it is nobody, so anybody else is a second one.
    """
    return bool(_plain(one)) and _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()
