"""Building a checkout request in Python: every fault is told at once, and nothing changes it afterwards."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import ValidationError

from tests.protocol.samples import paths
from tests.tables import every
from wallet_gateway.protocol.cart import Shipping, build_cart
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.checkout import CheckoutDetails, CheckoutRequest, CheckoutType, RedirectDetails
from wallet_gateway.protocol.errors import InvalidMessage


@every("reference", ["", "a b", "ä", "x" * 65, "a/b", "a\n", "a.b", "\u0661", "a;b"], ids=ascii)
def test_a_reference_we_make_has_1_to_64_plain_characters(reference: str) -> None:
    with pytest.raises(InvalidMessage, match=r"1 to 64 of A-Z a-z 0-9 _ -|is empty") as caught:
        build(client_system_transaction_id=reference)
    assert paths(caught.value) == ["clientSystemTransactionId"]


def build(**changes: object) -> CheckoutRequest:
    url = "https://shop.example/back"
    values: dict[str, object] = {
        "merchant_id": "M-1001",
        "store_id": "S-1",
        "user_id": "shop-user",
        "type": CheckoutType.SALE,
        "amount": Decimal("24.90"),
        "currency_code": "EUR",
        "client_system_transaction_id": "ORDER-1",
        "checkout_details": CheckoutDetails.build(payment_method="ExampleWalletV2", redirect_url_timeout=600),
        "redirect_details": RedirectDetails.build(
            return_url=url, success_url=url, pending_url=url, error_url=url, cancel_url=url, refused_url=url
        ),
    }
    return CheckoutRequest.build(**values | changes)


def test_a_request_is_built_with_parts_given_as_mappings() -> None:
    request = build(
        checkout_details={"payment_method": "ExampleWalletV2"},
        address_details={
            "billing_address": {
                "house_number": "1",
                "street": "S",
                "city": "C",
                "zip_postal_code": "1",
                "country_code": "deu",
            }
        },
        type="ECOM.PREAUTHORIZATION",
    )
    assert request.type is CheckoutType.PREAUTHORIZATION
    assert request.to_wire()["addressDetails"]["billingAddress"]["countryCode"] == "DEU"


def test_a_request_is_built_with_the_cart_of_a_shops_items() -> None:
    built = build_cart(
        currency="EUR",
        items=[Item(product_id="A", product_name="Thing", unit_amount=Decimal(10), quantity=2)],
        shipping=Shipping(name="Parcel", amount=Decimal("4.9")),
    )
    request = build(shopping_cart_details=built)
    assert request.shopping_cart_details is built
    with pytest.raises(InvalidMessage, match=r"comes to 24\.90, but amount is 24\.91"):
        build(shopping_cart_details=built, amount=Decimal("24.91"))


def test_building_reports_every_fault_at_once() -> None:
    with pytest.raises(InvalidMessage) as caught:
        build(
            merchant_id="",
            amount=Decimal("0.001"),
            client_system_transaction_id="a b",
            details={"provider_merchant_id": 5},
        )
    assert paths(caught.value) == [
        "amount",
        "clientSystemTransactionId",
        "details.providerMerchantId",
        "merchantId",
    ]


def test_the_constructor_too_refuses_an_amount_that_is_not_written_as_it_is_sent() -> None:
    with pytest.raises(ValidationError, match=r"24\.9 is to be written 24\.90"):
        CheckoutRequest(**dict(build()) | {"amount": "24.9"})
    with pytest.raises(ValidationError, match="finer"):
        CheckoutRequest(**dict(build()) | {"amount": "24.901"})


def test_a_request_cannot_be_changed_but_by_a_checked_copy() -> None:
    request = build()
    with pytest.raises(ValidationError, match="frozen"):
        request.amount = "1.00"  # type: ignore[misc]
    assert request.model_copy(update={"amount": "25"}).amount == "25.00"
    assert request.model_copy() == request
    with pytest.raises(InvalidMessage, match="comma"):
        request.model_copy(update={"amount": "25,00"})
