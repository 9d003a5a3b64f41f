"""Gateways that are wrong about keys, payment accounts and authorizations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.wrong_gateways import (
    Mend,
    Request,
    Wrong,
    answered,
    approving,
    check_that_its_probes_fail,
    check_that_no_other_fails,
    filling,
    refusing,
    setting,
    spoiling,
    spoiling_errors,
    with_member,
    without_member,
    wrong,
)
from tests.tables import every
from wallet_gateway.conformance.answers import Answer
from wallet_gateway.conformance.schemas import mandatory

DATA = "paymentData"
METHOD = f"{DATA}.paymentMethodData"
VALUES: Mapping[str, Any] = {
    "apiVersion": 2,
    "apiVersionMinor": 1,
    "paymentMethodData.type": "CARD",
    "paymentMethodData.description": "a card",
    "paymentMethodData.info": {"cardNetwork": "VISA"},
    "paymentMethodData.tokenizationData.type": "PAYMENT_GATEWAY",
}


def _letting_in(operation: str, value: object) -> Mend:
    """Answers callers without a key that it issued."""

    def mend(request: Request) -> Request | Answer:
        key = request.headers.get("Authorization", "")
        is_stranger = key in ("", "PublicApiKey nobody")
        return answered(value) if request.operation == operation and is_stranger else request

    return mend


def _guessing(name: str) -> Mend:
    """Tells an account without one of the inputs."""

    def mend(request: Request) -> Request | Answer:
        is_less = request.operation == "get" and name not in request.query
        return answered({"cardType": "Token"}) if is_less else request

    return mend


def _network(body: dict[str, Any]) -> str:
    network: str = body[DATA].get("paymentMethodData", {}).get("info", {}).get("cardNetwork", "")
    return network


def _only_tokenized(change: Any) -> Any:  # noqa: ANN401  (a change of any result)
    return lambda value: change(value) if "cryptogram" in value else value


def _only_plain(change: Any) -> Any:  # noqa: ANN401  (a change of any result)
    return lambda value: value if "cryptogram" in value else change(value)


def _swapped(value: dict[str, Any]) -> dict[str, Any]:
    return value | {"cardType": {"Card": "Token", "Token": "Card"}[value["cardType"]]}


RESULT = {"clientSystemTransactionId": "x", "transactionAccountId": "y", "transactionMethod": "WalletPay"}
APPROVED = {"id": "x", "state": "Approved"}
WRONG = [
    wrong(
        "gives no encryption key",
        "wallet.keys.encryptionKey",
        spoil=spoiling("keys", without_member("encryptionKey")),
    ),
    wrong("gives no API key", "wallet.keys.apiKey", spoil=spoiling("keys", without_member("apiKey"))),
    wrong(
        "creates accounts for anybody",
        "wallet.account.create.no-key",
        "wallet.account.create.false-key",
        mend=_letting_in("create", RESULT),
    ),
    wrong(
        "tells accounts to anybody",
        "wallet.account.get.no-key",
        "wallet.account.get.false-key",
        mend=_letting_in("get", {"cardType": "Token"}),
    ),
    wrong(
        "lets anybody pay",
        "wallet.authorization.no-key",
        "wallet.authorization.false-key",
        mend=_letting_in("authorize", APPROVED),
    ),
    *(
        wrong(f"tells accounts without {name}", f"wallet.account.get.mandatory.{name}", mend=_guessing(name))
        for name in ("merchantId", "storeId", "encryptionKeyId")
    ),
    wrong(
        "calls the method GooglePay",
        "wallet.result.transactionMethod",
        spoil=spoiling("create", with_member("transactionMethod", "GooglePay")),
    ),
    wrong(
        "gives another reference",
        "wallet.result.echo",
        spoil=spoiling("create", with_member("clientSystemTransactionId", "another")),
    ),
    wrong(
        "gives a number for an account",
        "wallet.result.transactionAccountId",
        spoil=spoiling("create", with_member("transactionAccountId", 7)),
    ),
    wrong(
        "leaves out the reference",
        "wallet.result.clientSystemTransactionId",
        spoil=spoiling("create", without_member("clientSystemTransactionId")),
    ),
    wrong(
        "keeps the cryptogram",
        "wallet.result.tokenized.cryptogram",
        "wallet.authorization.ecom.sale",
        "wallet.authorization.ecom.preauthorization",
        spoil=spoiling("create", _only_tokenized(without_member("cryptogram"))),
    ),
    wrong(
        "gives a plain card an indicator",
        "wallet.result.plain.eciIndicator",
        spoil=spoiling("create", _only_plain(with_member("eciIndicator", "05"))),
    ),
    wrong(
        "keeps the indicator",
        "wallet.result.tokenized.eciIndicator",
        "wallet.authorization.ecom.sale",
        "wallet.authorization.ecom.preauthorization",
        spoil=spoiling("create", _only_tokenized(without_member("eciIndicator"))),
    ),
    wrong(
        "gives a plain card a cryptogram",
        "wallet.result.plain.cryptogram",
        spoil=spoiling("create", _only_plain(with_member("cryptogram", "AAECAwQFBgcICQoLDA0ODxAREhM="))),
    ),
    wrong(
        "writes nulls",
        "wallet.result.nulls",
        spoil=spoiling("create", _only_plain(with_member("redirectData", None))),
    ),
    *(
        wrong(
            f"keeps the {name} of an extensive request",
            f"wallet.result.extensive.{name}",
            spoil=spoiling("create", without_member(name)),
        )
        for name in ("email", "shippingAddress", "billingAddress")
    ),
    wrong(
        "has another code for a missing token",
        "wallet.payment-data.token",
        spoil=spoiling_errors(
            lambda value: value | {"code": "4000341" if value["code"] == "4000340" else value["code"]},
            "create",
        ),
    ),
    wrong(
        "describes no failed result",
        "wallet.payment-data.description",
        spoil=spoiling_errors(without_member("description"), "create"),
    ),
    *(
        wrong(
            f"accepts PaymentData without {path}",
            f"wallet.payment-data.{path}",
            mend=filling("create", f"{DATA}.{path}", value),
        )
        for path, value in VALUES.items()
    ),
    wrong(
        "accepts PaymentData tokenized for the merchant",
        "wallet.payment-data.tokenization",
        mend=setting(
            "create", f"{METHOD}.tokenizationData.type", "PAYMENT_GATEWAY", lambda value: value == "DIRECT"
        ),
    ),
    wrong(
        "takes no JCB",
        "wallet.network.JCB",
        mend=refusing("create", lambda body: _network(body) == "JCB"),
    ),
    wrong(
        "takes INTERAC",
        "wallet.network.INTERAC",
        mend=setting("create", f"{METHOD}.info.cardNetwork", "VISA", lambda value: value == "INTERAC"),
    ),
    wrong(
        "calls a card CreditCard",
        "wallet.account.cardType",
        spoil=spoiling("get", with_member("cardType", "CreditCard")),
    ),
    wrong(
        "takes plain cards for tokenized ones",
        "wallet.account.kind.PAN_ONLY",
        "wallet.account.kind.CRYPTOGRAM_3DS",
        spoil=spoiling("get", _swapped),
    ),
    wrong(
        "refuses pre-authorizations by the wallet",
        "wallet.authorization.ecom.preauthorization",
        mend=refusing("authorize", lambda body: body["type"] == "ecom.preauthorization"),
    ),
    wrong(
        "wants no proof of a card",
        "wallet.authorization.cryptogram",
        "wallet.authorization.3ds",
        mend=approving("authorize", lambda body: "cryptogram" not in body),
    ),
]


def test_every_mandatory_part_of_payment_data_has_its_wrong_gateway() -> None:
    containers = {"paymentMethodData", "paymentMethodData.tokenizationData"}
    token = "paymentMethodData.tokenizationData.token"
    assert set(mandatory("payment_data")) == {*VALUES, *containers, token}


def test_a_gateway_without_the_wallets_operations_is_not_called_wrong(sandbox_url: str) -> None:
    def nothing(request: Request) -> Request | Answer:
        is_ours = request.operation in {"keys", "create", "get", "authorize"}
        return replace(answered({}), status=404) if is_ours else request

    check_that_no_other_fails(sandbox_url, wrong("has no wallet", mend=nothing))


@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_the_right_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_its_probes_fail(sandbox_url, row)


@pytest.mark.exhaustive
@every("row", WRONG, ids=lambda row: row.name)
def test_a_wrong_gateway_is_named_by_no_other_probe(row: Wrong, sandbox_url: str) -> None:
    check_that_no_other_fails(sandbox_url, row)
