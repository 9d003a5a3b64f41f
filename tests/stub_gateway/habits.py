"""Habits of a gateway that the document leaves free: a right answer under each is to be understood.

Three tables, each a row of which changes one thing: `LEFT_OUT`, what the document does not promise and
the outcome does not need; `ADDED`, what it does not exclude; `WRITTEN_OTHERWISE`, the same in other letters
or other HTTP. Faults are in `wrong`.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.stub_gateway.answers import Answer, Json, Kind
from tests.stub_gateway.book import Filing

Change = Callable[[Answer], Answer]
_UNKNOWN: Json = {"text": "more", "number": 1.5, "none": None, "list": [{"a": [1]}], "code": "9"}


def _as_it_is(answer: Answer) -> Answer:
    return answer


@dataclass(frozen=True)
class Habit:
    """`change` is applied to every answer; `filing` says where records of follow-ups are found.

    `kinds` are those that it changes, none for all of them.
    """

    name: str
    change: Change = _as_it_is
    kinds: frozenset[Kind] = frozenset()
    filing: Filing = Filing.OWN

    def concerns(self, *kinds: Kind) -> bool:
        return not self.kinds or bool(self.kinds & set(kinds))


PLAIN = Habit("plain")


def written(name: str, change: Callable[[Json], Json], *kinds: Kind) -> Habit:
    """Return the habit of changing the bodies of some kinds of answers, or of all kinds."""

    def apply(answer: Answer) -> Answer:
        return replace(answer, body=change(answer.body)) if not kinds or answer.kind in kinds else answer

    return Habit(": ".join([*kinds[:1], name]), apply, frozenset(kinds))


def sent(name: str, *kinds: Kind, **changes: Any) -> Habit:
    """Return the habit of sending some kinds of answers in another way, or all kinds."""

    def apply(answer: Answer) -> Answer:
        return replace(answer, **changes) if not kinds or answer.kind in kinds else answer

    return Habit(": ".join([*kinds[:1], name]), apply, frozenset(kinds))


def at(path: str, change: Callable[[dict[str, Any], str], None]) -> Callable[[Json], Json]:
    """Do something to the last member of a path, in every element of a list, where its parent is."""
    *parents, last = path.split(".")

    def within(value: Json, left: list[str]) -> Json:
        if isinstance(value, list):
            return [within(element, left) for element in value]
        if not isinstance(value, dict):
            return value
        copy = dict(value)
        if not left:
            change(copy, last)
        elif left[0] in copy:
            copy[left[0]] = within(copy[left[0]], left[1:])
        return copy

    return lambda value: within(value, parents)


def without(path: str) -> Callable[[Json], Json]:
    return at(path, lambda members, name: members.pop(name, None))


def having(path: str, value: Json) -> Callable[[Json], Json]:
    """Write a value at a path, whether something was there or not."""
    return at(path, lambda members, name: members.update({name: value}))


def converted(path: str, convert: Callable[[Any], Json]) -> Callable[[Json], Json]:
    def change(members: dict[str, Any], name: str) -> None:
        if members.get(name) is not None:
            members[name] = convert(members[name])

    return at(path, change)


def everywhere(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Json], Json]:
    """Change the objects of a body on every level, the inner ones first."""

    def walk(value: Json) -> Json:
        if isinstance(value, list):
            return [walk(element) for element in value]
        if isinstance(value, dict):
            return change({name: walk(member) for name, member in value.items()})
        return value

    return walk


def renamed(rename: Callable[[str], str]) -> Callable[[Json], Json]:
    return everywhere(lambda members: {rename(name): value for name, value in members.items()})


def pascal(name: str) -> str:
    return name[:1].upper() + name[1:]


def also(*records: dict[str, Any]) -> Callable[[Json], Json]:
    """Put further records after each list that has one, of the same reference and currency as the first."""

    def change(found: Json) -> Json:
        if not found:
            return found
        first = found[0]
        return [*found, *({**first, "id": f"X-{number}", **more} for number, more in enumerate(records))]

    return change


_OPTIONAL = {
    Kind.FOLLOW_UP: (
        "providerStateCode",
        "apmDetails",
        "apmDetails.apmProviderName",
        "apmDetails.apmPaymentMethod",
    ),
    Kind.AUTHORIZATION: (
        "providerStateCode",
        "apmDetails",
        "apmDetails.apmProviderName",
        "apmDetails.apmPaymentMethod",
    ),
    Kind.STATUS: (
        "transactionDateTime",
        "apmDetails",
        "apmDetails.apmName",
        "apmDetails.apmPayerAccountNumber",
        "apmDetails.apmPayerEmailAddress",
        "apmDetails.apmProviderTransactionId",
    ),
    Kind.DETACHED_REFUND: (
        "providerResponseCode",
        "providerAuthorizationID",
        "providerResponseMessage",
        "responseMessage",
        "apmDetails",
        "apmDetails.apmProviderName",
    ),
    Kind.ERROR: ("details", "details.message"),
}
_OBJECTS = {Kind.FOLLOW_UP, Kind.AUTHORIZATION, Kind.STATUS, Kind.DETACHED_REFUND}
_TEXTS = tuple(
    (kind, path)
    for kind, paths in _OPTIONAL.items()
    for path in paths
    if path not in {"apmDetails", "details"}
)


def _least(answer: Answer) -> Answer:
    for path in _OPTIONAL.get(answer.kind, ()):
        answer = replace(answer, body=without(path)(answer.body))
    return answer


THE_LEAST = Habit("nothing without need", _least)

# Members of the document's tables that no outcome hangs on: absent, null, empty.
LEFT_OUT = (
    *(written(f"no {path}", without(path), kind) for kind, paths in _OPTIONAL.items() for path in paths),
    *(
        written(f"{path} null", having(path, None), kind)
        for kind, paths in _OPTIONAL.items()
        for path in paths
    ),
    *(written(f"{path} empty", having(path, ""), kind) for kind, path in _TEXTS),
    *(written("apmDetails {}", having("apmDetails", {}), kind) for kind in sorted(_OBJECTS)),
    written("details {}", having("details", {}), Kind.ERROR),
    written("expiresAt null", having("expiresAt", None), Kind.KEYS),
    written("redirectUrl null", having("redirectUrl", None), Kind.AUTHORIZATION),
    written("redirectUrl empty", having("redirectUrl", ""), Kind.AUTHORIZATION),
    THE_LEAST,
)


_ADDRESS = {
    "houseNumber": "1",
    "street": "Main St",
    "city": "X",
    "zipPostalCode": "1",
    "state": "",
    "countryCode": "USA",
}
_PAYER = {
    **{f"apmPayer{name}": "P" for name in ("ID", "Firstname", "Lastname", "CountryCode", "StateOrProvince")},
    **{
        f"apmPayerShipping{name}": "S"
        for name in ("Name", "Street1", "CityName", "PostalCode", "Country", "Phone")
    },
    **{
        f"apmPayerBilling{name}": "B"
        for name in ("Name", "Street1", "CityName", "PostalCode", "Country", "Phone")
    },
    "billingAddress": _ADDRESS,
    "shippingAddress": {
        **_ADDRESS,
        "firstName": "F",
        "lastName": "L",
        "telephoneNumber": "1",
        "email": "e@example.com",
    },
}

# The set of states is not complete: what this one says of a page is not known.
NEW_STATE = written("a record of a new state more", also({"state": "Initiated"}), Kind.STATUS)

SOMEBODY_ELSES = written(
    "somebody else's record more", also({"clientSystemTransactionId": "other"}), Kind.STATUS
)

# What the document does not name and does not exclude.
ADDED = (
    written("unknown members on every level", everywhere(lambda members: {**members, "x-new": _UNKNOWN})),
    written("unknown members first", everywhere(lambda members: {"aNewThing": _UNKNOWN, **members})),
    written("all payer details", having("apmDetails", {"apmName": "PAYER", **_PAYER}), Kind.STATUS),
    written("payer details null", having("apmDetails", dict.fromkeys(_PAYER)), Kind.STATUS),
    written("a declined record more", also({"state": "Errored"}), Kind.STATUS),
    NEW_STATE,
    written("a declined record of a new type more", also({"state": "Errored", "type": "x"}), Kind.STATUS),
    SOMEBODY_ELSES,
    written("a life in seconds", having("expiresIn", 900), Kind.KEYS),
    written("an end of another kind", having("expiresAt", 1767261600), Kind.KEYS),
    written("more of the card", having("cardArt", {"last4": "1111"}), Kind.ACCOUNT),
    written("a network with a code", having("cardNetwork", {"code": "VI"}), Kind.ACCOUNT),
    written("a year of two digits", having("expirationYear", "30"), Kind.ACCOUNT),
    written("description", having("description", "GeneralError"), Kind.ERROR),
    written("a text beside", having("details.field", "amount"), Kind.ERROR),
    sent("more headers", headers={"X-Request-Id": "1", "Set-Cookie": "a=b", "Server-Timing": "x;dur=1"}),
)


def _shortest(amount: float) -> float | int:
    return int(amount) if amount == int(amount) else amount


def _statuses(status: int) -> Change:
    return lambda answer: answer if answer.kind is Kind.ERROR else replace(answer, status=status)


_TIMES = {
    "UTC": lambda text: f"{text}Z",
    "an offset": lambda text: f"{text}+00:00",
    "no fraction": lambda text: text[:19],
    "three digits": lambda text: text[:23],
    "a blank for the T": lambda text: text.replace("T", " "),
    "nine digits": lambda text: f"{text}00",
}


def _packed(answer: Answer) -> Answer:
    packed = gzip.compress(answer.content)
    return replace(answer, text=packed, headers={**answer.headers, "Content-Encoding": "gzip"})


def _spaced(answer: Answer) -> Answer:
    return replace(answer, text=b"\r\n " + answer.content + b"\r\n\r\n")


_OF_ONE = (Kind.STATUS, Kind.FOLLOW_UP, Kind.AUTHORIZATION)

# The same said in other letters, other types or other HTTP.
WRITTEN_OTHERWISE = (
    written("names in PascalCase", renamed(pascal)),
    written("names in lower case", renamed(str.lower)),
    written("names in UPPER CASE", renamed(str.upper)),
    *(
        written(f"time with {name}", converted("transactionDateTime", write), Kind.STATUS)
        for name, write in _TIMES.items()
    ),
    written("amount as text", converted("transactionAmount", "{:.2f}".format), Kind.STATUS),
    written("amount as text, four places", converted("transactionAmount", "{:.4f}".format), Kind.STATUS),
    written("whole amounts without a period", converted("transactionAmount", _shortest), Kind.STATUS),
    written("amount as number", converted("amount", float), Kind.DETACHED_REFUND),
    written("types in capitals", converted("type", str.upper), Kind.STATUS),
    written("records backwards", lambda found: found[::-1], Kind.STATUS),
    written("id as number", converted("id", lambda text: int(text[2:])), *_OF_ONE),
    *(Habit(f"HTTP {status}", _statuses(status)) for status in (201, 202, 203)),
    *(sent(f"HTTP {status}", Kind.ERROR, status=status) for status in (200, 402, 404, 409, 422)),
    sent("charset named", content_type="application/json; charset=utf-8"),
    sent("charset in upper case", content_type="Application/JSON;charset=UTF-8"),
    sent("text/json", content_type="text/json"),
    sent("a JSON of its own", content_type="application/vnd.gateway.v5+json"),
    sent("chunked", is_chunked=True),
    sent("one request each connection", closes=True),
    Habit("packed", _packed),
    Habit("blanks around the JSON", _spaced),
)

FREE = (PLAIN, *LEFT_OUT, *ADDED, *WRITTEN_OTHERWISE)


def free(*kinds: Kind) -> tuple[Habit, ...]:
    """Return the free habits that concern some kinds of answers."""
    return tuple(habit for habit in FREE if habit.concerns(*kinds))


def only(*kinds: Kind) -> tuple[Habit, ...]:
    """Return the plain gateway, and the habits that concern these kinds and not all of them."""
    return (PLAIN, *(habit for habit in free(*kinds) if habit.kinds))
