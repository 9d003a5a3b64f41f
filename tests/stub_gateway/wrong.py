"""Answers the document does not allow, or that do not say what happened: none of them may be believed.

`NOT_SAID` leaves out what the outcome hangs on, or says it in a word the document does not know: the
outcome stays open. `CONTRADICTED` says something else than what was asked for. `BROKEN` is no answer at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.stub_gateway.answers import Answer, Kind
from tests.stub_gateway.habits import Habit, body, converted, having, without

_MONEY = (Kind.STATUS, Kind.FOLLOW_UP, Kind.AUTHORIZATION, Kind.DETACHED_REFUND)
_STATES = (
    None,
    "",
    "Pending",
    "approved?",
    "CapturedByProvider",
    1,
    True,
    ["Approved"],
    {"value": "Approved"},
)

NOT_SAID = (
    Habit("no state", body(without("state"), *_MONEY)),
    *(Habit(f"state {state!r}", body(having("state", state), *_MONEY)) for state in _STATES),
    Habit("status: no amount", body(without("transactionAmount"), Kind.STATUS)),
    Habit("status: amount null", body(having("transactionAmount", None), Kind.STATUS)),
    Habit("status: no currency", body(without("currencyCode"), Kind.STATUS)),
    Habit("status: no type", body(without("type"), Kind.STATUS)),
    Habit("status: type null", body(having("type", None), Kind.STATUS)),
    Habit("status: no reference", body(without("clientSystemTransactionId"), Kind.STATUS)),
    Habit("status: reference null", body(having("clientSystemTransactionId", None), Kind.STATUS)),
    Habit("status: nothing found", body(lambda _: [], Kind.STATUS)),
    Habit("status: an unknown type only", body(having("type", "chargeback"), Kind.STATUS)),
)

CONTRADICTED = (
    Habit("another reference", body(having("clientSystemTransactionId", "somebody-elses"), *_MONEY)),
    Habit("another currency", body(having("currencyCode", "XTS"), *_MONEY)),
    Habit(
        "status: more than asked",
        body(converted("transactionAmount", lambda amount: amount + 1), Kind.STATUS),
    ),
    Habit(
        "status: less than asked",
        body(converted("transactionAmount", lambda amount: amount - 0.01), Kind.STATUS),
    ),
    Habit(
        "status: a comma for the period",
        body(converted("transactionAmount", lambda amount: f"{amount:.2f}".replace(".", ",")), Kind.STATUS),
    ),
    Habit(
        "status: minor units",
        body(converted("transactionAmount", lambda amount: int(amount * 100)), Kind.STATUS),
    ),
    Habit("status: below zero", body(converted("transactionAmount", lambda amount: -amount), Kind.STATUS)),
    Habit("status: a type of a follow-up", body(having("type", "ecom.refund"), Kind.STATUS)),
    Habit(
        "status: twice with other states",
        body(lambda found: [*found, *({**one, "state": "Errored"} for one in found)], Kind.STATUS),
    ),
)


def _text(name: str, write: Callable[[Answer], bytes]) -> Habit:
    return Habit(
        name, lambda answer: replace(answer, text=write(answer)) if answer.kind in _MONEY else answer
    )


def _status(status: int) -> Habit:
    def change(answer: Answer) -> Answer:
        return replace(answer, status=status) if answer.kind in _MONEY else answer

    return Habit(f"approved with HTTP {status}", change)


BROKEN = (
    _text("no body", lambda _: b""),
    _text("a web page", lambda _: b"<html><body>Approved</body></html>"),
    _text("half of it", lambda answer: answer.content[: len(answer.content) // 2]),
    _text("twice", lambda answer: answer.content * 2),
    _text("a byte order mark", lambda answer: b"\xef\xbb\xbf" + answer.content),
    _text("UTF-16", lambda answer: answer.content.decode().encode("utf-16")),
    _text("null", lambda _: b"null"),
    _text("a text", lambda _: b'"Approved"'),
    _text(
        "the state named twice",
        lambda answer: answer.content.replace(b'"state": ', b'"state": "Errored", "state": '),
    ),
    Habit("status: one record without its list", body(lambda found: found[0] if found else {}, Kind.STATUS)),
    Habit(
        "follow-up: in a list",
        body(lambda found: [found], Kind.FOLLOW_UP, Kind.AUTHORIZATION, Kind.DETACHED_REFUND),
    ),
    *map(_status, (400, 401, 403, 404, 409, 429, 500, 502, 503)),
    Habit("an error body with HTTP 200", body(lambda _: {"code": "9999999"}, *_MONEY)),
)
WRONG = (*NOT_SAID, *CONTRADICTED, *BROKEN)
