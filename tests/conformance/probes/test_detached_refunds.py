"""Gateways that are wrong about detached refunds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Request,
    Wrong,
    approving,
    check_that_its_probes_fail,
    check_that_no_other_fails,
    filling,
    refusing,
    spoiling,
    spoiling_errors,
    with_member,
    without_member,
    wrong,
)
from tests.tables import every
from wallet_gateway.conformance.schemas import fields

MESSAGE = "details.message"
SILENT = {"responseMessage": "done", "providerResponseMessage": "done"}


def _spoiling_the_limit(change: Any) -> Any:  # noqa: ANN401  (a Spoil)
    def on_the_limit(value: Any) -> Any:  # noqa: ANN401  (an error body)
        return change(value) if value["details"]["message"].startswith("RefundAmountExceeded") else value

    return spoiling_errors(on_the_limit, "detached")


def _said(text: str) -> Any:  # noqa: ANN401  (a Spoil)
    return _spoiling_the_limit(with_member(MESSAGE, text))


def _reading_commas(request: Request) -> Request:
    amount = (request.body or {}).get("amount")
    if request.operation != "detached" or not isinstance(amount, str):
        return request
    return replace(request, body=request.body | {"amount": amount.replace(",", ".")})


def _guessing_the_provider(request: Request) -> Request:
    is_less = request.operation == "detached" and "apmdetails" not in request.body
    provider = {"apmDetails": {"apmProvider": "ExampleWalletV2"}}
    return replace(request, body=request.body | provider) if is_less else request


WRONG = [
    wrong("makes no detached refunds", "detached.refund", mend=refusing("detached")),
    *(
        wrong(
            f"leaves out {path} of a response",
            f"detached.response.{path}",
            *((f"detached.response.{path}.apmProviderName",) if path == "apmDetails" else ()),
            spoil=spoiling("detached", without_member(path)),
        )
        for path in fields("detached_refund_response")
    ),
    wrong(
        "gives the refunded amount as a number",
        "detached.response.amount",
        spoil=spoiling("detached", lambda value: value | {"amount": float(value["amount"])}),
    ),
    wrong(
        "gives back more than was asked for",
        "detached.response.not-more",
        "detached.response.messages",
        spoil=spoiling("detached", with_member("amount", "3.33")),
    ),
    wrong(
        "does not say how much was refunded",
        "detached.response.messages",
        spoil=spoiling("detached", lambda value: value | SILENT),
    ),
    wrong(
        "does not repeat the reference",
        "detached.response.echo.clientSystemTransactionId",
        spoil=spoiling("detached", with_member("clientSystemTransactionId", "another")),
    ),
    wrong(
        "answers in another currency",
        "detached.response.echo.currencyCode",
        spoil=spoiling("detached", with_member("currencyCode", "USD")),
    ),
    wrong(
        "calls a successful refund Ok",
        "detached.response.approved",
        spoil=spoiling("detached", with_member("state", "Ok")),
    ),
    wrong(
        "does not know apmProviderName",
        "detached.example",
        mend=refusing("detached", lambda body: "apmdetails" in body),
    ),
    wrong(
        "refuses amounts that are numbers",
        "detached.amount.number",
        mend=refusing(
            "detached", lambda body: isinstance(body.get("amount"), float) and "apmDetails" in body
        ),
    ),
    wrong("reads a comma as a period", "detached.amount.comma", mend=_reading_commas),
    *(
        wrong(
            f"accepts a detached refund without {path}",
            f"detached.mandatory.{path}",
            mend=filling("detached", path, value),
        )
        for path, value in {
            "merchantId": "SANDBOX-MERCHANT",
            "storeId": "SANDBOX-STORE",
            "userId": "sandbox-user",
            "type": "detached.refund",
            "amount": "0.01",
            "currencyCode": "EUR",
            "clientSystemTransactionId": None,
        }.items()
    ),
    wrong(
        "refunds what was never paid",
        "detached.parent.unknown",
        mend=approving("detached", lambda body: str(body.get("parentTransactionId")).startswith("KIT-")),
    ),
    wrong(
        "does not mind the provider",
        "detached.mandatory.apmDetails",
        "detached.mandatory.apmDetails.apmProvider",
        mend=_guessing_the_provider,
    ),
    wrong(
        "knows no limit",
        "detached.limit",
        mend=approving("detached", lambda body: body.get("amount") == "30.01"),
    ),
    wrong(
        "has another code for the limit",
        "detached.limit.code",
        spoil=_spoiling_the_limit(with_member("code", "4000000")),
    ),
    wrong(
        "begins the message of the limit otherwise", "detached.limit.message", spoil=_said("TooMuch: 1 2 3 4")
    ),
    wrong(
        "states three amounts",
        "detached.limit.amounts",
        spoil=_said("RefundAmountExceeded: 50.00, 20.05, 29.95"),
    ),
    wrong(
        "states the amounts in another order",
        "detached.limit.amounts",
        spoil=_said("RefundAmountExceeded: requested 30.01, maximum 29.95, refunded 20.05, deposit 50.00"),
    ),
    wrong(
        "states another sum",
        "detached.limit.amounts",
        spoil=_said("RefundAmountExceeded: deposit 50.00, refunded 0.00, maximum 29.95, requested 30.01"),
    ),
]


@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_the_right_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_its_probes_fail(sandbox_url, row)


@pytest.mark.exhaustive
@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_no_other_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_no_other_fails(sandbox_url, row)
