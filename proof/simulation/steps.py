"""What a history consists of: steps, each with its arguments and with the faults that meet it. Pure data.

All of a step is drawn before the history runs and depends on no row, so that a history without some of its
steps is a history, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

OUTAGE: Final = 0
"""In place of a call's number: all calls of the step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What happens to the process that does a step; nothing by default."""

    faults: tuple[tuple[int, str], ...] = ()
    """What the network or the gateway does to a call of the step, by the call's number, or `OUTAGE`."""
    dies_at: int = 0
    """The boundary at which the process dies."""
    loses_database_at: int = 0
    """The boundary at which one statement or COMMIT fails; after a COMMIT nobody knows that it was done."""
    overtaken_at: int = 0
    """From which boundary on another process does the step `meanwhile`, as soon as no transaction is open."""
    meanwhile: Step | None = None

    def __str__(self) -> str:
        said = [f"{fault} at {f'call {call}' if call else 'every call'}" for call, fault in self.faults]
        said += [f"dies at boundary {self.dies_at}"] if self.dies_at else []
        said += [f"loses its database at boundary {self.loses_database_at}"] if self.loses_database_at else []
        if self.meanwhile:
            said.append(f"meanwhile, from boundary {self.overtaken_at}: [{self.meanwhile}]")
        return "; ".join(said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that somebody does, and how it goes wrong."""

    verb: str
    given: Mapping[str, Any] = field(default_factory=dict)
    fate: Fate = Fate()
    salt: int = 0
    """By which the randomness of this step differs from that of others."""

    def __str__(self) -> str:
        words = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"{self.verb}({words})" + (f"   # {self.fate}" if self.fate != Fate() else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A shop's settings, a gateway's habits, and the steps of one history."""

    seed: str
    settings: Mapping[str, Any]
    behaviour: Mapping[str, Any]
    steps: tuple[Step, ...]
    fills_gaps: bool = True
    """Whether something else is done in place of a step that finds nothing to act on."""

    def __str__(self) -> str:
        lines = [
            f"history {self.seed}",
            f"  settings {dict(self.settings)}",
            f"  gateway {dict(self.behaviour)}",
        ]
        return "\n".join([*lines, *(f"  {number}. {step}" for number, step in enumerate(self.steps, 1))])

    def of(self, steps: tuple[Step, ...]) -> History:
        """Return the same history with these steps and nothing in their place."""
        return replace(self, steps=steps, fills_gaps=False)


_REFUSED: Final = ("refused", "dns", "tls", "connect_timeout", "stalled")
_LOST: Final = (
    "too_late",
    "drop_after",
    "status_after",
    "truncated",
    "not_json",
    "wrong_shape",
    "empty",
    "error_200",
)
_ODD: Final = ("mixed", "undocumented_state", "redirected", "drip", "reset", "bad_gzip", "bad_status_line")
_NOT_DONE: Final = (
    "drop_before",
    "status_before",
    "error_body",
    "bare_error",
    "throttled",
    "errored",
    "partial",
)
_DONE_ALL_THE_SAME: Final = ("late", "very_late", "duplicate", "duplicate", "duplicate", "unreadable_record")
FAULTS: Final = (*_REFUSED, *_LOST, *_ODD, *_NOT_DONE, *_DONE_ALL_THE_SAME)
"""All faults of a call: the table of docs/reliability.md."""

_WHICH = range(4)
_PEOPLE = ("anna", "bert", "carla")
_AMOUNTS = (None, None, "0.01", "5.00", "7.50", "19.99", "20.00")
_KEYS = (None, None, None, "click-1", "click-2")
_SHOPPERS = ("ada", "grace")
_CARDS = ("CRYPTOGRAM_3DS", "CRYPTOGRAM_3DS", "PAN_ONLY")
_OUTCOMES = ("success", "success", "success", "refused", "pending", "error", "cancelled")
_SECONDS = (1, 3, 20, 61, 125, 310, 905, 1_000, 1_900, 3_700, 21_700, 90_000, 700_000)

VERBS: Final[Mapping[str, tuple[int, Mapping[str, tuple[Any, ...] | range]]]] = {
    "order": (
        6,
        {
            "type": ("sale", "preauthorization"),
            "payable_for": (None, None, None, 3_600),
            "amount": ("20.00", "20.00", "1234.56"),
        },
    ),
    "pay_on_page": (12, {"which": _WHICH}),
    "checkout": (8, {"which": _WHICH}),
    "decide_page": (9, {"which": _WHICH, "outcome": _OUTCOMES}),
    "come_back": (6, {"which": _WHICH}),
    "reconcile": (5, {"which": _WHICH, "everything": (False, True)}),
    "show_button": (2, {"which": _WHICH, "shopper": _SHOPPERS}),
    "pay_by_button": (9, {"which": _WHICH, "shopper": _SHOPPERS, "card": _CARDS}),
    "approve_in_sheet": (2, {"which": _WHICH, "shopper": _SHOPPERS, "card": _CARDS}),
    "post_result": (3, {"which": _WHICH}),
    "another_card": (1, {"which": _WHICH, "shopper": _SHOPPERS, "card": _CARDS}),
    "close_sheet": (1, {"which": _WHICH, "shopper": _SHOPPERS}),
    "price_sheet": (1, {"which": _WHICH, "shopper": _SHOPPERS}),
    "leave_three_d_secure": (4, {"which": _WHICH, "outcome": ("success", "success", "failed", "abandoned")}),
    "settle_pending": (4, {"which": _WHICH, "outcome": ("success", "refused", "error")}),
    "capture": (10, {"which": _WHICH, "amount": _AMOUNTS, "key": _KEYS, "by": _PEOPLE}),
    "refund": (11, {"which": _WHICH, "amount": _AMOUNTS, "key": _KEYS, "by": _PEOPLE}),
    "reverse": (5, {"which": _WHICH, "key": _KEYS, "by": _PEOPLE}),
    "refund_migrated": (
        5,
        {
            "deposit": ("D-1", "D-2", "D-UNKNOWN"),
            "amount": ("10.00", "30.00", "45.00"),
            "key": _KEYS,
            "by": _PEOPLE,
        },
    ),
    "cancel": (2, {"which": _WHICH}),
    "agree": (4, {"which": _WHICH, "by": _PEOPLE}),
    "decline": (2, {"which": _WHICH, "by": _PEOPLE}),
    "resolve": (4, {"which": _WHICH, "by": _PEOPLE}),
    "send_again": (3, {"which": _WHICH, "by": _PEOPLE}),
    "give_up": (2, {"which": _WHICH, "by": _PEOPLE}),
    "close_difference": (3, {"which": _WHICH, "by": _PEOPLE}),
    "book_difference": (3, {"which": _WHICH, "by": _PEOPLE}),
    "portal": (
        4,
        {
            "which": _WHICH,
            "type": ("ecom.capture", "ecom.refund", "ecom.reversalPreauthorization"),
            "amount": ("0.01", "7.50", "20.00"),
        },
    ),
    "draft_batch": (3, {"kind": ("CAPTURE", "REFUND", "REVERSAL"), "by": _PEOPLE}),
    "start_batch": (4, {"which": _WHICH}),
    "refund_deposits": (1, {"amount": ("1.00", "20.00"), "by": _PEOPLE}),
    "step_batch": (5, {"which": _WHICH}),
    "pause_or_stop_batch": (2, {"which": _WHICH, "how": ("pause", "resume", "stop"), "by": _PEOPLE}),
    "stop_sending": (1, {"by": _PEOPLE}),
    "resume_sending": (2, {"by": _PEOPLE}),
    "sweep": (10, {}),
    "compare": (3, {"repair": (False, True, True)}),
    "wait": (14, {"seconds": _SECONDS}),
    "set_clock": (2, {"seconds": (-3_600, -125, -30, 30, 125, 3_600)}),
    "lag": (1, {"seconds": (0, 0, 3_600, 90_000)}),
}
"""What can happen: how often, and which values each argument takes."""


_BEGINNINGS: Final = ("pay_on_page", "pay_on_page", "pay_by_button", "checkout")
_INSTEAD: Final = ("pay_on_page", "pay_by_button", "capture", "refund", "refund", "refund_migrated", "wait")


def draw_history(seed: str, length: int) -> History:
    """Draw a history from a seed, of this many steps."""
    chance = Random(seed)
    steps = [_named(chance, "order"), _named(chance, chance.choice(_BEGINNINGS), is_fated=True)]
    steps += [_draw(chance) for _ in range(length - len(steps))]
    return History(
        seed=seed, settings=_settings(chance), behaviour=_behaviour(chance), steps=tuple(steps[:length])
    )


def _named(chance: Random, verb: str, *, is_fated: bool = False) -> Step:
    fate = _fate(chance, is_alone=True) if is_fated else Fate()
    return Step(verb=verb, given=_given(chance, verb), fate=fate, salt=chance.getrandbits(32))


def instead_of(step: Step) -> Step:
    """Return what is done where a step finds nothing to act on, so that few steps are idle."""
    chance = Random(step.salt)
    # Another process that ran meanwhile has run already.
    fate = replace(step.fate, meanwhile=None, overtaken_at=0)
    return replace(_named(chance, chance.choice(_INSTEAD)), fate=fate)


def _draw(chance: Random, *, is_alone: bool = True) -> Step:
    weights = [weight for weight, _ in VERBS.values()]
    (verb,) = chance.choices(list(VERBS), weights)
    return Step(
        verb=verb,
        given=_given(chance, verb),
        fate=_fate(chance, is_alone=is_alone),
        salt=chance.getrandbits(32),
    )


def _given(chance: Random, verb: str) -> dict[str, Any]:
    return {name: chance.choice(values) for name, values in VERBS[verb][1].items()}


def _fate(chance: Random, *, is_alone: bool) -> Fate:
    fate = Fate()
    if chance.random() < 0.35:
        fate = replace(fate, faults=_faults(chance))
    kind = chance.random()
    if kind < 0.15:
        return replace(fate, dies_at=_boundary(chance))
    if kind < 0.2:
        return replace(fate, loses_database_at=_boundary(chance))
    if kind < 0.33 and is_alone:
        meanwhile = _draw(chance, is_alone=False)
        return replace(fate, overtaken_at=_boundary(chance), meanwhile=meanwhile)
    return fate


def _faults(chance: Random) -> tuple[tuple[int, str], ...]:
    if chance.random() < 0.15:
        return ((OUTAGE, chance.choice(FAULTS)),)
    first = 1 + (chance.random() < 0.3) + (chance.random() < 0.2)
    several = [(first, chance.choice(FAULTS))]
    if chance.random() < 0.3:
        several.append((first + 1, chance.choice(FAULTS)))
    return tuple(several)


def _boundary(chance: Random) -> int:
    """Return an early boundary more often than a late one: short operations have few."""
    return chance.randint(1, chance.choice((6, 15, 40, 40, 90)))


def _settings(chance: Random) -> dict[str, Any]:
    return {
        "BOOK_ELSEWHERE": chance.choice(("ask", "book")),
        "LATE_PAYMENT": chance.choice(("report", "report", "accept")),
        "CAPTURE": {"POLICY": chance.choice(("ask", "ask", "capture", "reverse"))},
        "APPROVALS": {
            "LIMITS": chance.choice(({}, {}, {"EUR": "5.00"})),
            "DAY_LIMITS": chance.choice(({}, {}, {"EUR": "25.00"})),
        },
    }


def _behaviour(chance: Random) -> dict[str, Any]:
    return {
        "another_card": chance.random() < 0.4,
        "duplicates": chance.choice(("reject", "reject", "replay", "execute", "execute")),
        "letter_case": chance.choice(("canonical", "canonical", "pascal", "lower")),
        "numeric_amounts": chance.random() < 0.2,
    }
