"""What the gateway has shown to the shop: read from the answers that reached it, for the judge."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from proof.histories.speech import MEANING, MOST_READ, STATES, Shown, minor_of
from wallet_gateway.client.exchange import RawAnswer

_REFERENCE: Final = "clientSystemTransactionId"
_MOVES_NOTHING: Final = ("publicKey", "paymentAccounts")


class Answers:
    """Keeps what was sent and what was answered in one history."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Begin a history."""
        self.sent: Counter[str] = Counter()
        """How often each reference was sent with a request that moves money or opens a page."""
        self.latest: dict[str, tuple[Shown, ...]] = {}
        """What the last answer about each reference showed, unless a process was lost with it."""
        self.cut: set[str] = set()
        """The references whose last answer had more elements than are read."""
        self.ever: defaultdict[str, list[Shown]] = defaultdict(list)
        """Every record that an answer about a reference has shown, as it stood, within what is read."""
        self.beyond: defaultdict[str, list[Shown]] = defaultdict(list)
        """What came after the elements that are read."""
        self.answered: defaultdict[str, list[Shown]] = defaultdict(list)
        """What the answers to requests have said of each reference."""
        self.refused: set[str] = set()
        """The references whose request was answered with an HTTP error of the 400s, or an error with 200."""
        self.is_taught = False
        """Whether the shop knows the words of its gateway."""
        self._is_looking_up = False
        self.of_step: set[str] = set()
        """The references that the process that runs has asked about in this step."""

    def begin_step(self) -> None:
        """Begin a step."""
        self.of_step = set()

    def lose_step(self) -> None:
        """Forget what a process has read that was lost: the next answer is judged instead."""
        for reference in self.of_step:
            self.latest.pop(reference, None)
            self.cut.discard(reference)

    @contextmanager
    def looking_up(self) -> Iterator[None]:
        """Judge nothing of what a person looks up to book one record."""
        self._is_looking_up = True
        try:
            yield
        finally:
            self._is_looking_up = False

    def note_closed(self, reference: str) -> None:
        """Forget records whose ids say nothing: they are judged anew when the next answer shows them."""
        if shown := self.latest.get(reference):
            self.latest[reference] = tuple(one for one in shown if not one.is_placeholder)

    def note_sent(self, path: str, body: bytes) -> None:
        """Count a request that reached the gateway."""
        if not any(name in path for name in _MOVES_NOTHING):
            self.sent[json.loads(body)[_REFERENCE]] += 1

    def note(
        self, query: Mapping[str, str] | None, body: bytes | None, answer: RawAnswer, *, is_odd: bool
    ) -> None:
        """Keep what an answer says that has reached the shop; an odd one may not have been understood."""
        said = _read_json(answer.body)
        if query and isinstance(said, list):
            self._note_records(query[_REFERENCE], said, is_odd=is_odd)
        elif body and answer.status == 200 and isinstance(said, dict):
            self._note_answer(json.loads(body), said)
        if body and (400 <= answer.status < 500 or _is_error(answer.status, said)):
            self.refused.add(json.loads(body).get(_REFERENCE, ""))

    def _note_answer(self, request: Mapping[str, Any], said: dict[str, Any]) -> None:
        # Most have no amount and no type, and confirm what was asked for.
        whole = {"id": "", "type": request.get("type"), "transactionamount": said.get("amount")} | said
        read = self._read(whole | {_REFERENCE.lower(): request.get(_REFERENCE)})
        if read is not None:
            asked = minor_of(request["amount"])
            minor = asked if read.minor is None else read.minor
            self.answered[read.reference].append(replace(read, minor=minor))

    def _note_records(self, reference: str, records: Sequence[object], *, is_odd: bool) -> None:
        read = [self._read(record) for record in records]
        within = tuple(one for one in read[:MOST_READ] if one is not None)
        self.ever[reference] += [one for one in dict.fromkeys(within) if one not in self.ever[reference]]
        self.beyond[reference] += [one for one in read[MOST_READ:] if one is not None]
        if self._is_looking_up:
            return
        self.of_step.add(reference)
        if is_odd:
            self.latest.pop(reference, None)
            return
        self.latest[reference] = within
        (self.cut.add if len(records) > MOST_READ else self.cut.discard)(reference)

    def _read(self, record: object) -> Shown | None:
        """Return what a record says to a shop that knows the interface's words, and those it was taught."""
        if not isinstance(record, dict) or not {"state", "currencycode"} <= set(record):
            return None
        amount = record["transactionamount"]
        known = {state.lower(): state for state in STATES} | (MEANING if self.is_taught else {})
        return Shown(
            id=str(record["id"]),
            state=known.get(record["state"].lower(), ""),
            type=str(record["type"]).lower(),
            minor=None if amount is None else round(float(amount) * 100),
            currency=record["currencycode"],
            reference=record[_REFERENCE.lower()],
        )


def _is_error(status: int, said: object) -> bool:
    """Return whether a success by its status is an error by its body, which is believed."""
    return status == 200 and isinstance(said, dict) and "code" in said and "state" not in said


def _read_json(body: bytes) -> object:
    """Return what a body says, with the names of fields in lower case; None if it is not JSON."""
    try:
        return json.loads(
            body, object_hook=lambda part: {name.lower(): value for name, value in part.items()}
        )
    except ValueError:
        return None
