"""Deliberately wrong gateways: the sandbox with one behaviour broken.

Such a gateway is a function of a request and of what asks the sandbox. It mends a request that it should
refuse, answers in the sandbox's place, or spoils the answer.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.control import find_control
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.messages import changed, without
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.registry import select
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import Result, run
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT, Account
from wallet_gateway.conformance.wire import Wire

OPERATIONS = {
    ("POST", "/api/v5/checkout"): "checkout",
    ("GET", "/api/v5/apmTransactions"): "status",
    ("POST", "/api/v5/publicKeys"): "keys",
    ("POST", "/api/v5/paymentAccounts"): "create",
    ("POST", "/api/v5/transactions"): "authorize",
    "ecom.capture": "capture",
    "ecom.refund": "refund",
    "ecom.reversalPreauthorization": "reversal",
    "detached.refund": "detached",
}


@dataclass(frozen=True)
class Request:
    """One request to the interface, its body as JSON."""

    operation: str
    """One of the names of `OPERATIONS`, `get` for a payment account, or the path."""
    query: Mapping[str, str]
    body: Any
    headers: Mapping[str, str]

    @property
    def content(self) -> Any:  # noqa: ANN401  (a JSON value)
        return dict(self.query) if self.body is None else self.body

    def at(self, path: str) -> Any:  # noqa: ANN401  (a JSON value)
        value = self.content
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def changed(self, path: str, value: object) -> Request:
        content = changed(self.content, path, value)
        return replace(self, query=content) if self.body is None else replace(self, body=content)


Ask = Callable[[Request], Answer]
Wrong = Callable[[Request, Ask], Answer]


def right(request: Request, ask: Ask) -> Answer:
    return ask(request)


@dataclass(frozen=True)
class WrongWire(Wire):
    """Talks to the sandbox as a wrong gateway would; its control interface stays as it is."""

    wrong: Wrong = right

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        if path.startswith("/_sandbox/"):
            return super().send(method, path, query=query, body=body, headers=headers)
        value = json.loads(body) if body else None
        request = Request(operation_of(method, path, value), query or {}, value, headers or {})
        return self.wrong(request, lambda mended: self._sent(method, path, mended))

    def _sent(self, method: str, path: str, mended: Request) -> Answer:
        content = None if mended.body is None else json.dumps(mended.body).encode()
        return super().send(method, path, query=mended.query, body=content, headers=mended.headers)

    def fetch(self, url: str) -> Answer:
        path, _, query = url.removeprefix(self.base_url).partition("?")
        request = Request(path, {"v": query} if query else {}, None, {})
        return self.wrong(request, lambda _: super(WrongWire, self).fetch(url))


def operation_of(method: str, path: str, body: object) -> str:
    """The name of an operation; a missing or wrong type is a refund, as the kit's probes change refunds."""
    if (method, path) == ("POST", "/api/v5/apmTransactions"):
        body = body if isinstance(body, dict) else {}
        return OPERATIONS.get(
            str(body.get("type")), "detached" if "parentTransactionId" in body else "refund"
        )
    if path.startswith("/api/v5/paymentAccounts/"):
        return "get"
    return OPERATIONS.get((method, path), path)


def gateway_behind(base_url: str, wrong: Wrong = right, account: Account = SANDBOX_ACCOUNT) -> Gateway:
    """The gateway as the kit sees it, with the sandbox's control interface for its payer."""
    wire = WrongWire(base_url, wrong=wrong)
    control = find_control(wire, account)
    assert control is not None
    return Gateway(wire=wire, account=account, control=control, limit=Decimal(1000))


def results_of(base_url: str, wrong: Wrong, *only: str) -> list[Result]:
    """Run the kit, or some of its probes, against a wrong gateway."""
    assert PROBES
    return run(select(only), gateway_behind(base_url, wrong))


def of(results: list[Result], outcome: Outcome) -> dict[str, str]:
    return {result.probe.name: result.text for result in results if result.outcome is outcome}


def failed(results: list[Result]) -> set[str]:
    return set(of(results, Outcome.FAILED))


