"""What docs/reliability.md says, written down a second time from its words alone, as tables of texts.

Nothing here may come from the plugin: what was copied could not disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, Generic, TypeVar

HOUR: Final = 3_600
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY

MOVES: Final[Mapping[tuple[str, str], str]] = {
    # "the button was shown, nothing is sent": sent by the request that brings its result, or never
    ("AWAITING_RESULT", "CLAIM"): "SENDING",
    ("AWAITING_RESULT", "EXPIRED"): "EXPIRED",
    ("AWAITING_RESULT", "ABANDONED"): "ABANDONED",
    # "committed just before the first byte"
    ("SENDING", "NOTHING_LEFT"): "NOT_SENT",
    ("SENDING", "LOST"): "UNKNOWN",
    ("SENDING", "OPENED"): "OPEN",
    ("SENDING", "PAGE_LOST"): "ABANDONED",
    ("SENDING", "CHALLENGED"): "AWAITING_3DS",
    # "proof that no byte of the request left": the same reference and body again, or given up
    ("NOT_SENT", "CLAIM"): "SENDING",
    ("NOT_SENT", "ABANDONED"): "ABANDONED",
    # a page that ended without a record; a person who gives up what nothing else ends
    ("OPEN", "EXPIRED"): "EXPIRED",
    **{(state, "ABANDONED"): "ABANDONED" for state in ("UNKNOWN", "OPEN", "PENDING", "AWAITING_3DS")},
    # the gateway's evidence ends what may have happened
    **{
        (state, evidence): after
        for state in ("SENDING", "UNKNOWN", "OPEN", "PENDING", "AWAITING_3DS")
        for evidence, after in (
            ("APPROVED", "APPROVED"),
            ("REJECTED", "REJECTED"),
            ("CONTRADICTED", "ANOMALY"),
        )
    },
    **{(state, "HELD"): "PENDING" for state in ("SENDING", "UNKNOWN", "OPEN", "PENDING")},
    # a page that was paid in its last second; the reference of what was given up stays on watch
    ("EXPIRED", "APPROVED"): "APPROVED",
    ("EXPIRED", "HELD"): "PENDING",
    ("REJECTED", "APPROVED"): "ANOMALY",
    ("ABANDONED", "APPROVED"): "ANOMALY",
    # evidence of what was never sent contradicts what we know, and a contradiction is seen in any state
    **{(state, "APPROVED"): "ANOMALY" for state in ("NOT_SENT", "AWAITING_RESULT")},
    **{
        (state, "CONTRADICTED"): "ANOMALY"
        for state in (
            "NOT_SENT",
            "AWAITING_RESULT",
            "EXPIRED",
            "REJECTED",
            "ABANDONED",
            "APPROVED",
        )
    },
    # "a person decides"
    ("ANOMALY", "ABANDONED"): "ABANDONED",
    ("ANOMALY", "ACCEPTED_BY_PERSON"): "APPROVED",
}
"""Where an event leads; every other one leads nowhere."""

MOVES_OF_PAGES: Final = {("REJECTED", "APPROVED"): "APPROVED", ("REJECTED", "HELD"): "PENDING"}
"""A refused card does not close its page: what a hosted page does otherwise."""

RESERVES: Final = frozenset({"SENDING", "NOT_SENT", "UNKNOWN", "AWAITING_3DS", "PENDING", "ANOMALY"})
"""States whose amount stays reserved."""
FINAL: Final = frozenset({"APPROVED", "REJECTED", "ABANDONED", "EXPIRED"})
ASKED_FOR_EVER: Final = frozenset({"UNKNOWN", "OPEN", "AWAITING_3DS", "PENDING"})
"""States that only evidence or a person ends, which "always have a next instant"."""

_DAILY: Final = 24 * HOUR
UNKNOWN_WAITS: Final = (2, 5, 15, 60, 300, 900, *(hours * HOUR for hours in (1, 2, 4, 8, 16, 24)))
PENDING_WAITS: Final = (15, 30, 60, 120, 300, 900, HOUR, 4 * HOUR)
_LAST_DAILY: Final = {"UNKNOWN": 30 * DAY, "PENDING": 31 * DAY}


def asked_after(state: str) -> tuple[int, ...]:
    """Return after how many seconds an unknown or pending transaction is asked for in its first month."""
    waits = UNKNOWN_WAITS if state == "UNKNOWN" else PENDING_WAITS
    first = list(accumulate(waits))
    while first[-1] + _DAILY < _LAST_DAILY[state]:
        first.append(first[-1] + _DAILY)
    return tuple(first)


def person_after(kind: str, state: str) -> int:
    """Return after how many seconds a person may decide: a week where a provider decides, else a day."""
    return WEEK if state == "PENDING" and kind != "AUTHORIZATION" else DAY


@dataclass(slots=True, kw_only=True)
class Fact:
    """One transaction as the books need it; amounts in minor units."""

    kind: str
    state: str
    amount: int
    booked: int = 0
    """What of it is in the books."""
    is_freed: bool = False
    """Whether it has ended once: what was freed is not reserved again; a contradiction freezes instead."""


F = TypeVar("F", bound=Fact)


def moves_to(state: str, event: str, *, is_page: bool) -> str:
    """Return the state after an event; the same one where it leads nowhere."""
    own = MOVES_OF_PAGES.get((state, event)) if is_page else None
    return own or MOVES.get((state, event), state)


@dataclass(slots=True)
class Books(Generic[F]):
    """The facts of one payment, added up anew for every question."""

    type: str
    facts: list[F]

    def booked(self, *kinds: str) -> int:
        """Return what was approved of these kinds."""
        return sum(fact.booked for fact in self.facts if fact.kind in kinds)

    def reserved(self, kind: str) -> int:
        """Return what is about to be done of a kind, or may have been."""
        mine = (fact for fact in self.facts if fact.kind == kind and not fact.is_freed)
        return sum(fact.amount for fact in mine if fact.state in RESERVES)

    @property
    def authorized(self) -> int:
        """Return what the payment may take at most."""
        return self.booked("CHECKOUT", "AUTHORIZATION")

    @property
    def captured(self) -> int:
        """Return what was taken: of a sale, at once."""
        return self.booked("CAPTURE") + (self.authorized if self.type == "sale" else 0)

    @property
    def refunded(self) -> int:
        """Return what was given back."""
        return self.booked("REFUND")

    @property
    def is_frozen(self) -> bool:
        """Return whether the evidence of a part of it contradicts itself."""
        return any(fact.state == "ANOMALY" for fact in self.facts)

    def allows(self, kind: str, amount: int) -> bool:
        """Return whether "never more than" still holds with this amount."""
        reversal = self.booked("REVERSAL") or self.reserved("REVERSAL")
        taken = self.captured + self.reserved("CAPTURE")
        if self.is_frozen or not self.authorized:
            return False
        if kind == "REFUND":
            return bool(self.captured) and self.refunded + self.reserved("REFUND") + amount <= self.captured
        if reversal:
            return False
        return taken + amount <= self.authorized if kind == "CAPTURE" else taken == 0

    def state(self) -> str:
        """Return what the payment is called."""
        opening = self.facts[0]
        if self.is_frozen:
            return "FROZEN"
        if self.booked("REVERSAL"):
            return "REVERSED"
        if self.authorized:
            return self._state_with_money()
        by_state = {
            "REJECTED": "FAILED",
            "ABANDONED": "FAILED",
            "EXPIRED": "EXPIRED",
            "AWAITING_RESULT": "OFFERED",
        }
        if opening.state in by_state:
            return by_state[opening.state]
        # A page that is being asked for takes no money; a card that is being charged may have been.
        is_page = opening.kind != "AUTHORIZATION"
        return "OPEN" if is_page and opening.state in {"SENDING", "NOT_SENT", "OPEN"} else "PENDING"

    def _state_with_money(self) -> str:
        if self.refunded:
            return "REFUNDED" if self.refunded == self.captured else "PART_REFUNDED"
        if not self.captured:
            return "AUTHORIZED"
        return "PAID" if self.captured == self.authorized else "PART_CAPTURED"


def order_is_called(amount: int, payments: Sequence[Books[Any]], *, is_cancelled: bool) -> str:
    """Return what an order is called, from its payments alone."""
    states = [payment.state() for payment in payments]
    if "FROZEN" in states:
        return "FROZEN"
    holding = [payment for payment in payments if payment.authorized and not payment.booked("REVERSAL")]
    if holding:
        return _order_with_money(amount, holding)
    seen = [state for state in states if state != "OFFERED"]
    if "PENDING" in seen:
        return "PENDING"
    if is_cancelled:
        return "CANCELLED"
    for word in ("OPEN", "REVERSED"):
        if word in seen:
            return word
    return seen[-1] if seen else "OPEN"


def _order_with_money(amount: int, holding: Sequence[Books[Any]]) -> str:
    if sum(payment.authorized - payment.refunded for payment in holding) > amount:
        return "OVERPAID"
    # docs/reference/models.md: "a payment that was given back does not count beside one that holds money"
    rest = [payment for payment in holding if payment.state() != "REFUNDED"] or holding
    captured = sum(payment.captured for payment in rest)
    refunded = sum(payment.refunded for payment in rest)
    if not captured:
        return "AUTHORIZED"
    if captured - refunded >= amount:
        return "PAID"
    if refunded:
        return "REFUNDED" if refunded == captured else "PART_REFUNDED"
    return "PART_CAPTURED"
