"""Capture, refund and reversal: golden answers, and the rules of each with their refusals."""

from __future__ import annotations

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl


@pytest.mark.parametrize(
    ("type_", "provider_state"),
    [
        ("ecom.capture", "CapturedByProvider"),
        ("ecom.reversalPreauthorization", "ReversedByProvider"),
    ],
)
def test_a_follow_up_is_answered_with_its_own_reference_and_an_id(
    merchant: Merchant, reserved: str, type_: str, provider_state: str
) -> None:
    reference = new_reference()
    answer = merchant.follow_up(reference, reserved, type=type_)
    assert answer.status == 200
    payment_id = answer.json["id"]
    assert payment_id
    assert answer.json == {
        "id": payment_id,
        "state": "Approved",
        "providerStateCode": provider_state,
        "currencyCode": "EUR",
        "clientSystemTransactionId": reference,
        "apmDetails": {"apmProviderName": "ExampleWallet", "apmPaymentMethod": type_},
    }
    assert merchant.record(reference)["id"] == payment_id


def test_a_cart_is_checked_in_itself_and_not_against_the_amount(merchant: Merchant, sale: str) -> None:
    item = {
        "productId": "1",
        "productName": "Lamp",
        "productQuantity": 1,
        "unitAmount": "3.00",
        "totalAmount": "3.00",
    }
    right = {"itemDetails": [item]}
    wrong = {"itemDetails": [item | {"totalAmount": "2.00"}]}
    assert merchant.refund(new_reference(), sale, "1.00", shoppingCartDetails=right).status == 200
    answer = merchant.refund(new_reference(), sale, "1.00", shoppingCartDetails=wrong)
    assert answer.status == 400
    assert "shoppingCartDetails.itemDetails[0].totalAmount" in answer.message


def test_a_portal_follow_up_carries_its_originals_reference(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    record = control.portal(sale, "ecom.refund", "2.50")
    assert (record["clientSystemTransactionId"], record["state"]) == (sale, "Approved")
    assert [found["type"] for found in merchant.records(sale)] == ["ecom.sale", "ecom.refund"]
    assert merchant.records(sale)[1] == record
