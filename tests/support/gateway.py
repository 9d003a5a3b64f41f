"""A gateway made from the interface document alone, whose every record and answer a test writes by hand."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from wallet_gateway.client.gateway import Gateway

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

Record = dict[str, Any]
Sent = Mapping[str, Any]
Answer = Callable[[Sent], tuple[int, object]]
"""What is answered to a request: the HTTP status and the body, as JSON or as bytes.

It may raise, which breaks the connection, or do anything else that happens while a request is out.
"""

PROVIDER = {"apmProviderName": "ExampleWalletV2"}
ZERO = "00000000-0000-0000-0000-000000000000"


def record(reference: str, **fields: Any) -> Record:
    """Return a status record of a sale of 30.00 EUR, approved, with changes by canonical name."""
    return {
        "id": f"R-1-{reference}",
        "state": "Approved",
        "type": "ecom.sale",
        "currencyCode": "EUR",
        "transactionAmount": 30.00,
        "clientSystemTransactionId": reference,
        "transactionDateTime": "2026-11-22T04:30:00.1234567",
        "apmDetails": {},
    } | fields


class StubGateway:
    """A WSGI application: queries are answered with `records`, requests that move money with `answers`."""

    def __init__(self) -> None:
        self.records: dict[str, list[Any]] = defaultdict(list)
        """What a status query is answered with, by the reference that is asked for."""
        self.answers: list[Answer] = []
        """The next answers to captures, refunds, reversals and authorizations; then `approve`."""
        self.queries: list[Callable[[str], tuple[int, object]]] = []
        """The next answers to status queries, each given the reference; then `records`."""
        self.pages: list[Answer] = []
        """The next answers to checkouts; then an address."""
        self.keys: list[Answer] = []
        """The next answers to requests for the wallet's keys; then a key."""
        self.account: Record = {"cardType": "Token"}
        """What every payment account is, by canonical name."""
        self.sent: list[Sent] = []
        """What would have moved money, in order."""
        self.opened: list[Sent] = []
        """The checkouts that were asked for, in order."""
        self.retry_after: int | None = None
        """The seconds that answers with an HTTP error ask the shop to wait."""
        self.asked: list[str] = []
        """The references of the status queries, in order."""
        self._ids = count(1)

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        status, body = self._answer(environ)
        headers = [("Content-Type", "application/json")]
        if status >= 400 and self.retry_after is not None:
            headers.append(("Retry-After", str(self.retry_after)))
        start(f"{status} {'OK' if status < 400 else 'Refused'}", headers)
        return [body if isinstance(body, bytes) else json.dumps(body).encode()]

    def _answer(self, environ: WSGIEnvironment) -> tuple[int, object]:
        path = environ["PATH_INFO"]
        if environ["REQUEST_METHOD"] == "GET" and path.endswith("/apmTransactions"):
            (reference,) = parse_qs(environ["QUERY_STRING"])["clientSystemTransactionId"]
            self.asked.append(reference)
            return self.queries.pop(0)(reference) if self.queries else (200, self.records[reference])
        if environ["REQUEST_METHOD"] == "GET":
            return 200, self.account
        sent = json.loads(environ["wsgi.input"].read())
        if path.endswith("/checkout"):
            self.opened.append(sent)
            page = {"redirectUrl": f"http://127.0.0.1:8001/pay/{next(self._ids)}"}
            return self.pages.pop(0)(sent) if self.pages else (200, page)
        if path.endswith("/publicKeys"):
            key = {"apiKey": "api-key-1", "encryptionKey": "encryption-key-1"}
            return self.keys.pop(0)(sent) if self.keys else (200, key)
        self.sent.append(sent)
        return (self.answers.pop(0) if self.answers else self.approve)(sent)

    def approve(self, sent: Sent) -> tuple[int, object]:
        """Carry a request out: answer it, and file its record under its own reference."""
        answer = approved(sent, id=f"G-{next(self._ids)}")
        reference, amount = sent["clientSystemTransactionId"], json.loads(sent["amount"])
        fields = {"type": sent["type"], "currencyCode": sent["currencyCode"], "transactionAmount": amount}
        self.records[reference].append(record(reference, id=answer["id"], **fields))
        return 200, answer


def approved(sent: Sent, **fields: Any) -> dict[str, Any]:
    """Return the answer that approves a request: a follow-up's, or a detached refund's."""
    answer = {
        "id": f"G-{sent['clientSystemTransactionId']}",
        "state": "Approved",
        "providerStateCode": "ok",
        "currencyCode": sent["currencyCode"],
        "clientSystemTransactionId": sent["clientSystemTransactionId"],
        "apmDetails": PROVIDER,
    }
    if sent["type"] == "detached.refund":
        answer |= {"amount": sent["amount"], "providerResponseMessage": "", "responseMessage": ""}
    return answer | fields


def answering(**fields: Any) -> Answer:
    """Answer as an approval with these changes; no record is filed."""
    return lambda sent: (200, approved(sent, **fields))


def without_id(sent: Sent) -> tuple[int, object]:
    """Answer as an approval that has no id."""
    echoed = ("clientSystemTransactionId", "currencyCode")
    return 200, {"state": "Approved", **{name: sent[name] for name in echoed}}


def refusing(status: int) -> Answer:
    """Answer with an error body."""
    return lambda _: (status, {"code": "4107000", "details": {"message": "the card was declined"}})


class Killed(BaseException):
    """The process is gone: no handler of the code under test sees it."""


def killing(_: Sent) -> tuple[int, object]:
    """Kill the process while its request is out."""
    raise Killed


def losing(_: Sent) -> tuple[int, object]:
    """Break the connection in place of an answer."""
    raise ConnectionResetError("the answer is lost")


class TaughtGateway(Gateway):
    """A client that was taught two words of its gateway."""

    def adapt_answer(self, endpoint: object, value: Any) -> Any:  # noqa: ANN401  JSON
        if isinstance(value, list):
            return [_taught(one) for one in value]
        return _taught(value)


WORDS = {"settled": "Approved", "declined": "Errored"}


def _taught(message: Any) -> Any:  # noqa: ANN401  JSON
    if not (isinstance(message, dict) and isinstance(word := message.get("state"), str)):
        return message
    return message | {"state": WORDS.get(word.lower(), word)}
