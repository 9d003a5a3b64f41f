"""Keys and payment accounts: what is mandatory, what is never shown, and what the wallet may leave out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.protocol.samples import changed, paths, payment_account_request, without
from tests.tables import every
from wallet_gateway.protocol.accounts import (
    TOKEN_PATH,
    CardType,
    PaymentAccount,
    PaymentAccountQuery,
    PaymentAccountRequest,
    PaymentAccountResponse,
    PublicKeyRequest,
    PublicKeyResponse,
)
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.protocol.wire import MISSING

ACCOUNT: dict[str, Any] = {
    "transactionAccountId": "ACC-1",
    "cardType": "Card",
    "cardNetwork": "VISA",
    "maskedAccountNumber": "************1111",
    "expirationMonth": 12,
    "expirationYear": 2030,
}
KEYS = {"apiKey": "pk-1", "encryptionKey": "ek-1", "expiresAt": "2026-01-01T10:00:00Z"}


@pytest.mark.parametrize("name", ["merchantId", "storeId", "userId"])
def test_keys_are_asked_for_by_a_user_of_a_store(name: str) -> None:
    ids = {"merchantId": "M", "storeId": "S", "userId": "u"}
    assert PublicKeyRequest.from_wire(ids).to_wire() == ids
    with pytest.raises(InvalidMessage) as refused:
        PublicKeyRequest.from_wire(without(ids, name))
    assert paths(refused.value) == [name]


def test_keys_say_when_they_end() -> None:
    assert PublicKeyResponse.from_wire(KEYS).expires == datetime(2026, 1, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("end", [None, "", "soon", NumberText("1767261600"), {"seconds": "900"}])
def test_keys_are_keys_without_an_end_that_can_be_read(end: object) -> None:
    keys = PublicKeyResponse.from_wire(KEYS | {"expiresAt": end})
    assert (keys.api_key, keys.encryption_key, keys.expires) == ("pk-1", "ek-1", None)
    assert PublicKeyResponse.from_wire(without(KEYS, "expiresAt")).expires is None


@pytest.mark.parametrize("name", ["apiKey", "encryptionKey"])
def test_no_half_of_the_keys_is_enough(name: str) -> None:
    with pytest.raises(InvalidMessage) as refused:
        PublicKeyResponse.from_wire(without(KEYS, name))
    assert paths(refused.value) == [name]


def test_what_the_wallet_gives_goes_through_unchanged() -> None:
    request = PaymentAccountRequest.from_wire(payment_account_request())
    assert request.to_wire() == payment_account_request()
    token = request.payment_data.payment_method_data.tokenization_data.token
    assert token == payment_account_request()["paymentData"]["paymentMethodData"]["tokenizationData"]["token"]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_missing_token_is_said_to_be_missing_where_it_is(depth: int) -> None:
    path = ".".join(TOKEN_PATH.split(".")[:depth])
    for body in (
        without(payment_account_request(), path),
        changed(payment_account_request(), path, None),
    ):
        with pytest.raises(InvalidMessage) as refused:
            PaymentAccountRequest.from_wire(body)
        assert [(fault.path, fault.message) for fault in refused.value.errors] == [(path, MISSING)]


@every("token", ["", " ", 7, {}, [], True])
def test_a_token_is_a_text(token: object) -> None:
    with pytest.raises(InvalidMessage) as refused:
        PaymentAccountRequest.from_wire(changed(payment_account_request(), TOKEN_PATH, token))
    assert paths(refused.value) == [TOKEN_PATH]


def test_the_wallet_may_leave_out_what_was_not_asked_for() -> None:
    bare = payment_account_request()
    for path in ("email", "shippingAddress", "paymentMethodData.info.billingAddress"):
        bare = without(bare, f"paymentData.{path}")
    assert PaymentAccountRequest.from_wire(bare).to_wire() == bare


@every(
    "path",
    [
        "apiVersion",
        "apiVersionMinor",
        "paymentMethodData.type",
        "paymentMethodData.description",
        "paymentMethodData.info",
        "paymentMethodData.tokenizationData.type",
    ],
)
def test_what_the_wallet_always_gives_is_not_left_out(path: str) -> None:
    with pytest.raises(InvalidMessage) as refused:
        PaymentAccountRequest.from_wire(without(payment_account_request(), f"paymentData.{path}"))
    assert paths(refused.value) == [f"paymentData.{path}"]


def test_a_token_for_the_merchant_itself_is_not_taken() -> None:
    path = "paymentData.paymentMethodData.tokenizationData.type"
    with pytest.raises(InvalidMessage) as refused:
        PaymentAccountRequest.from_wire(changed(payment_account_request(), path, "DIRECT"))
    assert paths(refused.value) == [path]


def test_an_address_may_be_any_text_but_no_other_thing() -> None:
    path = "paymentData.shippingAddress.countryCode"
    odd = changed(payment_account_request(), path, "??")
    assert PaymentAccountRequest.from_wire(odd).to_wire() == odd
    with pytest.raises(InvalidMessage) as refused:
        PaymentAccountRequest.from_wire(changed(payment_account_request(), path, 7))
    assert paths(refused.value) == [path]


def test_a_result_leaves_out_what_there_is_not() -> None:
    result = PaymentAccountResponse.build(
        client_system_transaction_id="ORDER-1", transaction_account_id="ACC-1"
    )
    assert result.to_wire() == {
        "clientSystemTransactionId": "ORDER-1",
        "transactionAccountId": "ACC-1",
        "transactionMethod": "WalletPay",
    }


def test_an_account_says_which_type_its_card_is_in_any_letter_case() -> None:
    assert PaymentAccount.from_wire(ACCOUNT | {"cardType": "token"}).card_type is CardType.TOKEN
    with pytest.raises(InvalidMessage) as refused:
        PaymentAccount.from_wire(ACCOUNT | {"cardType": "Cash"})
    assert paths(refused.value) == ["cardType"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("expirationMonth", 0), ("expirationMonth", 13), ("expirationYear", 30), ("expirationYear", "x")],
)
def test_an_account_expires_in_a_month_there_is_or_the_month_is_left_out(name: str, value: object) -> None:
    assert name not in PaymentAccount.from_wire(ACCOUNT | {name: value}).to_wire()


def test_the_type_of_the_card_is_an_account() -> None:
    account = PaymentAccount.from_wire({"cardType": "Token"})
    assert account.to_wire() == {"cardType": "Token"}
    assert (account.transaction_account_id, account.card_network, account.masked_account_number) == (
        (None,) * 3
    )


@pytest.mark.parametrize("name", ["cardNetwork", "maskedAccountNumber"])
@pytest.mark.parametrize("value", [None, {"name": "VISA"}, ["VISA"], True])
def test_what_describes_a_card_is_left_out_where_it_cannot_be_read(name: str, value: object) -> None:
    assert name not in PaymentAccount.from_wire(ACCOUNT | {name: value}).to_wire()


def test_an_account_is_asked_for_by_four_names() -> None:
    with pytest.raises(InvalidMessage) as refused:
        PaymentAccountQuery.from_wire({})
    assert paths(refused.value) == ["encryptionKeyId", "merchantId", "storeId", "transactionAccountId"]
