"""What a history consists of: steps, each with its arguments and with the faults that meet it. Pure data.

All of a step is drawn before the history runs and depends on no row, so that a history without some of its
steps is a history, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final, TypeVar

from proof.histories.speech import (
    AMOUNTS,
    APPROVED,
    ERRORED,
    OTHER_WORDS,
    PAGE_OUTCOMES,
    PENDING,
    PLACEHOLDERS,
    SPELLINGS,
    STATES,
)

T = TypeVar("T")
SANDBOX, HABITS = GATEWAYS = ("sandbox", "habits")
"""The gateways of histories: the real sandbox, and one whose habits differ from one history to the next."""
OUTAGE: Final = 0
"""In place of a call's number: all calls of the step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What happens to the process that does a step; nothing by default."""

    faults: tuple[tuple[int, str], ...] = ()
    """What the network or the gateway does to a call of the step, by the call's number, or `OUTAGE`."""
    dies_at: int | str = 0
    """The boundary at which the process dies; real processes know names of them, too."""
    loses_database_at: int = 0
    """The boundary at which one statement or COMMIT fails; after a COMMIT nobody knows that it was done."""
    overtaken_at: int = 0
    """From which boundary on another process does the step `meanwhile`, as soon as no transaction is open."""
    meanwhile: Step | None = None

    def fault_at(self, call: int) -> str:
        """Return the fault that the call of this number meets; empty for none."""
        return next((fault for number, fault in self.faults if number in {OUTAGE, call}), "")

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
    """A shop's settings, the gateway that it talks to, and the steps of one history."""

    seed: str
    gateway: str
    """`SANDBOX` or `HABITS`."""
    settings: Mapping[str, Any]
    behaviour: Mapping[str, Any]
    """How the gateway behaves where the interface leaves it open; what is missing is its default."""
    steps: tuple[Step, ...]
    fills_gaps: bool = True
    """Whether something else is done in place of a step that finds nothing to act on."""

    def __str__(self) -> str:
        lines = [
            f"history {self.seed} at the gateway {self.gateway}",
            f"  settings {dict(self.settings)}",
            f"  gateway {dict(self.behaviour)}",
        ]
        return "\n".join([*lines, *(f"  {number}. {step}" for number, step in enumerate(self.steps, 1))])

    def of(self, steps: tuple[Step, ...]) -> History:
        """Return the same history with these steps and nothing in their place."""
        return replace(self, steps=steps, fills_gaps=False)


class NothingToDo(Exception):
    """There is nothing that a step could act on."""


def nth(rows: Iterable[T], which: int) -> T:
    """Return one of several by its number, modulo their count; raises NothingToDo for none."""
    found = list(rows)
    if not found:
        raise NothingToDo
    return found[which % len(found)]


_REFUSED: Final = ("refused", "dns", "tls", "connect_timeout", "stalled")
_LOST: Final = ("too_late", "drop_after", "status_after", "truncated")
_OTHER_ANSWER: Final = ("not_json", "wrong_shape", "empty", "error_200")
_ODD: Final = ("mixed", "undocumented_state", "redirected", "drip", "reset", "bad_gzip", "bad_status_line")
_NOT_DONE: Final = ("drop_before", "status_before", "error_body", "bare_error", "throttled")
_DONE_DIFFERENTLY: Final = ("errored", "partial")
_DONE_ALL_THE_SAME: Final = ("late", "very_late", "duplicate", "duplicate", "duplicate", "unreadable_record")
_FAULTS: Final = (
    *_REFUSED,
    *_LOST,
    *_OTHER_ANSWER,
    *_ODD,
    *_NOT_DONE,
    *_DONE_DIFFERENTLY,
    *_DONE_ALL_THE_SAME,
)
FAULTS: Final = {
    SANDBOX: _FAULTS,
    # What a gateway may do to a request differently counts more here than how its answer is damaged.
    HABITS: (
        *_FAULTS,
        *("pending",) * 4,
        *("errored", "partial", "late", "duplicate", "drop_before", "drop_after", "error_body", "refused")
        * 2,
    ),
}
"""All faults of a call: the table of docs/reliability.md."""
_SHARE_OF_FAULTS: Final = {SANDBOX: 0.35, HABITS: 0.6}

