"""Habits of a gateway that the document leaves free: a right answer under each is to be understood.

Three tables, each a row of which changes one thing: `LEFT_OUT`, what the document does not promise and
the outcome does not need; `ADDED`, what it does not exclude; `WRITTEN_OTHERWISE`, the same in other letters
or other HTTP. Faults are in `wrong`.
"""

from __future__ import annotations

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
    """`change` is applied to every answer; `filing` says where records of follow-ups are found."""

    name: str
    change: Change = _as_it_is
    filing: Filing = Filing.BOTH

    def __repr__(self) -> str:
        return self.name


PLAIN = Habit("plain")


def body(change: Callable[[Json], Json], *kinds: Kind) -> Change:
    """Change the bodies of some kinds of answers, or of all kinds."""

    def apply(answer: Answer) -> Answer:
        return replace(answer, body=change(answer.body)) if not kinds or answer.kind in kinds else answer

    return apply


def http(*kinds: Kind, **changes: Any) -> Change:
    """Change how some kinds of answers are sent, or all kinds."""
    return lambda answer: replace(answer, **changes) if not kinds or answer.kind in kinds else answer


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

# Members of the document's tables that no outcome hangs on: absent, null, empty.
LEFT_OUT = (
    *(
        Habit(f"{kind}: no {path}", body(without(path), kind))
        for kind, paths in _OPTIONAL.items()
        for path in paths
    ),
    *(
        Habit(f"{kind}: {path} null", body(having(path, None), kind))
        for kind, paths in _OPTIONAL.items()
        for path in paths
    ),
    *(Habit(f"{kind}: {path} empty", body(having(path, ""), kind)) for kind, path in _TEXTS),
    *(Habit(f"{kind}: apmDetails {{}}", body(having("apmDetails", {}), kind)) for kind in sorted(_OBJECTS)),
    Habit("error: details {}", body(having("details", {}), Kind.ERROR)),
    Habit("keys: expiresAt null", body(having("expiresAt", None), Kind.KEYS)),
    Habit("nothing without need", lambda answer: _least(answer)),
)


def _least(answer: Answer) -> Answer:
    for path in _OPTIONAL.get(answer.kind, ()):
        answer = replace(answer, body=without(path)(answer.body))
    return answer


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

# What the document does not name and does not exclude.
ADDED = (
    Habit(
        "unknown members on every level", body(everywhere(lambda members: {**members, "x-unknown": _UNKNOWN}))
    ),
    Habit("unknown members first", body(everywhere(lambda members: {"aNewThing": _UNKNOWN, **members}))),
    Habit(
        "status: all payer details",
        body(at("apmDetails", lambda record, _: record["apmDetails"].update(_PAYER)), Kind.STATUS),
    ),
    Habit("status: payer details null", body(having("apmDetails", dict.fromkeys(_PAYER)), Kind.STATUS)),
    Habit("status: a declined record more", body(also({"state": "Errored"}), Kind.STATUS)),
    Habit("keys: a life in seconds", body(having("expiresIn", 900), Kind.KEYS)),
    Habit("account: more of the card", body(having("cardArt", {"last4": "1111"}), Kind.ACCOUNT)),
    Habit("error: description", body(having("description", "GeneralError"), Kind.ERROR)),
    Habit("error: a text beside", body(having("details.field", "amount"), Kind.ERROR)),
    Habit(
        "more headers", http(headers={"X-Request-Id": "1", "Set-Cookie": "a=b", "Server-Timing": "x;dur=1"})
    ),
)


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

# The same said in other letters, other types or other HTTP.
WRITTEN_OTHERWISE = (
    Habit("names in PascalCase", body(renamed(pascal))),
    Habit("names in lower case", body(renamed(str.lower))),
    Habit("names in UPPER CASE", body(renamed(str.upper))),
    *(
        Habit(f"status: time with {name}", body(converted("transactionDateTime", write), Kind.STATUS))
        for name, write in _TIMES.items()
    ),
    Habit(
        "status: amount as text",
        body(converted("transactionAmount", lambda amount: f"{amount:.2f}"), Kind.STATUS),
    ),
    Habit(
        "status: amount as text, four places",
        body(converted("transactionAmount", lambda amount: f"{amount:.4f}"), Kind.STATUS),
    ),
    Habit("detached refund: amount as number", body(converted("amount", float), Kind.DETACHED_REFUND)),
    Habit("status: records backwards", body(lambda found: found[::-1], Kind.STATUS)),
    Habit(
        "id as number",
        body(converted("id", lambda text: int(text[2:])), Kind.STATUS, Kind.FOLLOW_UP, Kind.AUTHORIZATION),
    ),
    Habit("error: code as number", body(converted("code", int), Kind.ERROR)),
    *(Habit(f"HTTP {status}", _statuses(status)) for status in (201, 202, 203)),
    *(
        Habit(f"errors with HTTP {status}", http(Kind.ERROR, status=status))
        for status in (200, 402, 404, 409, 422)
    ),
    Habit("charset named", http(content_type="application/json; charset=utf-8")),
    Habit("charset in upper case", http(content_type="Application/JSON;charset=UTF-8")),
    Habit("text/json", http(content_type="text/json")),
    Habit("a JSON of its own", http(content_type="application/vnd.gateway.v5+json")),
    Habit("chunked", http(is_chunked=True)),
    Habit("one request each connection", http(closes=True)),
    Habit(
        "blanks around the JSON", lambda answer: replace(answer, text=b"\r\n " + answer.content + b"\r\n\r\n")
    ),
)

FILED = tuple(Habit(f"records of follow-ups: {filing.name}", filing=filing) for filing in Filing)

FREE = (PLAIN, *LEFT_OUT, *ADDED, *WRITTEN_OTHERWISE, *FILED)
