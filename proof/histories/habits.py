"""A gateway in this process that keeps two things apart: what really moved, and what it says of it.

The truth is a list of `Execution`. What a status query or an answer to a request shows of one of them depends
on the habits of the history, all of which the interface leaves open: the words of states, the ids and amounts
of what moved nothing, the order of records, repeated ones, and the references of operations in the portal.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any, Final
from urllib.parse import parse_qs

from proof.histories.speech import (
    AMOUNTS,
    APPROVED,
    CAPTURE,
    DETACHED_REFUND,
    ERRORED,
    MOST_READ,
    PAGE_OUTCOMES,
    PENDING,
    PREAUTHORIZATION,
    REFUND,
    REVERSAL,
    SALE,
    SPELLINGS,
    Habits,
    minor_of,
)
from proof.histories.steps import NothingToDo, nth
from proof.histories.virtual_time import VirtualTime
from wallet_gateway.sandbox.api import DROPPED, Reply, answer_with_fault
from wallet_gateway.sandbox.models import FaultKind, SetFault
from wallet_gateway.sandbox.requests import RawRequest

_PAGE_SECONDS: Final = 900


@dataclass(slots=True, kw_only=True)
class Execution:
    """Something that the gateway carried out, refused, or has not decided on: the truth about it."""

    number: int
    type: str
    minor: int
    state: str
    original: str
    """The reference of the payment that it belongs to."""
    intent: str
    """The reference of the shop's request; empty for what was done in the portal."""
    reference: str
    """Under which the gateway files it."""
    happens_at: float
    is_gone: bool = False
    """Whether the gateway's records lost it: archived."""
    is_changed: bool = False
    """Whether an approval was taken back, or shown as another amount than moved, after it was seen."""


