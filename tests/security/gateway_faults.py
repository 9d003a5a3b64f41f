"""A gateway behind the sandbox that fails in every way, and repeats in its answers all that it was sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.security.canaries import CARD_NUMBERS, CREDENTIAL
from tests.support.personal import EMAIL
from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.exchange import RawAnswer
from wallet_gateway.client.transport import HttpTransport


@dataclass(frozen=True)
class Sent:
    """What a hostile gateway could repeat: the whole request, with the header that signs it."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        headers = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
        signed = f"Authorization: Bearer {CREDENTIAL}"
        return f"{self.method} {self.path}?{query}\n{signed}\n{headers}\n\n{self.body.decode()}"


Answered = Callable[[RawAnswer, Sent], RawAnswer]


def _written(value: object, *, status: int = 200) -> Answered:
    return lambda answer, _: replace(answer, status=status, body=json.dumps(value).encode())


def _error(code: str, message: str) -> object:
    return {"code": code, "details": {"message": message}}


def _echo(answer: RawAnswer, sent: Sent) -> RawAnswer:
    error = {
        "code": "4107940",
        "details": {"message": f"SchemaValidationError: {sent.text}"},
        "at": sent.text,
    }
    return replace(answer, status=400, body=json.dumps(error).encode())


def _echo_as_page(answer: RawAnswer, sent: Sent) -> RawAnswer:
    return replace(answer, status=502, body=f"<html><pre>{sent.text}</pre></html>".encode())


def _echo_as_fields(answer: RawAnswer, sent: Sent) -> RawAnswer:
    """Return the right answer, and every field of the request beside it."""
    try:
        value, asked = json.loads(answer.body), json.loads(sent.body or b"{}")
    except ValueError:
        return answer
    more = {"request": asked, "headers": {**sent.headers, "authorization": f"Bearer {CREDENTIAL}"}}
    both = [part | more for part in value] if isinstance(value, list) else value | more
    return replace(answer, body=json.dumps(both).encode())


def _silent(_answer: RawAnswer, _sent: Sent) -> RawAnswer:
    raise OutcomeUnknown(UnknownReason.TIMEOUT)


def _twice(answer: RawAnswer, _sent: Sent) -> RawAnswer:
    return replace(answer, body=answer.body * 2)


def _half(answer: RawAnswer, sent: Sent) -> RawAnswer:
    return replace(answer, body=json.dumps({"request": sent.text}).encode()[:-9])


_CHATTY = f"card {CARD_NUMBERS[1]} of {EMAIL}, again {CARD_NUMBERS[0]} and {CARD_NUMBERS[2]}"
FAULTS: dict[str, Answered] = {
    "refused": _written(_error("4100002", _CHATTY), status=422),
    "error with 200": _written(_error("4100002", _CHATTY)),
    "echoed": _echo,
    "echoed as a page": _echo_as_page,
    "echoed as fields": _echo_as_fields,
    "silent": _silent,
    "sent twice": _twice,
    "cut off": _half,
    "of another shape": _written({"result": _CHATTY, "state": {"value": _CHATTY}}),
    "with an odd state": _written({"state": _CHATTY, "errorCode": _CHATTY}),
}
"""What becomes of an answer, by what it is called. Before it the gateway has done what it was asked."""
UNREACHABLE = "unreachable"


@dataclass
class FaultyTransport:
    """Sends to the sandbox, and lets what is named in `fault` happen to the answers."""

    base_url: str
    fault: str = ""
    inner: HttpTransport = field(init=False)

    def __post_init__(self) -> None:
        self.inner = HttpTransport(base_url=self.base_url)

    def send(self, method: str, path: str, **given: Any) -> RawAnswer:
        if self.fault == UNREACHABLE:
            raise NotSent(NotSentReason.REFUSED_CONNECTION)
        answer = self.inner.send(method, path, **given)
        if not self.fault:
            return answer
        query, headers = given["query"] or {}, given["headers"] or {}
        return FAULTS[self.fault](answer, Sent(method, path, query, headers, given["body"] or b""))

    def close(self) -> None:
        self.inner.close()
