"""The wallet's own calls: root keys for everybody, the sheet's calls for the sandbox's own pages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sandbox.merchant import JSON, Answer, Merchant
from wallet_gateway.testing.control import SandboxControl

APPROVE, STATE, ROOTS = "/wallet/api/payment-data", "/wallet/api/state", "/wallet/keys.json"
REQUEST = {
    "allowedPaymentMethods": [
        {
            "type": "CARD",
            "tokenizationSpecification": {
                "type": "PAYMENT_GATEWAY",
                "parameters": {"gateway": "examplegateway", "gatewayMerchantId": "SANDBOX-MERCHANT"},
            },
        }
    ]
}
FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


def approve(merchant: Merchant, body: Any, headers: dict[str, str] | None = None) -> Answer:  # noqa: ANN401
    return merchant.send("POST", APPROVE, json.dumps(body).encode(), JSON | (headers or {}))


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_other_pages_approve_nothing_and_see_nothing(merchant: Merchant, headers: dict[str, str]) -> None:
    assert approve(merchant, {"cardId": "visa-token", "request": REQUEST}, headers).code == "4403002"
    assert merchant.send("GET", STATE, headers=headers).code == "4403002"


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"cardId": "visa-token"},
        {"cardId": "nobody", "request": REQUEST},
        {"cardId": 7, "request": REQUEST},
        {"cardId": "visa-token", "request": []},
        {"cardId": "visa-token", "request": {"allowedPaymentMethods": []}},
        {"cardId": "visa-token", "request": REQUEST, "more": 1},
        {"cardId": "visa-token", "request": REQUEST, "choices": "x"},
    ],
)
def test_what_cannot_be_approved_is_refused(merchant: Merchant, body: object) -> None:
    answer = approve(merchant, body)
    assert (answer.status, answer.code) == (400, "4400004")


def test_the_sheet_is_told_its_mode_and_what_is_stored(merchant: Merchant, control: SandboxControl) -> None:
    assert control.wallet("no_card") == "no_card"
    state = merchant.send("GET", STATE).json
    assert state["mode"] == "no_card"
    home, office = state["accounts"]
    assert (len(home["cards"]), len(office["cards"])) == (10, 2)
    assert set(home["cards"][0]) == {
        "id",
        "name",
        "network",
        "authMethod",
        "fundingSource",
        "lastFour",
        "description",
        "art",
    }
    assert "4111111111111111" not in str(state)
    control.reset()
    assert control.wallet() == "ready"


@pytest.mark.parametrize(
    "mode", ["ready", "not_ready", "no_card", "script_fails", "slow", "developer_error", "cancelled"]
)
def test_every_mode_can_be_chosen(control: SandboxControl, mode: str) -> None:
    assert control.wallet(mode) == control.wallet() == mode


def test_anybody_may_read_the_root_keys(merchant: Merchant) -> None:
    answer = merchant.send("GET", ROOTS, headers={"Origin": "https://evil.example"})
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "*")
    assert [key["protocolVersion"] for key in answer.json["keys"]] == ["ECv2"]
    assert "max-age" in answer.headers["cache-control"]