_ON_PAGE = {
    SANDBOX: ("success", "success", "success", "refused", "pending", "error", "cancelled"),
    HABITS: tuple(PAGE_OUTCOMES),
}
_SECONDS = (1, 3, 20, 61, 125, 310, 905, 1_000, 1_900, 3_700, 21_700, 90_000, 180_000, 700_000)

_USUAL: Final[Mapping[str, Any]] = {
    "which": range(12),
    "shopper": ("ada", "grace"),
    "card": ("CRYPTOGRAM_3DS", "CRYPTOGRAM_3DS", "PAN_ONLY"),
    "percent": (None, None, 1, 25, 30, 50, 99, 100, 101),
    "key": (None, None, None, "click", "click-on-it", "double-click"),
    "by": ("anna", "bert", "carla"),
}
"""From which values arguments are drawn that many verbs have."""


def _verb(sandbox: int, habits: int, *usual: str, **own: Any) -> tuple[tuple[int, int], Mapping[str, Any]]:
    return (sandbox, habits), {name: _USUAL[name] for name in usual} | own


VERBS: Final[Mapping[str, tuple[tuple[int, int], Mapping[str, Any]]]] = {
    "order": _verb(
        6,
        3,
        type=("sale", "preauthorization"),
        number=range(1_000),
        payable_for={SANDBOX: (None, None, None, 3_600), HABITS: (None,)},
        amount=("20.00", "20.00", "7.31", "1234.56"),
    ),
    "pay_on_page": _verb(12, 12, "which", outcome=_ON_PAGE | {SANDBOX: ("success",)}),
    "checkout": _verb(8, 2, "which"),
    "decide_page": _verb(9, 6, "which", outcome=_ON_PAGE),
    "come_back": _verb(6, 5, "which"),
    "reconcile": _verb(5, 3, "which", everything=(False, True)),
    "show_button": _verb(2, 0, "which", "shopper"),
    "pay_by_button": _verb(9, 5, "which", "shopper", "card"),
    "approve_in_sheet": _verb(2, 0, "which", "shopper", "card"),
    "post_result": _verb(3, 1, "which"),
    "another_card": _verb(1, 0, "which", "shopper", "card"),
    "close_sheet": _verb(1, 0, "which", "shopper"),
    "price_sheet": _verb(1, 0, "which", "shopper"),
    "leave_three_d_secure": _verb(4, 0, "which", outcome=("success", "success", "failed", "abandoned")),
    "settle_pending": _verb(
        4,
        6,
        "which",
        outcome={
            SANDBOX: ("success", "refused", "error"),
            HABITS: ("success", "success", "refused", "less"),
        },
    ),
    "capture": _verb(10, 6, "which", "percent", "key", "by"),
    "refund": _verb(11, 6, "which", "percent", "key", "by"),
    "reverse": _verb(5, 3, "which", "key", "by"),
    "refund_migrated": _verb(
        5, 0, "key", "by", deposit=("D-1", "D-2", "D-UNKNOWN"), amount=("10.00", "30.00", "45.00")
    ),
    "cancel": _verb(2, 0, "which"),
    "agree": _verb(4, 0, "which", "by"),
    "decline": _verb(2, 0, "which", "by"),
    "decide": _verb(
        4,
        5,
        "which",
        "by",
        how={
            SANDBOX: ("as the portal says",),
            HABITS: (*["as the portal says"] * 2, "DID_HAPPEN", "DID_NOT_HAPPEN"),
        },
    ),
    "send_again": _verb(3, 1, "which", "by"),
    "give_up": _verb(2, 1, "which", "by"),
    "close_difference": _verb(3, 3, "which", "by", is_careless={SANDBOX: (False,), HABITS: (True,)}),
    "book_difference": _verb(3, 3, "which", "by"),
    "portal": _verb(
        4,
        3,
        "which",
        type=("ecom.capture", "ecom.refund", "ecom.refund", "ecom.reversalPreauthorization"),
        percent=(1, 30, 50, 100),
    ),
    "draft_batch": _verb(3, 0, "by", kind=("CAPTURE", "REFUND", "REVERSAL")),
    "start_batch": _verb(4, 0, "which"),
    "refund_deposits": _verb(1, 0, "by", amount=("1.00", "20.00")),
    "step_batch": _verb(5, 0, "which"),
    "pause_or_stop_batch": _verb(2, 0, "which", "by", how=("pause", "resume", "stop")),
    "stop_sending": _verb(1, 0, "by"),
    "resume_sending": _verb(2, 0, "by"),
    "sweep": _verb(10, 6),
    "compare": _verb(3, 2, repair=(False, True, True)),
    "wait": _verb(14, 8, seconds=_SECONDS),
    "set_clock": _verb(2, 0, seconds=(-3_600, -125, -30, 30, 125, 3_600)),
    "lag": _verb(1, 0, seconds=(0, 0, 3_600, 90_000)),
    "execute_again": _verb(0, 2, "which"),
    "take_back": _verb(0, 1, "which", how=("gone", "Errored", "Pending")),
    "flood": _verb(0, 1, "which"),
    "teach": _verb(0, 1),
}
"""What can happen: how often at each gateway of `GATEWAYS`, and from which values each argument is drawn."""


