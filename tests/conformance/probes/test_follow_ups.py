"""Gateways that are wrong about captures, refunds and reversals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Request,
    Wrong,
    answered,
    approval,
    approving,
    check_that_its_probes_fail,
    check_that_no_other_fails,
    filling,
    refusing,
    setting,
    spoiling,
    with_member,
    without_member,
    wrong,
)
from tests.tables import every
from wallet_gateway.conformance.answers import Answer


def _one_id(request: Request, answer: Answer) -> Answer:
    """Gives a payment, its captures and its refunds one id."""
    if request.operation == "status" and answer.is_success:
        return answered([{**record, "id": "one", **_exact(record)} for record in _plain(answer)])
    return (
        spoiling(request.operation, with_member("id", "one"))(request, answer)
        if (request.operation in ("capture", "refund"))
        else answer
    )


def _plain(answer: Answer) -> list[dict[str, Any]]:
    return [dict(record) for record in answer.records]


def _exact(record: dict[str, Any]) -> dict[str, Any]:
    return {"transactionAmount": float(record["transactionAmount"])}


def _echoing_the_original(request: Request, answer: Answer) -> Answer:
    if request.operation != "refund" or not answer.is_success:
        return answer
    original = request.body["clientSystemInvoiceId"]
    return spoiling("refund", with_member("clientSystemTransactionId", original))(request, answer)


def _approving_a_comma(request: Request) -> Request | Answer:
    amount = (request.body or {}).get("amount")
    if request.operation != "refund" or not isinstance(amount, str):
        return request
    return replace(request, body=request.body | {"amount": amount.replace(",", ".")})


def _done(value: dict[str, Any]) -> dict[str, Any]:
    return value | {"state": "Done"} if value["state"] == "Approved" else value


def _cart_of(body: dict[str, Any]) -> dict[str, Any]:
    cart: dict[str, Any] = body.get("shoppingCartDetails", {})
    return cart


WRONG = [
    *(
        wrong(f"makes no {name}", f"follow-ups.{name}", mend=refusing(name))
        for name in ("capture", "refund", "reversal")
    ),
    *(
        wrong(
            f"calls a successful {name} otherwise",
            f"follow-ups.{name}.state",
            spoil=spoiling(name, _done),
        )
        for name in ("capture", "refund", "reversal")
    ),
    *(
        wrong(
            f"leaves out {path} of a response",
            f"follow-ups.response.{path}",
            spoil=spoiling("refund", without_member(path)),
        )
        for path in (
            "id",
            "state",
            "providerStateCode",
            "currencyCode",
            "clientSystemTransactionId",
            "apmDetails.apmProviderName",
            "apmDetails.apmPaymentMethod",
        )
    ),
    wrong(
        "leaves out apmDetails of a response",
        "follow-ups.response.apmDetails",
        "follow-ups.response.apmDetails.apmProviderName",
        "follow-ups.response.apmDetails.apmPaymentMethod",
        spoil=spoiling("refund", without_member("apmDetails")),
    ),
    wrong(
        "gives a number for an id",
        "follow-ups.response.id",
        spoil=spoiling("refund", with_member("id", 7)),
    ),
    wrong(
        "does not repeat the reference",
        "follow-ups.response.echo.reference",
        spoil=spoiling("refund", with_member("clientSystemTransactionId", "another")),
    ),
    wrong(
        "repeats the original's reference", "follow-ups.response.echo.reference", spoil=_echoing_the_original
    ),
    wrong(
        "answers in another currency",
        "follow-ups.response.echo.currency",
        spoil=spoiling("refund", with_member("currencyCode", "USD")),
    ),
    wrong("gives everything one id", "follow-ups.response.ids", "status.record.ids", spoil=_one_id),
    wrong(
        "does not know apmProviderName",
        "follow-ups.example",
        mend=refusing("capture", lambda body: "apmdetails" in body),
    ),
    wrong(
        "refuses amounts that are numbers",
        "follow-ups.amount.number",
        mend=refusing("refund", lambda body: isinstance(body.get("amount"), float)),
    ),
    wrong("reads a comma as a period", "follow-ups.amount.comma", mend=_approving_a_comma),
    *(
        wrong(
            f"accepts a refund without {path}",
            f"follow-ups.mandatory.{path}",
            mend=filling("refund", path, value),
        )
        for path, value in {
            "merchantId": "SANDBOX-MERCHANT",
            "storeId": "SANDBOX-STORE",
            "userId": "sandbox-user",
            "currencyCode": "EUR",
            "clientSystemTransactionId": None,
        }.items()
    ),
    wrong(
        "refunds the last payment if none is named",
        "follow-ups.mandatory.clientSystemInvoiceId",
        mend=approving("refund", lambda body: "clientSystemInvoiceId" not in body),
    ),
    wrong(
        "refunds everything if no amount is given",
        "follow-ups.mandatory.amount",
        mend=approving(
            "refund", lambda body: "amount" not in body and len(body["clientSystemInvoiceId"]) > 0
        ),
    ),
    wrong(
        "takes a follow-up without type for a refund",
        "follow-ups.mandatory.type",
        mend=filling("refund", "type", "ecom.refund"),
    ),
    wrong(
        "does not mind the provider",
        "follow-ups.mandatory.apmDetails",
        "follow-ups.mandatory.apmDetails.apmProvider",
        "follow-ups.provider.other",
        mend=setting(
            "refund", "apmDetails.apmProvider", "ExampleWalletV2", lambda value: value != "ExampleWalletV2"
        ),
    ),
    wrong(
        "takes an unknown type for a refund",
        "follow-ups.type.unknown",
        mend=setting("refund", "type", "ecom.refund", lambda value: value == "ecom.nothing"),
    ),
    wrong(
        "does not look into carts",
        "follow-ups.cart.quantity",
        mend=approving("refund", lambda body: bool(_cart_of(body))),
    ),
]


def test_an_unknown_original_that_is_refunded_is_named(sandbox_url: str) -> None:
    known: set[str] = set()

    def approving_unknown(request: Request) -> Request | Answer:
        if request.operation == "checkout":
            known.add(str(request.body.get("clientSystemTransactionId")))
        is_refund = request.operation == "refund" and "amount" in request.body
        if not is_refund or request.body.get("clientSystemInvoiceId", "-") in {*known, "-"}:
            return request
        return answered(approval(request.body))

    row = wrong("refunds what was never paid", "follow-ups.original.unknown", mend=approving_unknown)
    check_that_its_probes_fail(sandbox_url, row)


@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_the_right_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_its_probes_fail(sandbox_url, row)


@pytest.mark.exhaustive
@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_no_other_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_no_other_fails(sandbox_url, row)
