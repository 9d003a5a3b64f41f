"""Opening a checkout and what becomes of it; expectations written from the interface document."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl, SandboxRefused

FULL_CHECKOUT: dict[str, Any] = {
    "providerDiscretionaryData": "Order 77",
    "details": {"providerMerchantId": "ACQ-1"},
    "checkoutDetails": {
        "paymentMethod": "ExampleWalletV2",
        "skinId": "dark",
        "language": "de",
        "cardholderId": "CUST-9",
        "cardholderFirstName": "Ada",
        "cardholderLastName": "Lovelace",
        "cardholderEmail": "ada@example.org",
        "cardholderMobilePhone": "44-7700900123",
        "cardholderHomePhone": "020 7946 0000",
        "cardholderWorkPhone": "020 7946 0001",
        "cardholderNationalIdentificationNumber": "QQ123456C",
        "redirectUrlTimeout": 300,
    },
    "addressDetails": {
        "billingAddress": {
            "houseNumber": "5",
            "street": "Curzon Street",
            "city": "London",
            "zipPostalCode": "W1J 5HE",
            "state": "GB-LND",
            "countryCode": "GBR",
        },
        "shippingAddress": {
            "firstName": "Charles",
            "lastName": "Babbage",
            "telephoneNumber": "020 7946 0002",
            "email": "charles@example.org",
            "houseNumber": "1",
            "street": "Dorset Street",
            "city": "London",
            "zipPostalCode": "W1U 4EG",
            "state": "GB-LND",
            "countryCode": "GBR",
            "deliveryMethod": "courier",
        },
    },
    "shoppingCartDetails": {
        "totalTaxAmount": "1.60",
        "itemDetails": [
            {
                "productId": "SKU-1",
                "productName": "Lamp",
                "productType": "physical",
                "productQuantity": 2,
                "unitAmount": "4.00",
                "unitTaxAmount": "0.64",
                "taxRate": "19",
                "totalAmount": "8.00",
                "totalTaxAmount": "1.28",
            }
        ],
        "shippingDetails": {
            "shippingName": "Post",
            "shippingAmount": "2.50",
            "shippingTaxAmount": "0.32",
            "shippingTaxRate": "19",
        },
        "discountDetails": [
            {"discountAmount": "0.50", "discountType": "storeCredit", "discountName": "Loyalty"}
        ],
    },
}


@pytest.mark.parametrize(
    ("outcome", "state"),
    [
        ("success", "Approved"),
        ("pending", "Pending"),
        ("refused", "Errored"),
        ("cancelled", "Errored"),
        ("error", "Errored"),
    ],
)
@pytest.mark.parametrize("type_", ["ecom.sale", "ecom.preAuthorization"])
def test_each_deciding_outcome_leaves_one_record_in_its_state(
    merchant: Merchant, control: SandboxControl, outcome: str, state: str, type_: str
) -> None:
    reference = new_reference()
    merchant.checkout(reference, type=type_)
    control.complete_checkout(reference, outcome)
    record = merchant.record(reference)
    assert (record["state"], record["type"]) == (state, type_)


@pytest.mark.parametrize("first", ["success", "pending", "refused", "cancelled", "error"])
@pytest.mark.parametrize("second", ["success", "return"])
def test_a_decided_link_is_used_up(
    merchant: Merchant, control: SandboxControl, first: str, second: str
) -> None:
    reference = new_reference()
    merchant.checkout(reference)
    control.complete_checkout(reference, first)
    with pytest.raises(SandboxRefused, match="CheckoutUsedUp") as refused:
        control.complete_checkout(reference, second)
    assert refused.value.status == 409
    assert len(merchant.records(reference)) == 1


SHIPPED = {"shippingAddress": FULL_CHECKOUT["addressDetails"]["shippingAddress"]}


@pytest.mark.parametrize("given", [{}, {"addressDetails": {}}, {"addressDetails": SHIPPED}], ids=str)
def test_where_it_is_demanded_a_checkout_without_a_billing_address_breaks_the_schema(
    merchant: Merchant, control: SandboxControl, given: dict[str, Any]
) -> None:
    control.behaviour(billing_address="required")
    answer = merchant.checkout(new_reference(), **given)
    assert (answer.status, answer.code) == (400, "4107940")
    assert answer.message.startswith("SchemaValidationError: addressDetails.billingAddress.houseNumber: ")
    # The table marks all of them as mandatory, and the state as optional.
    for name in ("houseNumber", "street", "city", "zipPostalCode", "countryCode"):
        assert f"billingAddress.{name}: is missing" in answer.message
    assert "billingAddress.state" not in answer.message
    whole = {"addressDetails": {"billingAddress": FULL_CHECKOUT["addressDetails"]["billingAddress"]}}
    assert merchant.checkout(new_reference(), **whole).status == 200


@pytest.mark.parametrize("first", ["refused", "error"])
@pytest.mark.parametrize(("second", "state"), [("success", "Approved"), ("pending", "Pending")])
def test_where_another_card_may_be_tried_each_try_is_a_record_and_the_page_stays_payable(
    merchant: Merchant, control: SandboxControl, first: str, second: str, state: str
) -> None:
    control.behaviour(another_card=True)
    reference = new_reference()
    merchant.checkout(reference)
    control.complete_checkout(reference, first)
    control.complete_checkout(reference, "refused")
    control.complete_checkout(reference, second)
    assert [record["state"] for record in merchant.records(reference)] == ["Errored", "Errored", state]
    with pytest.raises(SandboxRefused, match="CheckoutUsedUp"):
        control.complete_checkout(reference, "success")


@pytest.mark.parametrize(("timeout", "lives"), [(60, 60), (None, 900), (900, 900)], ids=str)
def test_a_link_works_until_its_time_is_over(
    merchant: Merchant, control: SandboxControl, timeout: int | None, lives: int
) -> None:
    late, early = new_reference(), new_reference()
    details = {"paymentMethod": "ExampleWalletV2"} | (
        {"redirectUrlTimeout": timeout} if timeout is not None else {}
    )
    merchant.checkout(early, checkoutDetails=details)
    merchant.checkout(late, checkoutDetails=details)
    control.advance_clock(lives - 5)
    control.complete_checkout(early, "success")
    control.advance_clock(5)
    with pytest.raises(SandboxRefused, match="CheckoutExpired"):
        control.complete_checkout(late, "success")
    assert merchant.records(late) == []


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"checkoutDetails": {"paymentMethod": "OtherWalletV2"}}, "checkoutDetails.paymentMethod"),
        (
            {"checkoutDetails": {"paymentMethod": "ExampleWalletV2", "redirectUrlTimeout": 901}},
            "checkoutDetails.redirectUrlTimeout",
        ),
        ({"amount": "0.00"}, "amount"),
        ({"amount": "10,00"}, "amount"),
        ({"amount": "10.001"}, "amount"),
        ({"currencyCode": "EURO"}, "currencyCode"),
        ({"type": "ecom.capture"}, "type"),
        ({"redirectDetails": {"returnUrl": "https://shop.example/"}}, "redirectDetails.successUrl"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_checkout_is_named_by_its_path(
    merchant: Merchant, changes: dict[str, object], path: str
) -> None:
    answer = merchant.checkout(new_reference(), **changes)
    assert (answer.status, answer.code) == (400, "4107940")
    assert answer.message.startswith("SchemaValidationError")
    assert path in answer.message
