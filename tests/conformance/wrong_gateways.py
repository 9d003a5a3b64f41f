"""Deliberately wrong gateways: the sandbox with one behaviour broken, and the probes that must say so.

A gateway that accepts too much mends the request before the sandbox sees it, or answers in its place; one
that answers wrongly spoils the answer.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.control import find_control
from wallet_gateway.conformance.gateway import Gateway
from wallet_gateway.conformance.messages import changed, without
from wallet_gateway.conformance.payer import Limit, SandboxPayer
from wallet_gateway.conformance.probes import PROBES
from wallet_gateway.conformance.registry import select
from wallet_gateway.conformance.results import Outcome
from wallet_gateway.conformance.run import Result, run
from wallet_gateway.conformance.target import SANDBOX_ACCOUNT, Account
from wallet_gateway.conformance.wire import HttpWire, Wire

OPERATIONS = {
    ("POST", "/api/v5/checkout"): "checkout",
    ("GET", "/api/v5/apmTransactions"): "status",
    ("POST", "/api/v5/publicKeys"): "keys",
    ("POST", "/api/v5/paymentAccounts"): "create",
    ("POST", "/api/v5/transactions"): "authorize",
}
TYPES = {
    "ecom.capture": "capture",
    "ecom.refund": "refund",
    "ecom.reversalPreauthorization": "reversal",
    "detached.refund": "detached",
}


@dataclass(frozen=True)
class Request:
    """One request to the interface, its body as JSON."""

    operation: str
    """One of the names of `OPERATIONS` and `TYPES`, or `get` for a payment account."""
    query: Mapping[str, str]
    body: Any
    headers: Mapping[str, str]


Mend = Callable[[Request], Request | Answer]
Spoil = Callable[[Request, Answer], Answer]


@dataclass(frozen=True)
class Wrong:
    """A gateway with one behaviour broken."""

    name: str
    probes: tuple[str, ...]
    """Exactly the probes that fail; all others pass or are skipped."""
    mend: Mend = lambda request: request
    spoil: Spoil = lambda _, answer: answer


def wrong(name: str, *probes: str, mend: Mend | None = None, spoil: Spoil | None = None) -> Wrong:
    row = Wrong(name, probes)
    row = replace(row, mend=mend) if mend else row
    return replace(row, spoil=spoil) if spoil else row


@dataclass(frozen=True)
class WrongWire:
    """Talks to the sandbox as a wrong gateway would; its control interface stays as it is."""

    wire: Wire
    wrong: Wrong

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
            return self.wire.send(method, path, query=query, body=body, headers=headers)
        value = json.loads(body) if body else None
        request = Request(operation_of(method, path, value), query or {}, value, headers or {})
        mended = self.wrong.mend(request)
        if isinstance(mended, Answer):
            return mended
        content = None if body is None else json.dumps(mended.body).encode()
        answer = self.wire.send(method, path, query=mended.query, body=content, headers=mended.headers)
        return self.wrong.spoil(request, answer)


def operation_of(method: str, path: str, body: object) -> str:
    """The name of an operation; a missing or wrong type is a refund, as the kit's probes change refunds."""
    if (method, path) == ("POST", "/api/v5/apmTransactions"):
        type_ = body.get("type") if isinstance(body, dict) else None
        is_detached = isinstance(body, dict) and "parentTransactionId" in body
        return TYPES.get(str(type_), "detached" if is_detached else "refund")
    if path.startswith("/api/v5/paymentAccounts/"):
        return "get"
    return OPERATIONS.get((method, path), path)


def gateway_behind(wire: Wire, base_url: str, account: Account = SANDBOX_ACCOUNT) -> Gateway:
    """The gateway as the kit sees it, with the sandbox's control interface for its payer."""
    control = find_control(wire, account)
    assert control is not None
    return Gateway(
        wire=wire,
        host=urlsplit(base_url).netloc,
        account=account,
        payer=SandboxPayer(control),
        limit=Limit(Decimal(1000), currency=account.currency, say=lambda _: None),
        control=control,
        is_patient=False,
    )


