"""A gateway in this process that keeps two things apart: what really moved, and what it says of it.

The truth is a list of `Execution`. What a status query or an answer to a request shows of one of them depends
on the habits of the history, all of which the interface leaves open: the words of states, the ids and amounts
of what moved nothing, the order of records, repeated ones, and the references of operations in the portal.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from proof.simulation.virtual_time import VirtualTime
from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.exchange import RawAnswer

ZERO_UUID: Final = "00000000-0000-0000-0000-000000000000"
PLACEHOLDERS: Final = (ZERO_UUID, "0", "")
APPROVED, ERRORED, PENDING = "Approved", "Errored", "Pending"
STATES: Final = (APPROVED, ERRORED, PENDING)
OTHER_WORDS: Final = {
    APPROVED: ("Settled", "Completed", "CAPTURED"),
    ERRORED: ("Declined", "Refused", "FAILED"),
    PENDING: ("Processing", "InProgress", "WAITING"),
}
"""Words that the interface does not name."""
MEANING: Final = {word.lower(): state for state, words in OTHER_WORDS.items() for word in words}
SALE, PREAUTHORIZATION = "ecom.sale", "ecom.preAuthorization"
CAPTURE, REFUND, REVERSAL = "ecom.capture", "ecom.refund", "ecom.reversalPreauthorization"
MOST_READ: Final = 500
"""How many elements of one answer the plugin reads."""
_PAGE_SECONDS: Final = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How one gateway speaks; nothing here contradicts the interface."""

    words: Mapping[str, str] = field(default_factory=lambda: {state: state for state in STATES})
    """What it calls each state."""
    placeholder: str = ""
    has_placeholder: frozenset[str] = frozenset()
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

    def word(self, state: str) -> str:
        """Return what the gateway calls a state."""
        return self.words[state]


@dataclass(slots=True, kw_only=True)
class Execution:
    """Something that the gateway carried out, refused, or has not decided on: the truth about it."""

    number: int
    type: str
    minor: int
    currency: str
    state: str
    original: str
    """The reference of the payment that it belongs to."""
    intent: str
    """The reference of the shop's request; empty for what was done in the portal."""
    reference: str
    """Under which the gateway files it."""
    happens_at: float
    visible_at: float
    is_gone: bool = False
    """Whether the gateway's records lost it: archived."""
    is_changed: bool = False
    """Whether an approval was taken back, or shown as another amount than moved, after it was seen."""


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


