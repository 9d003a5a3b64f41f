"""Payment accounts: golden answers, every way a token can be wrong, and who may ask."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sandbox.merchant import Merchant
from tests.sandbox.wallet.tokens import RECIPIENT_KEY, b64
from tests.sandbox.wallet.tokens import token as foreign_token
from tests.sandbox.wallet_buyer import ACCOUNTS, Buyer
from wallet_gateway.protocol.cryptograms import is_cryptogram
from wallet_gateway.testing.control import SandboxControl

NETWORKS = ["VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB"]


def with_token(data: dict[str, Any], token: Any) -> dict[str, Any]:  # noqa: ANN401
    copied: dict[str, Any] = json.loads(json.dumps(data))
    copied["paymentMethodData"]["tokenizationData"]["token"] = token
    return copied


def test_a_token_card_brings_its_cryptogram_and_indicator(buyer: Buyer) -> None:
    answer = buyer.create(buyer.data())
    assert answer.status == 200
    result = answer.json
    assert set(result) == {
        "clientSystemTransactionId",
        "transactionAccountId",
        "transactionMethod",
        "cryptogram",
        "eciIndicator",
    }
    assert result["clientSystemTransactionId"] == "BUTTON-1"
    assert result["transactionMethod"] == "WalletPay"
    assert is_cryptogram(result["cryptogram"])
    assert result["eciIndicator"] == "05"


def test_a_plain_card_brings_neither(buyer: Buyer) -> None:
    assert set(buyer.account("PAN_ONLY")) == {
        "clientSystemTransactionId",
        "transactionAccountId",
        "transactionMethod",
    }


def test_a_network_may_give_no_indicator(buyer: Buyer) -> None:
    assert "eciIndicator" not in buyer.account(network="DISCOVER")


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize(("auth_method", "card_type"), [("PAN_ONLY", "Card"), ("CRYPTOGRAM_3DS", "Token")])
def test_an_account_tells_its_card(buyer: Buyer, network: str, auth_method: str, card_type: str) -> None:
    data = buyer.data(auth_method, network)
    account_id = buyer.create(data).json["transactionAccountId"]
    answer = buyer.look_up(account_id)
    assert answer.status == 200
    account = answer.json
    last_four = data["paymentMethodData"]["info"]["cardDetails"]
    assert account.pop("maskedAccountNumber").endswith(f"***{last_four}")
    assert account.pop("expirationMonth") in range(1, 13)
    assert account.pop("expirationYear") > 2026
    assert account == {"transactionAccountId": account_id, "cardType": card_type, "cardNetwork": network}


def test_what_the_customer_gave_beside_the_card_is_passed_on(buyer: Buyer) -> None:
    parameters = {
        "billingAddressRequired": True,
        "billingAddressParameters": {"format": "FULL", "phoneNumberRequired": True},
    }
    data = buyer.data(
        emailRequired=True,
        shippingAddressRequired=True,
        allowedPaymentMethods=[{"parameters": parameters}],
    )
    result = buyer.create(data).json
    assert result["email"] == data["email"]
    assert result["shippingAddress"] == data["shippingAddress"]
    assert "phoneNumber" not in result["shippingAddress"]
    assert result["billingAddress"] == data["paymentMethodData"]["info"]["billingAddress"]
    assert result["billingAddress"]["phoneNumber"]


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"paymentMethodData": {}},
        {"paymentMethodData": {"tokenizationData": {}}},
        {"paymentMethodData": {"tokenizationData": {"token": None}}},
    ],
)
def test_a_missing_token_is_answered_as_documented(buyer: Buyer, data: object) -> None:
    answer = buyer.create(data)
    assert (answer.status, answer.code) == (400, "4000340")
    assert answer.json["description"] == "GeneralValidationError"
    assert "a required field is missing" in answer.message


@pytest.mark.parametrize(
    "data", [[], "x", {"paymentMethodData": []}, {"paymentMethodData": {"tokenizationData": 7}}]
)
def test_data_of_another_shape_is_no_missing_token(buyer: Buyer, data: object) -> None:
    answer = buyer.create(data)
    assert (answer.status, answer.code) == (400, "4107940")
    assert answer.message.startswith("SchemaValidationError: paymentData")


def test_payment_data_of_another_tokenization_are_refused(buyer: Buyer) -> None:
    data = buyer.data()
    data["paymentMethodData"]["tokenizationData"]["type"] = "DIRECT"
    answer = buyer.create(data)
    assert (answer.status, answer.code) == (400, "4107940")
    assert "paymentData.paymentMethodData.tokenizationData.type" in answer.message


@pytest.mark.parametrize("token", ["x", "{}", "[]", '{"protocolVersion":"ECv3"}', "\u0000", "[" * 5000])
def test_what_is_no_token_is_refused(buyer: Buyer, token: str) -> None:
    answer = buyer.create(with_token(buyer.data(), token))
    assert (answer.status, answer.code) == (400, "4400010")


def test_an_altered_token_is_refused(buyer: Buyer) -> None:
    data = buyer.data()
    outer = json.loads(data["paymentMethodData"]["tokenizationData"]["token"])
    outer["signedMessage"] = outer["signedMessage"].replace("tag", "Tag")
    answer = buyer.create(with_token(data, json.dumps(outer)))
    assert (answer.status, answer.code) == (400, "4400010")
    assert answer.message.startswith("TokenRefused: bad_message_signature")
    assert answer.json["description"] == "GeneralValidationError"


def test_a_token_by_an_unknown_signer_is_refused(buyer: Buyer) -> None:
    answer = buyer.create(with_token(buyer.data(), foreign_token()))
    assert answer.message.startswith("TokenRefused: bad_intermediate_signature")
    assert b64(RECIPIENT_KEY.private_numbers().private_value.to_bytes(32, "big")) not in answer.message


def test_a_token_is_used_once(buyer: Buyer) -> None:
    data = buyer.data()
    assert buyer.create(data).status == 200
    answer = buyer.create(data, clientSystemTransactionId="BUTTON-2")
    assert (answer.status, answer.code) == (400, "4400012")


def test_behaviour_decides_over_a_repetition(buyer: Buyer, control: SandboxControl) -> None:
    data = buyer.data()
    first = buyer.create(data).json
    control.behaviour(duplicates="replay")
    assert buyer.create(data).json == first
    assert buyer.create(data, clientSystemTransactionId="BUTTON-2").code == "4400012"
    control.behaviour(duplicates="execute")
    assert buyer.create(data).json["transactionAccountId"] != first["transactionAccountId"]


def test_a_token_of_another_merchant_is_refused(buyer: Buyer, control: SandboxControl) -> None:
    control.add_merchant(merchant_id="OTHER", store_id="S", user_id="u")
    answer = buyer.create(control.wallet_payment_data(merchant_id="OTHER"))
    assert (answer.status, answer.code) == (400, "4400013")


def test_a_token_expires(buyer: Buyer, control: SandboxControl) -> None:
    data = buyer.data()
    control.advance_clock(3600)
    later = Buyer(buyer.merchant, control)
    answer = later.create(data)
    assert (answer.status, answer.code) == (400, "4400011")
    assert "expired_message" in answer.message
    assert later.create(later.data()).status == 200


def test_keys_are_renewed_however_far_the_clock_is_moved(buyer: Buyer, control: SandboxControl) -> None:
    for days in (6, 8, 3000, 4000):
        control.advance_clock(86_400 * days)
        later = Buyer(buyer.merchant, control)
        assert later.create(later.data()).status == 200


@pytest.mark.parametrize("network", ["INTERAC", "ELO", "x"])
def test_other_networks_are_refused(buyer: Buyer, network: str) -> None:
    data = buyer.data()
    data["paymentMethodData"]["info"]["cardNetwork"] = network
    answer = buyer.create(data)
    assert (answer.status, answer.code) == (400, "4400014")


class TestKeys:
    def test_without_a_key_nothing_is_done(self, buyer: Buyer) -> None:
        data = buyer.data()
        for header in ("", "PublicApiKey", "PublicApiKey nobody", f"Bearer {buyer.keys['apiKey']}"):
            answer = buyer.create(data, headers={"Authorization": header})
            assert (answer.status, answer.code) == (401, "4401002")
        assert buyer.create(data).status == 200

    def test_the_scheme_is_read_in_any_letter_case(self, buyer: Buyer) -> None:
        headers = {"Authorization": f"publicapikey {buyer.keys['apiKey']}"}
        assert buyer.create(buyer.data(), headers=headers).status == 200

    def test_a_key_expires_when_it_said(self, buyer: Buyer, control: SandboxControl) -> None:
        account_id = buyer.account()["transactionAccountId"]
        control.advance_clock(3600)
        assert (answer := buyer.look_up(account_id)).status == 401
        assert answer.code == "4401003"
        assert Buyer(buyer.merchant, control).look_up(account_id).status == 200

    def test_a_key_is_for_one_store(self, buyer: Buyer, control: SandboxControl) -> None:
        ids = {"merchantId": "SANDBOX-MERCHANT", "storeId": "SECOND", "userId": "u"}
        control.add_merchant(merchant_id=ids["merchantId"], store_id="SECOND", user_id="u")
        with Merchant(control.base_url, ids=ids) as other:
            second = Buyer(other, control)
        answer = buyer.create(buyer.data(), headers=second.headers)
        assert (answer.status, answer.code) == (403, "4403004")
        answer = buyer.look_up(
            buyer.account()["transactionAccountId"], encryptionKeyId=second.keys["encryptionKey"]
        )
        assert (answer.status, answer.code) == (401, "4401004")

    @pytest.mark.parametrize("name", ["merchantId", "storeId", "userId"])
    def test_strangers_get_none(self, merchant: Merchant, name: str) -> None:
        ids = {"merchantId": "SANDBOX-MERCHANT", "storeId": "SANDBOX-STORE", "userId": "sandbox-user"}
        answer = merchant.post("/api/v5/publicKeys", ids | {name: "nobody"})
        assert (answer.status, answer.code) == (403, "4403003")

    def test_an_unknown_encryption_key_opens_nothing(self, buyer: Buyer) -> None:
        answer = buyer.look_up(buyer.account()["transactionAccountId"], encryptionKeyId="nobody")
        assert (answer.status, answer.code) == (401, "4401004")


class TestLookingUp:
    @pytest.mark.parametrize("account_id", ["nobody", "%00", "ACC-1?x=1", "é", "a" * 255])
    def test_an_unknown_account_is_not_found(self, buyer: Buyer, account_id: str) -> None:
        from urllib.parse import quote

        answer = buyer.look_up(quote(account_id))
        assert (answer.status, answer.code) == (404, "4404004")

    def test_an_account_of_another_store_is_not_found(self, buyer: Buyer, control: SandboxControl) -> None:
        control.add_merchant(merchant_id="OTHER", store_id="S", user_id="u")
        ids = {"merchantId": "OTHER", "storeId": "S", "userId": "u"}
        with Merchant(control.base_url, ids=ids) as other:
            answer = Buyer(other, control).look_up(buyer.account()["transactionAccountId"])
        assert (answer.status, answer.code) == (404, "4404004")

    def test_every_parameter_is_needed(self, buyer: Buyer) -> None:
        answer = buyer.merchant.send("GET", f"{ACCOUNTS}/x", headers=buyer.headers)
        assert answer.status == 400
        assert all(name in answer.message for name in ("merchantId", "storeId", "encryptionKeyId"))

    def test_only_get_is_answered_there(self, buyer: Buyer) -> None:
        answer = buyer.merchant.send("POST", f"{ACCOUNTS}/x", b"{}", buyer.headers)
        assert (answer.status, answer.headers["allow"]) == (405, "GET")
        assert buyer.merchant.send("GET", ACCOUNTS, headers=buyer.headers).headers["allow"] == "POST"
        assert buyer.merchant.send("GET", f"{ACCOUNTS}/x/y", headers=buyer.headers).status == 404
