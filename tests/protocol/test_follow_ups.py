"""Capture, refund and reversal, and what is answered, against the tables of the interface."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.samples import (
    cart,
    changed,
    follow_up,
    follow_up_response,
    paths,
    without,
)
from tests.tables import every
from wallet_gateway.protocol.cart import build_cart
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.follow_ups import ApmDetails, FollowUpRequest, FollowUpResponse, FollowUpType
from wallet_gateway.protocol.money import Money

if TYPE_CHECKING:
    pass


# The letter case and the inner name of the interface's example, a JSON number for the amount.
EXAMPLE = b"""{
  "merchantId": "M-1001", "storeId": "S-1", "userId": "shop-user", "type": "ecom.capture",
  "amount": 10.00, "currencyCode": "EUR", "clientSystemTransactionId": "CAPTURE-1",
  "clientSystemInvoiceId": "ORDER-1-a7", "providerDiscretionaryData": "2024-000123",
  "apmdetails": {"apmProviderName": "ExampleWalletV2"},
  "ShoppingCartDetails": {
    "TotalTaxAmount": "1.60",
    "ItemDetails": [{"ProductId": "A", "ProductName": "Thing", "ProductType": "Physical",
      "ProductQuantity": 1, "UnitAmount": "10.00", "UnitTaxAmount": "1.60", "TaxRate": "19",
      "TotalAmount": "10.00", "TotalTaxAmount": "1.60"}],
    "ShippingDetails": {"ShippingName": "Parcel", "ShippingAmount": "1.00"},
    "DiscountDetails": [{"DiscountAmount": "1.00", "DiscountType": "storeCredit", "DiscountName": "Credit"}]
  }
}"""


def build(**changes: object) -> FollowUpRequest:
    values: dict[str, object] = {
        "merchant_id": "M-1001",
        "store_id": "S-1",
        "user_id": "shop-user",
        "type": FollowUpType.REFUND,
        "amount": Decimal("5"),
        "currency_code": "EUR",
        "client_system_transaction_id": "REFUND-1",
        "client_system_invoice_id": "ORDER-1-a7",
        "apm_details": ApmDetails.build(apm_provider="ExampleWalletV2"),
    }
    return FollowUpRequest.build(**values | changes)


def test_the_spellings_of_the_example_are_read_and_the_tables_are_sent() -> None:
    request = FollowUpRequest.from_json(EXAMPLE)
    assert request.to_wire() == follow_up() | {
        "shoppingCartDetails": {
            "totalTaxAmount": "1.60",
            "itemDetails": [
                {
                    "productId": "A",
                    "productName": "Thing",
                    "productType": "physical",
                    "productQuantity": 1,
                    "unitAmount": "10.00",
                    "unitTaxAmount": "1.60",
                    "taxRate": "19",
                    "totalAmount": "10.00",
                    "totalTaxAmount": "1.60",
                }
            ],
            "shippingDetails": {"shippingName": "Parcel", "shippingAmount": "1.00"},
            "discountDetails": [
                {"discountAmount": "1.00", "discountType": "storecredit", "discountName": "Credit"}
            ],
        }
    }


def test_a_built_request_sends_exactly_these_bytes() -> None:
    assert build().to_json() == (
        b'{"merchantId":"M-1001","storeId":"S-1","userId":"shop-user","type":"ecom.refund","amount":"5.00",'
        b'"currencyCode":"EUR","clientSystemTransactionId":"REFUND-1","clientSystemInvoiceId":"ORDER-1-a7",'
        b'"apmDetails":{"apmProvider":"ExampleWalletV2"}}'
    )


@every(
    ("word", "kind"),
    [
        ("ecom.capture", FollowUpType.CAPTURE),
        ("ECOM.CAPTURE", FollowUpType.CAPTURE),
        ("ecom.refund", FollowUpType.REFUND),
        ("Ecom.Refund", FollowUpType.REFUND),
        ("ecom.reversalPreauthorization", FollowUpType.REVERSAL_PREAUTHORIZATION),
        ("ecom.reversalPreAuthorization", FollowUpType.REVERSAL_PREAUTHORIZATION),
        ("ecom.reversalpreauthorization", FollowUpType.REVERSAL_PREAUTHORIZATION),
    ],
)
def test_a_type_is_read_in_any_case(word: str, kind: FollowUpType) -> None:
    assert FollowUpRequest.from_wire(follow_up() | {"type": word}).type is kind


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (FollowUpType.CAPTURE, "ecom.capture"),
        (FollowUpType.REFUND, "ecom.refund"),
        (FollowUpType.REVERSAL_PREAUTHORIZATION, "ecom.reversalPreauthorization"),
    ],
)
def test_a_type_is_sent_as_the_table_prints_it(kind: FollowUpType, word: str) -> None:
    assert build(type=kind).to_wire()["type"] == word


@every("name", ["apmProvider", "apmProviderName", "APMPROVIDER", "ApmProviderName"])
@every("parent", ["apmDetails", "apmdetails", "ApmDetails"])
def test_both_spellings_of_the_provider_are_read_and_one_is_sent(parent: str, name: str) -> None:
    values = without(follow_up(), "apmDetails") | {parent: {name: "ExampleWalletV2"}}
    assert FollowUpRequest.from_wire(values).to_wire() == follow_up()


def test_both_spellings_of_the_provider_at_once_are_an_error_that_names_them() -> None:
    values = changed(follow_up(), "apmDetails.apmProviderName", "ExampleWalletV2")
    with pytest.raises(InvalidMessage, match="'apmProvider' and 'apmProviderName'") as caught:
        FollowUpRequest.from_wire(values)
    assert paths(caught.value) == ["apmDetails.apmProvider"]


def test_a_cart_need_not_come_to_the_amount_for_a_part_may_be_captured() -> None:
    values = follow_up() | {"shoppingCartDetails": cart(), "amount": "1.00"}
    assert FollowUpRequest.from_wire(values).money == Money.parse("1.00", "EUR")


def test_the_cart_of_a_shops_items_goes_along() -> None:
    built = build_cart(
        currency="EUR", items=[Item(product_id="A", product_name="Thing", unit_amount=Decimal(5))]
    )
    wire = build(shopping_cart_details=built).to_wire()
    assert wire["shoppingCartDetails"]["itemDetails"][0]["totalAmount"] == "5.00"


@every("name", ["client_system_transaction_id", "client_system_invoice_id"])
@every("reference", ["a b", "ü", "x" * 65, "a\n"], ids=ascii)
def test_both_references_we_make_have_1_to_64_plain_characters(name: str, reference: str) -> None:
    with pytest.raises(InvalidMessage, match="1 to 64 of A-Z a-z 0-9 _ -"):
        build(**{name: reference})
    assert getattr(build(**{name: "x" * 64}), name) == "x" * 64


def test_the_requests_name_of_the_provider_is_read_in_an_answer() -> None:
    values: dict[str, Any] = follow_up_response() | {"apmdetails": {"apmProvider": "ExampleWalletV2"}}
    del values["apmDetails"]
    details = FollowUpResponse.from_wire(values).apm_details
    assert details is not None
    assert details.to_wire() == {"apmProviderName": "ExampleWalletV2"}


@given(units=st.integers(min_value=1, max_value=10**14 - 1), kind=st.sampled_from(FollowUpType))
def test_what_is_written_is_read_back(units: int, kind: FollowUpType) -> None:
    request = build(amount=Money.from_minor_units(units, "JPY"), currency_code="JPY", type=kind)
    assert FollowUpRequest.from_json(request.to_json()) == request
    assert FollowUpRequest.from_wire(request.to_wire()).to_json() == request.to_json()
    assert request.money.minor_units == units
