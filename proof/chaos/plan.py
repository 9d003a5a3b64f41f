"""The plan of a run: everything that customers, staff, the gateway and the clock will do, drawn from a seed.

Pure: the same seed, number of operations and `--kill` give the same plan on every machine. A step says what
is tried, not what becomes of it: that depends on the steps before, and on which of several workers is faster.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

FORMAT: Final = 1
"""The version of the plan's making. Whatever changes what a seed means must raise it."""
_LIVE_STORIES: Final = 8
"""How many orders are in hand at the same time."""
_SHARE_OF_FAULTS: Final = 0.4
_NO_STORY: Final = 0


class Kind(StrEnum):
    """What a step does."""

    CREATE_ORDER = "create_order"
    OPEN_PAGE = "open_page"
    DECIDE_PAGE = "decide_page"
    COME_BACK = "come_back"
    WALLET_BUTTON = "wallet_button"
    LEAVE_3DS = "leave_3ds"
    SEE_STATUS = "see_status"
    CAPTURE = "capture"
    REFUND = "refund"
    REVERSE = "reverse"
    DETACHED_REFUND = "detached_refund"
    SECOND_PERSON = "second_person"
    RESOLVE = "resolve"
    DISCREPANCY = "discrepancy"
    SEND_AGAIN = "send_again"
    BATCH = "batch"
    BATCH_STEP = "batch_step"
    CANCEL = "cancel"
    ERASE = "erase"
    PORTAL = "portal"
    SETTLE_PENDING = "settle_pending"
    RECONCILE = "reconcile"
    SWEEP = "sweep"
    COMPARE = "compare"
    TIME = "time"
    GATEWAY_CLOCK = "gateway_clock"
    BEHAVIOUR = "behaviour"
    STOP_SENDING = "stop_sending"
    RESUME_SENDING = "resume_sending"


