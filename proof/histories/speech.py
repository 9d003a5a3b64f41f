"""How gateways speak, and what a shop has read of it; habits are what the interface leaves open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

PLACEHOLDERS: Final = ("00000000-0000-0000-0000-000000000000", "0", "")
"""Ids that say nothing."""
APPROVED, ERRORED, PENDING = "Approved", "Errored", "Pending"
STATES: Final = (APPROVED, ERRORED, PENDING)
OTHER_WORDS: Final = {
    APPROVED: ("Settled", "Completed", "CAPTURED"),
    ERRORED: ("Declined", "Refused", "FAILED"),
    PENDING: ("Processing", "InProgress", "WAITING"),
}
"""Words that the interface does not name."""
MEANING: Final = {word.lower(): state for state, words in OTHER_WORDS.items() for word in words}
# Types, in lower case: their spelling on the wire is no matter.
SALE, PREAUTHORIZATION = "ecom.sale", "ecom.preauthorization"
CAPTURE, REFUND, REVERSAL = "ecom.capture", "ecom.refund", "ecom.reversalpreauthorization"
DETACHED_REFUND: Final = "detached.refund"
MOST_READ: Final = 500
"""How many elements of one answer the plugin reads."""

PAGE_OUTCOMES: Final[Mapping[str, tuple[tuple[str, int], ...]]] = {
    "leave": (),
    "pay": ((APPROVED, 100),),
    "decline": ((ERRORED, 100),),
    "decline, then pay": ((ERRORED, 100), (APPROVED, 100)),
    "decline twice, then pend": ((ERRORED, 100), (ERRORED, 100), (PENDING, 100)),
    "pend": ((PENDING, 100),),
    "pay twice": ((APPROVED, 100), (APPROVED, 100)),
    "pay half": ((APPROVED, 50),),
}
"""What comes of a page with habits: the state of each card, and how many percent of the amount were taken."""
AMOUNTS: Final[Mapping[str, Callable[[int], float | None]]] = {
    "same": lambda minor: minor / 100,
    "zero": lambda minor: 0,
    "null": lambda minor: None,
    "other": lambda minor: (minor + 137) / 100,
    "hundredfold": lambda minor: minor,
}
"""What amount a record shows that moved nothing, in euros."""


def _wire_type(kind: str) -> str:
    return {PREAUTHORIZATION: "ecom.preAuthorization", REVERSAL: "ecom.reversalPreauthorization"}.get(
        kind, kind
    )


SPELLINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "plain": _wire_type,
    "lower": str.lower,
    "upper": str.upper,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How one gateway speaks; nothing here contradicts the interface."""

    words: Mapping[str, str] = field(default_factory=lambda: {state: state for state in STATES})
    """What it calls each state."""
    placeholder: str = ""
    has_placeholder: tuple[str, ...] = ()
    """The states whose records have the placeholder in place of an id."""
    amounts: Mapping[str, str] = field(default_factory=lambda: {ERRORED: "same", PENDING: "same"})
    """What amount a record shows that moved nothing: same, zero, null, other or hundredfold."""
    order: str = "oldest"
    """Of the records of an answer: oldest or newest first, or shuffled."""
    repeats: bool = False
    """Whether an answer lists some record twice."""
    files: str = "own"
    """Where follow-ups are found: under their own reference, under the original's, or listed with both."""
    shares: bool = False
    """Whether the shop's settings say that follow-ups are filed under the original's reference."""
    portal: str = "original"
    """The reference of what is done in the portal: the original's, or one of the gateway's own."""
    mixes: bool = False
    """Whether portal operations under a reference of their own are in the answers about all payments."""
    strangers: bool = False
    """Whether answers contain records of other shops' openings and refused operations."""
    spelling: str = "plain"
    """The letter case of types."""
    lag: int = 0
    """Seconds until a record appears."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One record as the shop has read it."""

    id: str
    state: str
    """What its word means to the shop: `Approved`, `Errored`, `Pending` or empty for a word not known."""
    type: str
    minor: int | None
    currency: str
    reference: str

    @property
    def is_placeholder(self) -> bool:
        """Whether the id says nothing."""
        return self.id in PLACEHOLDERS


def minor_of(amount: str) -> int:
    """Return an amount with two decimals, as requests have it, in minor units."""
    major, _, minor = amount.partition(".")
    return int(major) * 100 + int(minor.ljust(2, "0")[:2])