_OF_SEVERAL: Final = {
    "order": 60,
    "pay_on_page": 70,
    "pay_by_button": 40,
    "leave_three_d_secure": 10,
    "capture": 60,
    "refund": 60,
    "reverse": 10,
    "refund_migrated": 15,
    "resume_sending": 8,
    "sweep": 20,
    "wait": 40,
}
"""How often what several processes do at once: the more orders, the more they have to do."""
_BEGINNINGS: Final = ("pay_on_page", "pay_on_page", "pay_by_button", "checkout")
_INSTEAD: Final = ("pay_on_page", "pay_by_button", "capture", "refund", "refund", "refund_migrated", "wait")


def draw_history(seed: str, length: int, gateway: str, *, is_of_several: bool = False) -> History:
    """Draw a history at a gateway from a seed, of this many steps; `is_of_several` processes at once."""
    drawing = _Drawing(seed, gateway, _OF_SEVERAL if is_of_several else {})
    steps = [drawing.named("order"), drawing.named(drawing.one_of(_BEGINNINGS), fate=drawing.fate())]
    steps += [drawing.step() for _ in range(length - len(steps))]
    behaviour = drawing.habits() if gateway == HABITS else drawing.behaviour()
    settings = drawing.settings() if gateway == SANDBOX else {}
    return History(
        seed=seed, gateway=gateway, settings=settings, behaviour=behaviour, steps=tuple(steps[:length])
    )


def instead_of(step: Step, gateway: str) -> Step:
    """Return what is done where a step finds nothing to act on, so that few steps are idle."""
    drawing = _Drawing(step.salt, gateway)
    # Another process that ran meanwhile has run already.
    return drawing.named(drawing.one_of(_INSTEAD), fate=replace(step.fate, meanwhile=None, overtaken_at=0))