_WIRE_NAMES: Final = {
    Kind.OPEN_PAGE: ("checkout",),
    Kind.WALLET_BUTTON: (
        "authorization",
        "authorization",
        "authorization",
        "public_key",
        "create_payment_account",
        "get_payment_account",
    ),
    Kind.CAPTURE: ("capture",),
    Kind.REFUND: ("refund",),
    Kind.REVERSE: ("reversal",),
    Kind.DETACHED_REFUND: ("detached_refund",),
    Kind.SECOND_PERSON: ("refund", "detached_refund"),
    Kind.SEND_AGAIN: ("capture", "refund"),
    Kind.BATCH_STEP: ("capture", "refund", "reversal"),
    Kind.RECONCILE: ("status",),
    Kind.COME_BACK: ("status",),
    Kind.SWEEP: ("status", "*"),
    Kind.COMPARE: ("status",),
}
"""The operations of the sandbox that a fault of a step may strike."""
REAL_TIME_FAULTS: Final = {"delay_before": "late", "delay_after": "drop_after", "drip": "truncated"}
"""Faults that take time of the machine's, and what has the same effect in none."""
FAULTS: Final = (
    "drop_before",
    "drop_after",
    "delay_before",
    "delay_after",
    "status_before",
    "status_after",
    "error_body",
    "bare_error",
    "truncated",
    "not_json",
    "wrong_shape",
    "empty",
    "error_200",
    "mixed",
    "reset",
    "bad_gzip",
    "bad_status_line",
    "late",
    "undocumented_state",
    "unreadable_record",
    "redirected",
    "drip",
    "errored",
    "partial",
    "throttled",
    "duplicate",
)
"""Every fault that the sandbox can make."""
UNREACHABLE: Final = "unreachable"
"""The gateway refuses the connection: nothing leaves."""
DIES_BEFORE, DIES_AFTER = "dies_before", "dies_after"
"""The worker dies right before the first byte leaves, or with the answer in its hand."""
_SLOW_FAULTS: Final = frozenset(REAL_TIME_FAULTS)
_OF_OPERATIONS: Final = frozenset({"partial", "errored", "undocumented_state", "late", "duplicate"})
"""Faults of what is carried out: a status query has no such thing."""
_FREQUENT: Final = ("duplicate", "duplicate", "late", "drop_after", UNREACHABLE)
"""Drawn more often than the others: what happens twice, late, or is not heard of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """How a call of a step goes wrong."""

    name: str
    operation: str
    """The sandbox's name of the call, or ``*``."""
    seconds: float | None = None
    status: int | None = None

    def __str__(self) -> str:
        details = [f"{self.seconds:g} s"] if self.seconds is not None else []
        details += [f"HTTP {self.status}"] if self.status is not None else []
        return f"{self.name} of {self.operation}" + (f" ({', '.join(details)})" if details else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One order of the shop, and the gateway account that it is paid through."""

    number: int
    gateway: str
    type: str
    currency: str
    amount: str
    payable_minutes: int | None = None

    @property
    def reference(self) -> str:
        """The shop's reference of the order."""
        return f"CHAOS-{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that somebody does."""

    number: int
    kind: Kind
    story: int = _NO_STORY
    """The number of its order; 0 for what concerns no order."""
    which: int = 0
    """Which of several, counted around."""
    amount: str | None = None
    """A part of what is left, such as ``"0.25"``; None for all of it."""
    key: str | None = None
    """The idempotency key."""
    choice: str = ""
    person: str = "anna"
    fault: Fault | None = None
    seconds: float = 0.0
    """How far the clocks move on before it."""
    is_repeated: bool = False
    """Whether the caller calls again when the worker died in it."""

    def __str__(self) -> str:
        order = f" order {self.story}" if self.story else ""
        details = [self.choice] if self.choice else []
        details += [f"part {self.amount}"] if self.amount else []
        details += [f"key {self.key}"] if self.key else []
        details += [f"by {self.person}"] if self.kind in _BY_PEOPLE else []
        details += [f"with {self.fault}"] if self.fault else []
        moved = f"+{self.seconds:g}s" if self.seconds else ""
        return f"{self.number:>6} {moved:>9} {self.kind}{order}{', ' if details else ''}{', '.join(details)}"


_BY_PEOPLE: Final = {Kind.REFUND, Kind.DETACHED_REFUND, Kind.SECOND_PERSON, Kind.RESOLVE, Kind.BATCH}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All orders and all steps of a run."""

    seed: int
    stories: tuple[Story, ...] = field(repr=False)
    steps: tuple[Step, ...] = field(repr=False)

    def story(self, number: int) -> Story:
        """Return an order by its number."""
        return self.stories[number - 1]

    def with_steps(self, steps: Sequence[Step]) -> Plan:
        """Return a plan of the same orders with other steps."""
        return replace(self, steps=tuple(steps))


def make_plan(seed: int, operations: int, *, kill: bool = False) -> Plan:
    """Draw a plan of so many steps from a seed."""
    drawing = _Drawing(random.Random(f"wallet-chaos {FORMAT} {seed}"), kill=kill)
    steps = tuple(drawing.step(number) for number in range(1, operations + 1))
    return Plan(seed=seed, stories=tuple(drawing.stories), steps=steps)


_FIRST: Final = (Kind.OPEN_PAGE, Kind.OPEN_PAGE, Kind.OPEN_PAGE, Kind.WALLET_BUTTON, Kind.WALLET_BUTTON)
_THEN: Final = (
    *[Kind.DECIDE_PAGE] * 8,
    *[Kind.COME_BACK] * 4,
    *[Kind.LEAVE_3DS] * 4,
    *[Kind.OPEN_PAGE] * 2,
    *[Kind.WALLET_BUTTON] * 2,
    Kind.SEE_STATUS,
)
"""While an order is young, its customer pays."""
_LATER: Final = (
    *[Kind.CAPTURE] * 12,
    *[Kind.REFUND] * 14,
    *[Kind.REVERSE] * 3,
    *[Kind.RECONCILE] * 4,
    *[Kind.COME_BACK] * 2,
    *[Kind.PORTAL] * 2,
    *[Kind.RESOLVE] * 2,
    *[Kind.DISCREPANCY] * 3,
    *[Kind.DECIDE_PAGE] * 2,
    Kind.LEAVE_3DS,
    Kind.SEND_AGAIN,
    Kind.SETTLE_PENDING,
    Kind.OPEN_PAGE,
    Kind.WALLET_BUTTON,
    Kind.SEE_STATUS,
    Kind.CANCEL,
    Kind.ERASE,
)
"""Later the shop's people work with what was paid; what was not is paid first."""
_OF_NO_ORDER: Final = (
    *[Kind.SWEEP] * 14,
    *[Kind.DETACHED_REFUND] * 10,
    *[Kind.SECOND_PERSON] * 7,
    *[Kind.TIME] * 5,
    *[Kind.BATCH] * 4,
    *[Kind.BATCH_STEP] * 5,
    *[Kind.BEHAVIOUR] * 3,
    *[Kind.RESUME_SENDING] * 3,
    *[Kind.GATEWAY_CLOCK] * 2,
    *[Kind.RESOLVE] * 2,
    *[Kind.DISCREPANCY] * 2,
    Kind.COMPARE,
    Kind.STOP_SENDING,
)
_CHOICES: Final[dict[Kind, tuple[str, ...]]] = {
    Kind.DECIDE_PAGE: (*["success"] * 7, "pending", "refused", "cancelled", "error", "return"),
    Kind.LEAVE_3DS: ("success", "success", "success", "failed", "abandoned"),
    Kind.WALLET_BUTTON: ("CRYPTOGRAM_3DS", "CRYPTOGRAM_3DS", "PAN_ONLY", "twice"),
    Kind.SECOND_PERSON: ("approve", "approve", "approve", "decline"),
    Kind.RESOLVE: ("truthful",),
    Kind.DISCREPANCY: ("book", "book", "close"),
    Kind.SEND_AGAIN: ("send", "give_up"),
    Kind.BATCH: ("CAPTURE", "REFUND", "REFUND", "REVERSAL"),
    Kind.PORTAL: ("ecom.capture", "ecom.refund", "ecom.reversalPreauthorization"),
    Kind.SETTLE_PENDING: ("success", "success", "refused", "error"),
    Kind.BEHAVIOUR: (
        *["duplicates=execute"] * 4,
        "duplicates=replay",
        "duplicates=reject",
        "lag=0",
        "lag=0",
        "lag=8",
        "lag=120",
        "lag=4000",
        "another_card=1",
        "another_card=0",
        "numeric_amounts=1",
        "letter_case=lower",
        "letter_case=canonical",
    ),
}
_GATEWAYS: Final = ("default", "default", "booking", "sharing")
_AMOUNTS: Final = {"EUR": ("20.00", "7.49", "333.33"), "JPY": ("2000", "150"), "KWD": ("12.345", "1.005")}


class _Drawing:
    """Draws steps one after the other; remembers which orders are in hand, and how old each is."""

    def __init__(self, draw: random.Random, *, kill: bool) -> None:
        self._draw = draw
        self._kill = kill
        self.stories: list[Story] = []
        self._live: dict[int, int] = {}
        """The number of an order in hand, and how many steps it has left."""
        self._ages: dict[int, int] = {}

    def step(self, number: int) -> Step:
        """Draw the next step."""
        if len(self._live) < _LIVE_STORIES and self._draw.random() < 0.6:
            return self._new_order(number)
        if not self._live or self._draw.random() < 0.2:
            return self._detailed(Step(number=number, kind=self._draw.choice(_OF_NO_ORDER)))
        story = self._draw.choice(sorted(self._live))
        self._ages[story] += 1
        self._live[story] -= 1
        if not self._live[story]:
            del self._live[story]
        return self._detailed(Step(number=number, kind=self._next_of(story), story=story))

    def _new_order(self, number: int) -> Step:
        currency = self._draw.choice(("EUR", "EUR", "EUR", "JPY", "KWD"))
        story = Story(
            number=len(self.stories) + 1,
            gateway=self._draw.choice(_GATEWAYS),
            type=self._draw.choice(("sale", "preauthorization")),
            currency=currency,
            amount=self._draw.choice(_AMOUNTS[currency]),
            payable_minutes=self._draw.choice((*[None] * 7, 10)),
        )
        self.stories.append(story)
        self._ages[story.number] = 0
        self._live[story.number] = self._draw.randint(6, 16)
        moved = float(self._draw.randint(0, 20))
        return Step(
            number=number, kind=Kind.CREATE_ORDER, story=story.number, seconds=moved, is_repeated=True
        )

    def _next_of(self, story: int) -> Kind:
        age = self._ages[story]
        return self._draw.choice(_FIRST if age == 1 else _THEN if age <= 3 else _LATER)

    def _detailed(self, step: Step) -> Step:
        draw = self._draw
        return replace(
            step,
            which=draw.randrange(6),
            amount=draw.choice((None, "0.25", "0.25", "0.5", "0.01", "1.01")),
            key=f"s{step.story}-{draw.randrange(3)}" if draw.random() < 0.4 else None,
            choice=draw.choice(_CHOICES.get(step.kind, ("",))),
            person=draw.choice(("anna", "bert", "carla")),
            fault=self._fault_of(step.kind),
            seconds=self._moved(step.kind),
            is_repeated=draw.random() < 0.5,
        )

    def _moved(self, kind: Kind) -> float:
        if kind is Kind.TIME:
            return float(self._draw.choice((61, 125, 1000, 3700, 7300, 90_000, -45)))
        if kind is Kind.GATEWAY_CLOCK:
            return float(self._draw.choice((1, 20, 70)))
        return float(self._draw.randint(0, 40))

    def _fault_of(self, kind: Kind) -> Fault | None:
        draw, names = self._draw, _WIRE_NAMES.get(kind)
        if names is None or draw.random() > _SHARE_OF_FAULTS:
            return None
        operation = draw.choice(names)
        if operation in {"status", "*"}:
            name = draw.choice([fault for fault in FAULTS if fault not in _OF_OPERATIONS] + [UNREACHABLE])
        else:
            deaths = (DIES_BEFORE, DIES_BEFORE, DIES_AFTER, DIES_AFTER) if self._kill else ()
            name = draw.choice((*FAULTS, *_FREQUENT, *deaths))
        if name in _SLOW_FAULTS and draw.random() < 0.6:
            # They cost seconds of the machine's; the others cost none.
            name = REAL_TIME_FAULTS[name]
        return Fault(
            name=name, operation=operation, seconds=self._seconds_of(name), status=self._status_of(name)
        )

    def _seconds_of(self, name: str) -> float | None:
        if name == "late":
            return float(self._draw.choice((5, 30, 90, 600, 4000, 90_000)))
        if name in {"delay_before", "delay_after"}:
            return float(self._draw.choice((1, 3)))
        return 30.0 if name == "throttled" else None

    def _status_of(self, name: str) -> int | None:
        if name in {"status_before", "status_after"}:
            return self._draw.choice((500, 502, 503, 504, 403, 408, 429))
        return self._draw.choice((400, 409, 422, 500)) if name in {"error_body", "bare_error"} else None


def stories_of(steps: Sequence[Step]) -> Iterator[int]:
    """Yield the numbers of the orders that these steps concern, each once."""
    seen = {_NO_STORY}
    for step in steps:
        if step.story not in seen:
            seen.add(step.story)
            yield step.story
