"""Answers the document does not allow, or that do not say what happened: none of them may be believed.

`NOT_SAID` leaves out what the outcome hangs on, or says it in a word the document does not know: the
outcome stays open. `CONTRADICTED` says something else than what was asked for. `BROKEN` is no answer at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.stub_gateway.answers import Answer, Kind
from tests.stub_gateway.habits import Habit, also, at, converted, having, sent, without, written

_MONEY = (Kind.STATUS, Kind.FOLLOW_UP, Kind.AUTHORIZATION, Kind.DETACHED_REFUND)


def _with_comma(amount: float) -> str:
    return f"{amount:.2f}".replace(".", ",")


def _fault(members: dict[str, Any], _name: str) -> None:
    members |= {"code": "4107940", "details": {"message": "SchemaValidationError: amount"}}


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
    written("no state", without("state"), *_MONEY),
    *(written(f"state {state!r}", having("state", state), *_MONEY) for state in _STATES),
    written("no amount", without("transactionAmount"), Kind.STATUS),
    written("amount null", having("transactionAmount", None), Kind.STATUS),
    written("no currency", without("currencyCode"), *_MONEY),
    written("currency null", having("currencyCode", None), *_MONEY),
    written("no type", without("type"), Kind.STATUS),
    written("type null", having("type", None), Kind.STATUS),
    written("no id", without("id"), Kind.STATUS),
    written("no reference", without("clientSystemTransactionId"), *_MONEY),
    written("reference null", having("clientSystemTransactionId", None), *_MONEY),
    written("nothing found", lambda _: [], Kind.STATUS),
    written("an unknown type only", having("type", "ecom.sale.v2"), Kind.STATUS),
)

CONTRADICTED = (
    written("another reference", having("clientSystemTransactionId", "somebody-elses"), *_MONEY),
    written("another currency", having("currencyCode", "USD"), *_MONEY),
    written("no currency there is", having("currencyCode", "XXQ"), *_MONEY),
    written("more than asked", converted("transactionAmount", lambda amount: amount + 1), Kind.STATUS),
    written("less than asked", converted("transactionAmount", lambda amount: amount - 0.5), Kind.STATUS),
    written("a comma for the period", converted("transactionAmount", _with_comma), Kind.STATUS),
    written("minor units", converted("transactionAmount", lambda amount: int(amount * 100)), Kind.STATUS),
    written("below zero", converted("transactionAmount", lambda amount: -amount), Kind.STATUS),
    written("an exponent", converted("transactionAmount", lambda amount: f"{amount:e}"), Kind.STATUS),
    written("a type of a follow-up", having("type", "ecom.refund"), Kind.STATUS),
    written("approved twice", also({}), Kind.STATUS),
    written("an error beside it", at("code", _fault), *_MONEY),
)


def _text(name: str, write: Callable[[Answer], bytes]) -> Habit:
    def change(answer: Answer) -> Answer:
        return replace(answer, text=write(answer)) if answer.kind in _MONEY else answer

    return Habit(name, change, frozenset(_MONEY))


_TWO_STATES = b'"state": "Errored", "state": '

BROKEN = (
    _text("no body", lambda _: b""),
    _text("a web page", lambda _: b"<html><body>Approved</body></html>"),
    _text("half of it", lambda answer: answer.content[: len(answer.content) // 2]),
    _text("twice", lambda answer: answer.content * 2),
    _text("UTF-16", lambda answer: answer.content.decode().encode("utf-16")),
    _text("null", lambda _: b"null"),
    _text("a text", lambda _: b'"Approved"'),
    _text("the state named twice", lambda answer: answer.content.replace(b'"state": ', _TWO_STATES)),
    written("one record without its list", lambda found: found[0] if found else {}, Kind.STATUS),
    written("in a list", lambda found: [found], Kind.FOLLOW_UP, Kind.AUTHORIZATION, Kind.DETACHED_REFUND),
    *(
        sent(f"approved with HTTP {status}", *_MONEY, status=status)
        for status in (400, 401, 403, 404, 409, 429, 500, 502, 503)
    ),
)
WRONG = (*NOT_SAID, *CONTRADICTED, *BROKEN)