def results_of(base_url: str, row: Wrong, *only: str) -> list[Result]:
    """Run the kit, or some of its probes, against a wrong gateway."""
    gateway = gateway_behind(WrongWire(HttpWire(base_url), row), base_url)
    return run(select(PROBES, only), gateway)


def failed(results: list[Result]) -> set[str]:
    return {result.probe.name for result in results if result.outcome is Outcome.FAILED}


def check_that_its_probes_fail(base_url: str, row: Wrong) -> None:
    assert row.probes
    results = results_of(base_url, row, *row.probes)
    ends = {result.probe.name: (str(result.outcome), result.text) for result in results}
    assert failed(results) == set(row.probes), ends


def check_that_no_other_fails(base_url: str, row: Wrong) -> None:
    found = failed(results_of(base_url, row))
    assert found == set(row.probes), found ^ set(row.probes)


# Ways to be wrong


def answered(value: object, status: int = 200) -> Answer:
    return Answer(
        status=status, content_type="application/json", body=json.dumps(value, default=float).encode()
    )


def refusing(operation: str, when: Callable[[Any], bool] = lambda _: True) -> Mend:
    """Refuses what it should accept."""
    no = {"code": "4107940", "details": {"message": "SchemaValidationError: the kit is not liked"}}

    def mend(request: Request) -> Request | Answer:
        hit = request.operation == operation and when(request.body or request.query)
        return answered(no, 400) if hit else request

    return mend


def filling(operation: str, path: str, value: object = None) -> Mend:
    """Does not mind that a field is missing; without a value a new text stands in its place."""

    def mend(request: Request) -> Request:
        if request.operation != operation or _at(request.body, path) is not None:
            return request
        return replace(request, body=changed(request.body, path, value or secrets.token_hex(8)))

    return mend


def setting(operation: str, path: str, value: object, when: Callable[[Any], bool]) -> Mend:
    """Takes a wrong value for another one; `when` is given the value, None if there is none."""

    def mend(request: Request) -> Request:
        if request.operation != operation or not when(_at(request.body, path)):
            return request
        return replace(request, body=changed(request.body, path, value))

    return mend


def forgetting(path: str, when: Callable[[Any], bool]) -> Mend:
    """Does not look into a part of a checkout; `when` is given the part."""

    def mend(request: Request) -> Request:
        part = _at(request.body, path) if request.operation == "checkout" else None
        return replace(request, body=without(request.body, path)) if part and when(part) else request

    return mend


def approving(operation: str, when: Callable[[Any], bool], **more: Any) -> Mend:
    """Approves what it should refuse."""

    def mend(request: Request) -> Request | Answer:
        if request.operation != operation or not when(request.body or request.query):
            return request
        return answered(approval(request.body) | more)

    return mend


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


def spoiling(operation: str, change: Callable[[Any], Any]) -> Spoil:
    """Changes what a successful answer says."""

    def spoil(request: Request, answer: Answer) -> Answer:
        return _rewritten(answer, change) if request.operation == operation and answer.is_success else answer

    return spoil


def spoiling_records(change: Callable[[dict[str, Any]], Any]) -> Spoil:
    """Changes each record of a status query."""
    return spoiling("status", lambda records: [change(record) for record in records])


def spoiling_errors(change: Callable[[Any], Any], *operations: str) -> Spoil:
    """Changes what a refusal says."""

    def spoil(request: Request, answer: Answer) -> Answer:
        hit = answer.is_error and (not operations or request.operation in operations)
        return _rewritten(answer, change) if hit else answer

    return spoil


def without_member(path: str) -> Callable[[Any], Any]:
    return lambda value: without(value, path)


def with_member(path: str, new: object) -> Callable[[Any], Any]:
    return lambda value: changed(value, path, new)


def renamed(old: str, new: str) -> Callable[[Any], Any]:
    return lambda value: {new if name == old else name: part for name, part in value.items()}


def _rewritten(answer: Answer, change: Callable[[Any], Any]) -> Answer:
    return replace(answer, body=json.dumps(change(json.loads(answer.body))).encode())


def _at(body: Any, path: str) -> Any:  # noqa: ANN401  (a JSON value)
    for name in path.split("."):
        body = body.get(name) if isinstance(body, dict) else None
    return body
