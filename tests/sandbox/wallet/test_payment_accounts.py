"""Payment accounts: golden answers, every way a token can be wrong, and who may ask."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sandbox.wallet_buyer import Buyer
from wallet_gateway.protocol.cryptograms import is_cryptogram
from wallet_gateway.testing.control import SandboxControl


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


@pytest.mark.parametrize("token", ["x", "{}", "[]", '{"protocolVersion":"ECv3"}', "\u0000", "[" * 5000])
def test_what_is_no_token_is_refused(buyer: Buyer, token: str) -> None:
    answer = buyer.create(with_token(buyer.data(), token))
    assert (answer.status, answer.code) == (400, "4400010")


def test_a_token_is_used_once(buyer: Buyer) -> None:
    data = buyer.data()
    assert buyer.create(data).status == 200
    answer = buyer.create(data, clientSystemTransactionId="BUTTON-2")
    assert (answer.status, answer.code) == (400, "4400012")


def test_a_token_expires(buyer: Buyer, control: SandboxControl) -> None:
    data = buyer.data()
    control.advance_clock(3600)
    later = Buyer(buyer.merchant, control)
    answer = later.create(data)
    assert (answer.status, answer.code) == (400, "4400011")
    assert "expired_message" in answer.message
    assert later.create(later.data()).status == 200


class TestKeys:
    def test_without_a_key_nothing_is_done(self, buyer: Buyer) -> None:
        data = buyer.data()
        for header in ("", "PublicApiKey", "PublicApiKey nobody", f"Bearer {buyer.keys['apiKey']}"):
            answer = buyer.create(data, headers={"Authorization": header})
            assert (answer.status, answer.code) == (401, "4401002")
        assert buyer.create(data).status == 200

    def test_a_key_expires_when_it_said(self, buyer: Buyer, control: SandboxControl) -> None:
        account_id = buyer.account()["transactionAccountId"]
        control.advance_clock(3600)
        assert (answer := buyer.look_up(account_id)).status == 401
        assert answer.code == "4401003"
        assert Buyer(buyer.merchant, control).look_up(account_id).status == 200


class TestLookingUp:
    @pytest.mark.parametrize("account_id", ["nobody", "%00", "ACC-1?x=1", "é", "a" * 255])
    def test_an_unknown_account_is_not_found(self, buyer: Buyer, account_id: str) -> None:
        from urllib.parse import quote

        answer = buyer.look_up(quote(account_id))
        assert (answer.status, answer.code) == (404, "4404004")