# Ways to be wrong


def answered(value: object, status: int = 200) -> Answer:
    return Answer(
        status=status, content_type="application/json", body=json.dumps(value, default=float).encode()
    )


def refusing(operation: str, when: Callable[[Any], bool] = lambda _: True) -> Wrong:
    """Refuses what it should accept; `when` is given the body, or the query."""
    no = {"code": "4107940", "details": {"message": "SchemaValidationError: the kit is not liked"}}
    return answering(operation, lambda request: when(request.content), lambda _: answered(no, 400))


def approving(operation: str, when: Callable[[Any], bool]) -> Wrong:
    """Approves what it should refuse."""
    return answering(
        operation, lambda request: when(request.content), lambda request: answered(approval(request.content))
    )


def answering(operation: str, when: Callable[[Request], bool], answer: Callable[[Request], Answer]) -> Wrong:
    """Answers some requests in the sandbox's place."""
    return lambda request, ask: (
        answer(request) if request.operation == operation and when(request) else ask(request)
    )


def approval(body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": "made-up",
        "state": "Approved",
        "providerStateCode": "CapturedByProvider",
        "currencyCode": body.get("currencyCode"),
        "clientSystemTransactionId": body.get("clientSystemTransactionId"),
        "amount": str(body.get("amount")),
        "apmDetails": {"apmProviderName": "ExampleWallet", "apmPaymentMethod": "x"},
    }


def reading(operation: str, path: str, value: object, when: Callable[[Any], bool] = lambda _: True) -> Wrong:
    """Reads a field as a right value, whatever is there, or is not there; `when` is given what is there.

    A request that is spelled as the document's example stays as it is.
    """

    def wrong(request: Request, ask: Ask) -> Answer:
        is_meant = request.operation == operation and "apmdetails" not in request.content
        is_meant = is_meant and when(request.at(path))
        return ask(request.changed(path, value) if is_meant else request)

    return wrong


def numbering(operation: str) -> Wrong:
    """Makes up a reference where the request has none, or one that is not a string."""

    def wrong(request: Request, ask: Ask) -> Answer:
        path = "clientSystemTransactionId"
        is_meant = request.operation == operation and not isinstance(request.at(path), str)
        return ask(request.changed(path, secrets.token_hex(8)) if is_meant else request)

    return wrong


def ignoring(path: str, when: Callable[[Any], bool] = lambda _: True) -> Wrong:
    """Does not look into a part of a checkout."""

    def wrong(request: Request, ask: Ask) -> Answer:
        part = request.at(path) if request.operation == "checkout" else None
        is_meant = part is not None and when(part)
        return ask(replace(request, body=without(request.body, path)) if is_meant else request)

    return wrong


def spoiling(operation: str, change: Callable[[Any], Any]) -> Wrong:
    """Changes what a successful answer says."""

    def wrong(request: Request, ask: Ask) -> Answer:
        answer = ask(request)
        return _rewritten(answer, change) if request.operation == operation and answer.is_success else answer

    return wrong


def spoiling_records(change: Callable[[dict[str, Any]], Any], type_: str = "") -> Wrong:
    """Changes each record of a status query, or each of one type."""
    return spoiling(
        "status",
        lambda records: [change(one) if type_ in ("", one["type"]) else one for one in records],
    )


def spoiling_errors(change: Callable[[Any], Any], begin: str = "", operation: str = "") -> Wrong:
    """Changes what a refusal says, where its message begins so."""

    def wrong(request: Request, ask: Ask) -> Answer:
        answer = ask(request)
        is_meant = answer.message.startswith(begin) and operation in ("", request.operation)
        return _rewritten(answer, change) if answer.is_error and is_meant else answer

    return wrong


def without_member(path: str) -> Callable[[Any], Any]:
    return lambda value: without(value, path)


def with_member(path: str, new: object) -> Callable[[Any], Any]:
    return lambda value: changed(value, path, new)


def _rewritten(answer: Answer, change: Callable[[Any], Any]) -> Answer:
    return replace(answer, body=json.dumps(change(json.loads(answer.body))).encode())