class _Drawing:
    """Draws the parts of a history from a seed."""

    def __init__(self, seed: str | int, gateway: str, weights: Mapping[str, int] = {}) -> None:
        self._chance, self._gateway = Random(seed), gateway
        place = GATEWAYS.index(gateway)
        of_gateway = {verb: usual[place] for verb, (usual, _) in VERBS.items() if usual[place]}
        self._weights = {**of_gateway, **weights}

    def named(self, verb: str, *, fate: Fate = Fate()) -> Step:
        """Return a step of a verb, with arguments."""
        chance, given = self._chance, {}
        for name, values in VERBS[verb][1].items():
            given[name] = chance.choice(values[self._gateway] if isinstance(values, dict) else values)
        return Step(verb=verb, given=given, fate=fate, salt=chance.getrandbits(32))

    def one_of(self, verbs: Sequence[str]) -> str:
        """Return one of the verbs that this gateway has."""
        return self._chance.choice([verb for verb in verbs if verb in self._weights])

    def step(self, *, is_alone: bool = True) -> Step:
        """Return any step; one that is done meanwhile is not overtaken itself, and changes no settings."""
        (verb,) = self._chance.choices(list(self._weights), list(self._weights.values()))
        if verb == "teach" and not is_alone:
            verb = "sweep"
        return self.named(verb, fate=self.fate(is_alone=is_alone))

    def fate(self, *, is_alone: bool = True) -> Fate:
        """Return what goes wrong with a step: mostly nothing."""
        chance, fate = self._chance, Fate()
        if chance.random() < _SHARE_OF_FAULTS[self._gateway]:
            fate = replace(fate, faults=self._faults())
        kind = chance.random()
        if kind < 0.15:
            return replace(fate, dies_at=self._boundary())
        if kind < 0.2:
            return replace(fate, loses_database_at=self._boundary())
        if kind < 0.33 and is_alone:
            meanwhile = self.step(is_alone=False)
            return replace(fate, overtaken_at=self._boundary(), meanwhile=meanwhile)
        return fate

    def _faults(self) -> tuple[tuple[int, str], ...]:
        chance, faults = self._chance, FAULTS[self._gateway]
        if chance.random() < 0.15:
            return ((OUTAGE, chance.choice(faults)),)
        first = 1 + (chance.random() < 0.3) + (chance.random() < 0.2)
        several = [(first, chance.choice(faults))]
        if chance.random() < 0.3:
            several.append((first + 1, chance.choice(faults)))
        return tuple(several)

    def _boundary(self) -> int:
        """Return an early boundary more often than a late one: short operations have few."""
        return self._chance.randint(1, self._chance.choice((6, 15, 40, 40, 90)))

    def settings(self) -> dict[str, Any]:
        """Return the shop's settings that decide about money."""
        chance = self._chance
        return {
            "BOOK_ELSEWHERE": chance.choice(("ask", "book")),
            "LATE_PAYMENT": chance.choice(("report", "report", "accept")),
            "CAPTURE": {"POLICY": chance.choice(("ask", "ask", "capture", "reverse"))},
            "APPROVALS": {
                "LIMITS": chance.choice(({}, {}, {"EUR": "5.00"})),
                "DAY_LIMITS": chance.choice(({}, {}, {"EUR": "25.00"})),
            },
        }

    def behaviour(self) -> dict[str, Any]:
        """Return how the sandbox behaves where the interface leaves it open."""
        chance = self._chance
        return {
            "another_card": chance.random() < 0.4,
            "duplicates": chance.choice(("reject", "reject", "replay", "execute", "execute")),
            "letter_case": chance.choice(("canonical", "canonical", "pascal", "lower")),
            "numeric_amounts": chance.random() < 0.2,
        }

    def habits(self) -> dict[str, Any]:
        """Return the habits of a gateway: the fields of `Habits`."""
        chance = self._chance
        placeholders = [state for state in (ERRORED, PENDING) if chance.random() < 0.4]
        if chance.random() < 0.06:
            placeholders.append(APPROVED)
        mixes = chance.random() < 0.06
        files = chance.choices(("own", "listed", "original"), (5, 2, 3))[0]
        return {
            "words": {state: self._word(state) for state in STATES},
            "placeholder": chance.choice(PLACEHOLDERS),
            "has_placeholder": tuple(placeholders),
            "amounts": {state: chance.choice(("same", "same", *AMOUNTS)) for state in (ERRORED, PENDING)},
            "order": chance.choice(("oldest", "newest", "shuffled")),
            "repeats": chance.random() < 0.2,
            "files": files,
            # Some shops do not know how their gateway files follow-ups.
            "shares": (files == "original") != (chance.random() < 0.07),
            "portal": "own" if mixes else chance.choice(("original", "own")),
            "mixes": mixes,
            "strangers": chance.random() < 0.15,
            "spelling": chance.choice(list(SPELLINGS)),
            "lag": chance.choice((0, 0, 0, 0, 30, 1_200)),
        }

    def _word(self, state: str) -> str:
        if self._chance.random() < 0.12:
            return self._chance.choice(OTHER_WORDS[state])
        return self._chance.choice((str, str, str.lower, str.upper))(state)