class HabitualGateway:
    """The transport of a history's shop, and the provider, the portal and the customers' pages behind it."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self.restart(Habits(), "")

    def restart(self, habits: Habits, seed: str) -> None:
        """Begin a history."""
        self.habits, self._chance = habits, Random(f"{seed}:gateway")
        self.truth: list[Execution] = []
        self.pages: dict[str, tuple[dict[str, Any], float]] = {}
        """The request of each page, and when it ends."""
        self.posts: Counter[str] = Counter()
        """How often each reference was sent with a request that moves money."""
        self.latest: dict[str, tuple[Shown, ...]] = {}
        """What the last answer about each reference showed."""
        self.cut: set[str] = set()
        """The references whose last answer had more elements than are read."""
        self.ever: defaultdict[str, list[Shown]] = defaultdict(list)
        """Every record that an answer about a reference has shown, as it stood, within what is read."""
        self.beyond: defaultdict[str, list[Shown]] = defaultdict(list)
        """What came after the elements that are read."""
        self.answered: defaultdict[str, list[Shown]] = defaultdict(list)
        """What the answers to requests have said of each reference."""
        self.flooded: set[str] = set()
        self.is_taught = False
        self.is_listened_to = True
        """Whether what a query shows now is judged; not while one record is looked up for a booking."""
        self.fate = "works"
        """What happens to the next request that moves money, or opens a page."""
        self._key = 0

    # The provider's side

    @property
    def _now(self) -> float:
        return self._time.elapsed

    def add(
        self,
        kind: str,
        minor: int,
        state: str,
        *,
        original: str,
        intent: str = "",
        after: float = 0,
        reference: str = "",
    ) -> Execution:
        """Carry something out, refuse it, or leave it undecided."""
        number, now = len(self.truth) + 1, self._now + after
        made = Execution(
            number=number,
            type=kind,
            minor=minor,
            currency="EUR",
            state=state,
            original=original,
            intent=intent,
            reference=reference
            or intent
            or (original if self.habits.portal == "original" else f"PORTAL-{number}"),
            happens_at=now,
            visible_at=now + self.habits.lag,
        )
        self.truth.append(made)
        return made

    @property
    def open_pages(self) -> list[str]:
        """The pages on which a customer may still decide, the newest first."""
        held = {one.intent for one in self.truth if one.state != ERRORED}
        return [
            page for page in reversed(self.pages) if page not in held and self._now <= self.pages[page][1]
        ]

    def decide_page(self, reference: str, outcome: str) -> bool:
        """Let a customer decide on a page; return False if there is nothing to decide any more."""
        if reference not in self.open_pages:
            return False
        request, _ = self.pages[reference]
        minor = _minor(request["amount"])
        kind = SALE if request["type"].lower() == SALE else PREAUTHORIZATION
        for state, amount in _PAGE_OUTCOMES[outcome]:
            self.add(kind, minor * amount // 100, state, original=reference, intent=reference)
        return True

    def settle(self, pending: Execution, outcome: str) -> None:
        """Decide what was pending."""
        pending.state = ERRORED if outcome == "declined" else APPROVED
        if outcome == "less":
            pending.minor //= 2

    def left_of(self, original: str, kind: str) -> int:
        """Return how much may still be captured, refunded or reversed of a payment, in truth."""
        done = self.moved(original)
        opened = done[SALE] + done[PREAUTHORIZATION]
        if kind == REFUND:
            return done[SALE] + done[CAPTURE] - done[REFUND]
        if done[SALE] or done[REVERSAL] or (kind == REVERSAL and done[CAPTURE]):
            return 0
        return opened - done[CAPTURE]

    def moved(self, original: str) -> Counter[str]:
        """Return what has really moved of a payment by now, by type."""
        sums: Counter[str] = Counter()
        for one in self.truth:
            if one.original == original and one.state == APPROVED and one.happens_at <= self._now:
                sums[one.type] += one.minor
        return sums

    def portal(self, original: str, kind: str, percent: int) -> bool:
        """Do something in the provider's portal; return False if it refuses."""
        left = self.left_of(original, kind)
        minor = left if kind == REVERSAL else left * percent // 100
        if minor <= 0:
            return False
        self.add(kind, minor, APPROVED, original=original)
        return True

    def execute_again(self, done: Execution) -> bool:
        """Carry out a request once more, as if repeated on the way; return False if it is refused."""
        opens = done.intent == done.original
        if not opens and done.minor > self.left_of(done.original, done.type):
            return False
        page = self.pages.get(done.intent)
        minor = _minor(page[0]["amount"]) if page else done.minor
        self.add(
            done.type, minor, APPROVED, original=done.original, intent=done.intent, reference=done.reference
        )
        return True

    def happened(self, intent: str) -> str:
        """Return what the portal tells a person about a request: its best state; empty for no record."""
        states = {one.state for one in self.truth if one.intent == intent and one.happens_at <= self._now}
        return next((state for state in (APPROVED, PENDING, ERRORED) if state in states), "")

    # The shop's side: a transport

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        fresh: bool = False,
        not_after: float | None = None,
    ) -> RawAnswer:
        """Answer one request; raises NotSent and OutcomeUnknown."""
        del headers, fresh, not_after
        self._time.pass_by(0.05)
        if path.endswith("/publicKeys"):
            self._key += 1
            return _json({"apiKey": f"pk-{self._key}", "encryptionKey": f"ek-{self._key}"})
        if "/paymentAccounts/" in path:
            return _json({"cardType": "Token"})
        if method == "GET":
            return self._status((query or {})["clientSystemTransactionId"])
        fate, self.fate = self.fate, "works"
        if fate == "not_sent":
            raise NotSent(NotSentReason.REFUSED_CONNECTION)
        request = json.loads(body or b"{}")
        reference = request["clientSystemTransactionId"]
        self.posts[reference] += 1
        if path.endswith("/checkout"):
            if fate in _LOSES:
                raise OutcomeUnknown(UnknownReason.TIMEOUT)
            self.pages[reference] = request, self._now + _PAGE_SECONDS
            return _json({"redirectUrl": f"http://127.0.0.1:8001/pages/{reference}"})
        return self._post(request, reference, fate)

    def _post(self, request: Mapping[str, Any], reference: str, fate: str) -> RawAnswer:
        original = request.get("clientSystemInvoiceId", reference)
        minor = _minor(request["amount"])
        kind = next(known for known in _TYPES if known.lower() == request["type"].lower())
        opens = original == reference
        if fate == "refused" or not (opens or minor <= self.left_of(original, kind)):
            return _json({"code": "4100001", "details": {"message": "not possible"}}, status=400)
        if fate == "lost_before":
            raise OutcomeUnknown(UnknownReason.TIMEOUT)
        if fate == "less" and kind in (CAPTURE, REFUND):
            minor = max(1, minor // 2)
        state = {"declined": ERRORED, "pending": PENDING}.get(fate, APPROVED)
        filed = original if self.habits.files == "original" else reference
        after = self._chance.choice((20, 700, 90_000)) if fate == "late" else 0
        given: dict[str, Any] = {"original": original, "intent": reference, "reference": filed}
        made = self.add(kind, minor, state, after=after, **given)
        if fate == "double" and (opens or minor <= self.left_of(original, kind)):
            self.add(kind, minor, state, **given)
        if fate in _LOSES:
            raise OutcomeUnknown(UnknownReason.TIMEOUT)
        said = self._shown(made)
        answer = {
            "id": said["id"],
            "state": said["state"],
            "providerStateCode": "",
            "currencyCode": made.currency,
            "clientSystemTransactionId": reference,
            "apmDetails": {"apmProviderName": "ExampleWalletV2"},
        }
        read = self.read(said)
        # This answer has no amount: it confirms the one that was asked for.
        asked = replace(read, minor=_minor(request["amount"]), reference=reference)
        self.answered[reference].append(asked)
        return _json(answer)

    def _status(self, reference: str) -> RawAnswer:
        found = [one for one in self.truth if self._is_listed(one, reference)]
        records = [self._shown(one) for one in found]
        if self.habits.order == "newest":
            records.reverse()
        elif self.habits.order == "shuffled":
            self._chance.shuffle(records)
        if self.habits.repeats and records:
            records.insert(self._chance.randrange(len(records) + 1), self._chance.choice(records))
        if self.habits.strangers:
            records[:0] = _STRANGERS
        if reference in self.flooded:
            kind = next((record["type"] for record in records), SALE)
            records[:0] = [_declined(number, reference, kind) for number in range(MOST_READ + 20)]
        if self.is_listened_to:
            self._remember(reference, records)
        return _json(records)

    def _remember(self, reference: str, records: Sequence[Mapping[str, Any]]) -> None:
        read = tuple(self.read(record) for record in records[:MOST_READ])
        self.latest[reference] = read
        self.ever[reference] += [one for one in read if one not in self.ever[reference]]
        self.beyond[reference] += [self.read(record) for record in records[MOST_READ:]]
        (self.cut.add if len(records) > MOST_READ else self.cut.discard)(reference)

    def _is_listed(self, one: Execution, reference: str) -> bool:
        if one.is_gone or one.visible_at > self._now:
            return False
        # An operation of the portal is in the answer about its payment, whatever its own reference is.
        is_of_original = not one.intent or self.habits.files == "listed"
        if self.habits.mixes and one.reference.startswith("PORTAL") and not reference.startswith("PORTAL"):
            return True
        return reference in (one.reference, one.original if is_of_original else one.reference)

    def _shown(self, one: Execution) -> dict[str, Any]:
        """Return a record as the gateway shows it."""
        habits = self.habits
        amount: float | int | None = one.minor / 100
        if one.state in habits.amounts:
            amount = _AMOUNTS[habits.amounts[one.state]](one.minor)
        has_none = one.state in habits.has_placeholder
        return {
            "id": habits.placeholder if has_none else f"G-{one.number}",
            "state": habits.word(one.state),
            "currencyCode": one.currency,
            "transactionAmount": amount,
            "clientSystemTransactionId": one.reference,
            "type": _SPELLINGS[habits.spelling](one.type),
            "transactionDateTime": "2026-01-15T10:30:00.1234567",
            "apmDetails": {},
        }

    def read(self, record: Mapping[str, Any]) -> Shown:
        """Return what a record says to a shop that knows the interface's words, and those it was taught."""
        word, amount = record["state"].lower(), record["transactionAmount"]
        known = {state.lower(): state for state in STATES} | (MEANING if self.is_taught else {})
        return Shown(
            id=record["id"],
            state=known.get(word, ""),
            type=record["type"].lower(),
            minor=None if amount is None else round(amount * 100),
            currency=record["currencyCode"],
            reference=record["clientSystemTransactionId"],
        )


_PAGE_OUTCOMES: Final[Mapping[str, tuple[tuple[str, int], ...]]] = {
    "leave": (),
    "pay": ((APPROVED, 100),),
    "decline": ((ERRORED, 100),),
    "decline, then pay": ((ERRORED, 100), (APPROVED, 100)),
    "decline twice, then pend": ((ERRORED, 100), (ERRORED, 100), (PENDING, 100)),
    "pend": ((PENDING, 100),),
    "pay twice": ((APPROVED, 100), (APPROVED, 100)),
    "pay half": ((APPROVED, 50),),
}
"""What comes of a page: the state of each card, and how many percent of the amount were taken."""
PAGE_OUTCOMES: Final = tuple(_PAGE_OUTCOMES)
_TYPES: Final = (SALE, PREAUTHORIZATION, CAPTURE, REFUND, REVERSAL)
_LOSES: Final = ("lost", "lost_before", "late")
FATES: Final = ("declined", "pending", "lost", "lost_before", "late", "double", "less", "refused", "not_sent")
"""What may happen to a request, beside being carried out."""
_AMOUNTS: Final[Mapping[str, Any]] = {
    "same": lambda minor: minor / 100,
    "zero": lambda minor: 0,
    "null": lambda minor: None,
    "other": lambda minor: (minor + 137) / 100,
    "hundredfold": lambda minor: minor,
}
AMOUNTS: Final = tuple(_AMOUNTS)
_SPELLINGS: Final[Mapping[str, Any]] = {"plain": str, "lower": str.lower, "upper": str.upper}
SPELLINGS: Final = tuple(_SPELLINGS)


def _record(number: str, state: str, kind: str, reference: str) -> dict[str, Any]:
    return {
        "id": number,
        "state": state,
        "currencyCode": "EUR",
        "transactionAmount": 20.0,
        "clientSystemTransactionId": reference,
        "type": kind,
        "transactionDateTime": "2026-01-15T10:30:00.1234567",
        "apmDetails": {},
    }


def _declined(number: int, reference: str, kind: str) -> dict[str, Any]:
    return _record(f"D-{number}", ERRORED, kind, reference)


# Openings and detached refunds of others, and refused operations, are nobody's money here.
_STRANGERS: Final = (
    _record("S-1", APPROVED, SALE, "OTHER-SHOP-1"),
    _record("S-2", ERRORED, REFUND, "OTHER-SHOP-2"),
    _record("S-3", PENDING, PREAUTHORIZATION, "OTHER-SHOP-3"),
    _record("S-4", APPROVED, "detached.refund", "OTHER-SHOP-4"),
)


def _minor(amount: str) -> int:
    major, _, minor = amount.partition(".")
    return int(major) * 100 + int(minor.ljust(2, "0")[:2])


def _json(value: object, *, status: int = 200) -> RawAnswer:
    body = json.dumps(value).encode()
    return RawAnswer(status=status, headers={"content-type": "application/json"}, body=body, elapsed=0.05)