class HabitualGateway:
    """A gateway with habits, and the provider, the portal and the customers' pages behind it."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self.restart({}, "")

    def restart(self, behaviour: Mapping[str, Any], seed: str) -> None:
        """Begin a history."""
        self.habits, self._chance = Habits(**behaviour), Random(f"{seed}:gateway")
        self.truth: list[Execution] = []
        self.pages: dict[str, tuple[dict[str, Any], float]] = {}
        """The request of each page, and when it ends."""
        self.flooded: set[str] = set()
        """The pages whose answers have more records than are read."""
        self._key = 0

    @property
    def settings(self) -> dict[str, Any]:
        """What the shop's settings say of this gateway."""
        return {"SHARES_REFERENCES": self.habits.shares}

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
        number = len(self.truth) + 1
        made = Execution(
            number=number,
            type=kind,
            minor=minor,
            state=state,
            original=original,
            intent=intent,
            reference=reference
            or intent
            or (original if self.habits.portal == "original" else f"PORTAL-{number}"),
            happens_at=self._now + after,
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

    def decide_page(self, reference: str, outcome: str) -> None:
        """Let a customer decide on a page."""
        if reference not in self.open_pages:
            raise NothingToDo
        request, _ = self.pages[reference]
        minor = minor_of(request["amount"])
        kind = SALE if request["type"].lower() == SALE else PREAUTHORIZATION
        for state, percent in PAGE_OUTCOMES[outcome]:
            self.add(kind, minor * percent // 100, state, original=reference, intent=reference)

    def settle_pending(self, which: int, outcome: str) -> None:
        """Decide one of those that are pending."""
        pending = nth([one for one in self.truth if one.state == PENDING and not one.is_changed], which)
        pending.state = ERRORED if outcome == "refused" else APPROVED
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

    def portal(self, which: int, kind: str, percent: int) -> None:
        """Do something in the provider's portal, with one of the payments."""
        opened = [one for one in self.truth if one.state == APPROVED and one.intent == one.original]
        original, kind = nth(opened, which).original, kind.lower()
        left = self.left_of(original, kind)
        minor = left if kind == REVERSAL else left * percent // 100
        if minor <= 0:
            raise NothingToDo
        self.add(kind, minor, APPROVED, original=original)

    def execute_again(self, which: int) -> None:
        """Carry out a request once more, as if repeated on the way."""
        done = nth(
            [one for one in self.truth if one.state == APPROVED and one.intent and not one.is_changed], which
        )
        if done.intent != done.original and done.minor > self.left_of(done.original, done.type):
            raise NothingToDo
        page = self.pages.get(done.intent)
        minor = minor_of(page[0]["amount"]) if page else done.minor
        self.add(
            done.type, minor, APPROVED, original=done.original, intent=done.intent, reference=done.reference
        )

    def take_back(self, which: int, how: str, seen: set[str]) -> None:
        """Let an approved record that the shop has seen change its state, or be archived."""
        one = nth([one for one in self.truth if one.state == APPROVED and f"G-{one.number}" in seen], which)
        one.is_changed = True
        if how == "gone":
            one.is_gone = True
        else:
            one.state = how

    def approve_in_wallet(self, parameters: dict[str, Any], reference: str, card: str) -> dict[str, Any]:
        """Return what the page is handed after a customer has approved in the wallet's sheet."""
        return {
            "clientSystemTransactionId": reference,
            "transactionAccountId": f"ACCOUNT-{reference}",
            "transactionMethod": "WalletPay",
            "cryptogram": "AgAAAAAAAIR8CQrXcIhbQAAAAAA=",
            "eciIndicator": "05",
        }

    # The truth, for the judge and for people who ask the provider

    def happened(self, intent: str) -> str:
        """Return what the portal tells a person about a request: its best state; empty for no record."""
        states = {one.state for one in self.truth if one.intent == intent and one.happens_at <= self._now}
        return next((state for state in (APPROVED, PENDING, ERRORED) if state in states), "")

    def is_changed(self, original: str) -> bool:
        """Return whether what was shown of a payment was taken back later."""
        return any(one.is_changed for one in self.truth if one.original == original)

    def executed(self) -> dict[str, Counter[str]]:
        """Return how often each reference was carried out, by type of record; not by the portal."""
        done: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for one in self.truth:
            if one.state == APPROVED and one.intent and one.happens_at <= self._now:
                done[one.intent][one.type] += 1
        return done

    def approved_records(self) -> dict[str, str]:
        """Return the reference of each approved record by the record's id, portal operations among them."""
        return {f"G-{one.number}": one.reference for one in self.truth if one.state == APPROVED}

    # The shop's side

    def answer(self, raw: RawRequest, fault: str, *, delay: timedelta | None = None) -> Reply:
        """Answer a request, which goes wrong in the way that a fault says."""
        is_carried_out = fault in _CARRIED_OUT
        exchange = _Exchange(self, raw, fault if is_carried_out else "", delay)
        if fault == "late":
            exchange.process()
            return DROPPED
        if not fault or is_carried_out:
            return exchange.reply()
        return answer_with_fault(exchange, SetFault(fault=fault, delay=delay))  # type: ignore[arg-type]

    def process(self, raw: RawRequest, fate: str, delay: timedelta | None) -> tuple[int, Any]:
        """Carry out a request; return the HTTP status and the answer."""
        if raw.path.endswith("/publicKeys"):
            self._key += 1
            return 200, {"apiKey": f"pk-{self._key}", "encryptionKey": f"ek-{self._key}"}
        if "/paymentAccounts/" in raw.path:
            return 200, {"cardType": "Token"}
        if raw.method == "GET":
            return 200, self._status(parse_qs(raw.raw_query)["clientSystemTransactionId"][0])
        request = json.loads(raw.body)
        reference = request["clientSystemTransactionId"]
        if not raw.path.endswith("/checkout"):
            return self._post(request, reference, fate, delay)
        if fate != "late":
            self.pages[reference] = request, self._now + _PAGE_SECONDS
        return 200, {"redirectUrl": f"http://127.0.0.1:8001/pages/{reference}"}

    def _post(
        self, request: Mapping[str, Any], reference: str, fate: str, delay: timedelta | None
    ) -> tuple[int, Any]:
        original = request.get("clientSystemInvoiceId", reference)
        minor = minor_of(request["amount"])
        kind = request["type"].lower()
        opens = original == reference
        if not (opens or minor <= self.left_of(original, kind)):
            return 400, {"code": "4100001", "details": {"message": "not possible"}}
        if fate == "partial" and kind in (CAPTURE, REFUND):
            minor = max(1, minor // 2)
        state = {"errored": ERRORED, "pending": PENDING}.get(fate, APPROVED)
        filed = original if self.habits.files == "original" else reference
        after = 0.0
        if fate == "late":
            after = delay.total_seconds() if delay else self._chance.choice((20.0, 700.0, 90_000.0))
        given: dict[str, Any] = {"original": original, "intent": reference, "reference": filed}
        made = self.add(kind, minor, state, after=after, **given)
        if fate == "duplicate" and (opens or minor <= self.left_of(original, kind)):
            self.add(kind, minor, state, **given)
        said = self._shown(made)
        answer = {name: said[name] for name in ("id", "state", "currencyCode")}
        return 200, answer | {
            "providerStateCode": "",
            "clientSystemTransactionId": reference,
            "apmDetails": {"apmProviderName": "ExampleWalletV2"},
        }

    def _status(self, reference: str) -> list[dict[str, Any]]:
        records = [self._shown(one) for one in self.truth if self._is_listed(one, reference)]
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
            records[:0] = [
                _record(f"D-{number}", ERRORED, kind, reference) for number in range(MOST_READ + 20)
            ]
        return records

    def _is_listed(self, one: Execution, reference: str) -> bool:
        if one.is_gone or one.happens_at + self.habits.lag > self._now:
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
            amount = AMOUNTS[habits.amounts[one.state]](one.minor)
        return _record(
            habits.placeholder if one.state in habits.has_placeholder else f"G-{one.number}",
            habits.words[one.state],
            SPELLINGS[habits.spelling](one.type),
            one.reference,
            amount,
        )


_CARRIED_OUT: Final = ("errored", "pending", "partial", "duplicate", "late")
"""The faults that are no other answer but another truth."""


class _Exchange:
    """One request, as the sandbox's faults damage it."""

    def __init__(self, gateway: HabitualGateway, raw: RawRequest, fate: str, delay: timedelta | None) -> None:
        self._gateway, self.raw, self._fate, self._delay = gateway, raw, fate, delay

    def process(self, fault: FaultKind | None = None) -> tuple[int, Any]:
        """Carry out the request; return the HTTP status and the answer."""
        status, value = self._gateway.process(self.raw, self._fate, self._delay)
        if fault is FaultKind.UNDOCUMENTED_STATE:
            value = [_quarantined(part) for part in value] if isinstance(value, list) else _quarantined(value)
        return status, value

    def reply(self, fault: FaultKind | None = None) -> Reply:
        """Carry out the request and return the answer."""
        status, value = self.process(fault)
        return self.write(value, status=status)

    def write(self, value: object, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
        """Return an answer as JSON."""
        return Reply(status=status, body=json.dumps(value, default=float).encode(), headers=headers)


def _quarantined(part: dict[str, Any]) -> dict[str, Any]:
    return part | {"state": "Quarantined"} if "state" in part else part


def _record(
    number: str, state: str, kind: str, reference: str, amount: float | None = 20.0
) -> dict[str, Any]:
    return {
        "id": number,
        "state": state,
        "currencyCode": "EUR",
        "transactionAmount": amount,
        "clientSystemTransactionId": reference,
        "type": kind,
        "transactionDateTime": "2026-01-15T10:30:00.1234567",
        "apmDetails": {},
    }


# Openings and detached refunds of others, and refused operations, are nobody's money here.
_STRANGERS: Final = (
    _record("S-1", APPROVED, SALE, "OTHER-SHOP-1"),
    _record("S-2", ERRORED, REFUND, "OTHER-SHOP-2"),
    _record("S-3", PENDING, PREAUTHORIZATION, "OTHER-SHOP-3"),
    _record("S-4", APPROVED, DETACHED_REFUND, "OTHER-SHOP-4"),
)
