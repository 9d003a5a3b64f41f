"""What a history consists of: the habits of its gateway, and what people do. Drawn from a seed alone."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from proof.habits.gateway import (
    AMOUNTS,
    APPROVED,
    ERRORED,
    FATES,
    OTHER_WORDS,
    PAGE_OUTCOMES,
    PENDING,
    PLACEHOLDERS,
    SPELLINGS,
    STATES,
    Habits,
)
from proof.simulation.steps import History, Step

_WHICH: Final = range(4)
_ORDERED: Final = ("20.00", "20.00", "7.31", "1234.56")
_PERCENT: Final = (None, None, 50, 30, 100)
_SECONDS: Final = (3, 20, 61, 310, 1_000, 3_700, 21_700, 90_000, 180_000, 700_000)
_DECISIONS: Final = ("honest", "honest", "DID_HAPPEN", "DID_NOT_HAPPEN")
_FATES: Final = ("works",) * 8 + FATES
_PORTAL: Final = ("ecom.capture", "ecom.refund", "ecom.refund", "ecom.reversalPreauthorization")

STEPS: Final[Mapping[str, tuple[int, Mapping[str, Any]]]] = {
    "order": (3, {"type": ("sale", "preauthorization"), "amount": _ORDERED}),
    "pay_on_page": (
        12,
        {"which": _WHICH, "outcome": PAGE_OUTCOMES, "fate": ("works",) * 9 + ("lost", "not_sent")},
    ),
    "decide_page": (6, {"which": _WHICH, "outcome": PAGE_OUTCOMES}),
    "press_button": (4, {"which": _WHICH, "fate": _FATES}),
    "settle": (6, {"which": _WHICH, "outcome": ("approved", "approved", "declined", "less")}),
    "come_back": (5, {"which": _WHICH}),
    "capture": (6, {"which": _WHICH, "percent": _PERCENT, "fate": _FATES}),
    "refund": (6, {"which": _WHICH, "percent": _PERCENT, "fate": _FATES}),
    "reverse": (3, {"which": _WHICH, "fate": _FATES}),
    "portal": (3, {"which": _WHICH, "type": _PORTAL, "percent": (100, 50, 30)}),
    "execute_again": (2, {"which": _WHICH}),
    "send_again": (1, {"which": _WHICH, "fate": _FATES}),
    "give_up": (1, {"which": _WHICH}),
    "decide": (5, {"which": _WHICH, "how": _DECISIONS}),
    "close": (3, {"which": _WHICH}),
    "book": (3, {"which": _WHICH}),
    "teach": (1, {}),
    "take_back": (1, {"which": _WHICH, "how": ("gone", ERRORED, PENDING)}),
    "flood": (1, {"which": _WHICH}),
    "compare": (2, {}),
    "reconcile": (3, {"which": _WHICH, "everything": (False, True)}),
    "sweep": (6, {}),
    "wait": (8, {"seconds": _SECONDS}),
}
"""How often each step is drawn, and from what its arguments are."""


def draw_history(seed: str, steps: int) -> History:
    """Return the history of a seed."""
    chance = Random(seed)
    habits = draw_habits(chance)
    weights = [weight for weight, _ in STEPS.values()]
    drawn = [
        Step(verb="order", given={"type": chance.choice(("sale", "preauthorization")), "amount": "20.00"})
    ]
    for number in range(1, steps):
        verb = chance.choices(tuple(STEPS), weights)[0]
        given = {name: chance.choice(values) for name, values in STEPS[verb][1].items()}
        drawn.append(Step(verb=verb, given=given, salt=number))
    return History(seed=seed, settings={}, behaviour={"habits": habits}, steps=tuple(drawn))


def draw_habits(chance: Random) -> Habits:
    """Return the habits of one gateway."""
    placeholders = [state for state in (ERRORED, PENDING) if chance.random() < 0.4]
    if chance.random() < 0.06:
        placeholders.append(APPROVED)
    mixes = chance.random() < 0.06
    files = chance.choices(("own", "listed", "original"), (5, 2, 3))[0]
    # Some shops do not know how their gateway files follow-ups.
    shares = (files == "original") != (chance.random() < 0.07)
    return Habits(
        words={state: _word(state, chance) for state in STATES},
        placeholder=chance.choice(PLACEHOLDERS),
        has_placeholder=frozenset(placeholders),
        amounts={state: chance.choice(("same", "same", *AMOUNTS)) for state in (ERRORED, PENDING)},
        order=chance.choice(("oldest", "newest", "shuffled")),
        repeats=chance.random() < 0.2,
        files=files,
        shares=shares,
        portal="own" if mixes else chance.choice(("original", "own")),
        mixes=mixes,
        strangers=chance.random() < 0.15,
        spelling=chance.choice(SPELLINGS),
        lag=chance.choice((0, 0, 0, 0, 30, 1_200)),
    )


def _word(state: str, chance: Random) -> str:
    if chance.random() < 0.12:
        return chance.choice(OTHER_WORDS[state])
    return chance.choice((str, str, str.lower, str.upper))(state)
