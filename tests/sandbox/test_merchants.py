"""Who may use the gateway, from the start and by being entered."""

from __future__ import annotations

from tests.sandbox.merchant import SHOP, Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl


def test_a_merchant_is_answered_with_all_it_is(merchant: Merchant) -> None:
    body = {"merchantId": "M", "storeId": "S", "userId": "u"}
    loopback = ["http://127.0.0.1:*", "http://localhost:*", "http://[::1]:*"]
    expected = body | {
        "provider": "ExampleWalletV2",
        "gateway": "examplegateway",
        "origins": loopback,
        "displayName": "M",
    }
    assert merchant.post("/_sandbox/merchants", body).json == expected
    origins = {"provider": "OtherV2", "origins": ["https://shop.example"]}
    assert merchant.post("/_sandbox/merchants", body | origins).json == expected | origins
    named = {"displayName": "Lark & Loam"}
    assert merchant.post("/_sandbox/merchants", body | named).json == expected | named


def test_adding_a_merchant_again_changes_it_and_keeps_what_it_did(
    merchant: Merchant, control: SandboxControl
) -> None:
    ids = {"merchantId": "M", "storeId": "S"}
    control.add_merchant(merchant_id="M", store_id="S", user_id="old")
    merchant.checkout("ORDER-1", **ids, userId="old")
    control.add_merchant(merchant_id="M", store_id="S", user_id="new")
    assert merchant.checkout("ORDER-2", **ids, userId="old").status == 403
    assert control.complete_checkout("ORDER-1", "success") == f"{SHOP}?to=success"


def test_what_is_wrong_with_the_body_is_said_before_whose_it_is(merchant: Merchant) -> None:
    answer = merchant.checkout(new_reference(), merchantId="NOBODY", amount="x")
    assert answer.status == 400
