"""Capture, refund and reversal, and what is answered, against the tables of the interface."""

from __future__ import annotations

import json
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
    renamed,
    without,
)
from tests.tables import every
from wallet_gateway.protocol.cart import build_cart
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.errors import InvalidMessage
from wallet_gateway.protocol.follow_ups import ApmDetails, FollowUpRequest, FollowUpResponse, FollowUpType
from wallet_gateway.protocol.money import Money

if TYPE_CHECKING:
    from collections.abc import Callable

MANDATORY = [
    "merchantId",
    "storeId",
    "userId",
    "type",
    "amount",
    "currencyCode",
    "clientSystemTransactionId",
    "clientSystemInvoiceId",
    "apmDetails",
    "apmDetails.apmProvider",
]

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


def test_a_whole_request_goes_through_unchanged() -> None:
    values = follow_up() | {"shoppingCartDetails": cart()}
    request = FollowUpRequest.from_wire(values)
    assert request.to_wire() == values
    assert json.loads(request.to_json()) == values
    assert request.money == Money.parse("10.00", "EUR")


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


@every("path", MANDATORY)
@every("absence", ["missing", "null"])
def test_a_mandatory_field_cannot_be_absent(path: str, absence: str) -> None:
    values = without(follow_up(), path) if absence == "missing" else changed(follow_up(), path, None)
    with pytest.raises(InvalidMessage, match="is missing; it is mandatory") as caught:
        FollowUpRequest.from_wire(values)
    assert paths(caught.value) == [path]


def test_an_empty_request_lacks_every_mandatory_field_at_once() -> None:
    with pytest.raises(InvalidMessage) as caught:
        FollowUpRequest.from_json(b"{}")
    assert paths(caught.value) == sorted(set(MANDATORY) - {"apmDetails.apmProvider"})


def test_the_order_number_is_optional() -> None:
    values = without(follow_up(), "providerDiscretionaryData")
    assert FollowUpRequest.from_wire(values).to_wire() == values


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


@every("word", ["", "capture", "ecom.sale", "detached.refund", "ecom.refund ", 1, None])
def test_another_type_is_refused(word: object) -> None:
    with pytest.raises(InvalidMessage) as caught:
        FollowUpRequest.from_wire(follow_up() | {"type": word})
    assert paths(caught.value) == ["type"]


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


def test_two_letter_cases_of_one_object_are_an_error_that_names_them() -> None:
    values = follow_up() | {"apmdetails": {"apmProvider": "Other"}}
    with pytest.raises(InvalidMessage, match="'apmDetails' and 'apmdetails'") as caught:
        FollowUpRequest.from_wire(values)
    assert paths(caught.value) == ["apmDetails"]


@pytest.mark.parametrize("name", ["shoppingCartDetails", "shoppingCardDetails", "ShoppingCardDetails"])
def test_both_spellings_of_the_cart_are_read(name: str) -> None:
    values = follow_up() | {name: cart()}
    assert FollowUpRequest.from_wire(values).to_wire()["shoppingCartDetails"] == cart()


def test_a_cart_must_add_up_in_itself() -> None:
    values = follow_up() | {"shoppingCartDetails": changed(cart(), "totalTaxAmount", "9.34")}
    with pytest.raises(InvalidMessage) as caught:
        FollowUpRequest.from_wire(values)
    assert paths(caught.value) == ["shoppingCartDetails.totalTaxAmount"]


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


@pytest.mark.parametrize("name", ["clientSystemTransactionId", "clientSystemInvoiceId"])
def test_both_references_we_read_may_be_any_text(name: str) -> None:
    values = follow_up() | {name: "Bestellung #7/ü"}
    assert FollowUpRequest.from_wire(values).to_wire() == values


@every("amount", ["0.00", "-5.00", "5,00", "5.001", "", True, 5.0], ids=repr)
def test_an_amount_that_is_none_is_refused(amount: object) -> None:
    with pytest.raises(InvalidMessage) as caught:
        FollowUpRequest.from_wire(follow_up() | {"amount": amount})
    assert paths(caught.value) == ["amount"]


def test_a_whole_answer_goes_through_unchanged() -> None:
    answer = FollowUpResponse.from_wire(follow_up_response())
    assert answer.to_wire() == follow_up_response()
    assert json.loads(answer.to_json()) == follow_up_response()
    assert (answer.state, answer.provider_state_code) == ("Approved", "CapturedByProvider")
    assert answer.apm_details is not None
    assert answer.apm_details.apm_payment_method == "ExampleWallet"


@pytest.mark.parametrize(
    "rename",
    [str.upper, str.lower, lambda name: name[0].upper() + name[1:]],
    ids=["upper", "lower", "pascal"],
)
def test_names_are_read_in_any_letter_case(rename: Callable[[str], str]) -> None:
    whole = follow_up() | {"shoppingCartDetails": cart()}
    assert FollowUpRequest.from_wire(renamed(whole, rename)).to_wire() == whole
    assert FollowUpResponse.from_wire(renamed(follow_up_response(), rename)).to_wire() == follow_up_response()


def test_an_answer_needs_a_state_only() -> None:
    assert FollowUpResponse.from_wire({"state": "Approved"}).to_wire() == {"state": "Approved"}
    for values in ({}, {"state": None}, {"state": ""}, follow_up_response() | {"state": None}):
        with pytest.raises(InvalidMessage, match="state: "):
            FollowUpResponse.from_wire(values)


@pytest.mark.parametrize("name", ["state", "providerStateCode", "currencyCode"])
def test_a_word_nobody_documented_is_kept_as_text(name: str) -> None:
    assert (
        FollowUpResponse.from_wire(follow_up_response() | {name: "Brand-New?"}).to_wire()[name]
        == "Brand-New?"
    )


@pytest.mark.parametrize("name", sorted(set(follow_up_response()) - {"state"}))
def test_a_field_of_an_answer_may_be_null(name: str) -> None:
    answer = FollowUpResponse.from_wire(follow_up_response() | {name: None})
    assert answer.to_wire() == without(follow_up_response(), name)


def test_the_requests_name_of_the_provider_is_read_in_an_answer() -> None:
    values: dict[str, Any] = follow_up_response() | {"apmdetails": {"apmProvider": "ExampleWalletV2"}}
    del values["apmDetails"]
    details = FollowUpResponse.from_wire(values).apm_details
    assert details is not None
    assert details.to_wire() == {"apmProviderName": "ExampleWalletV2"}


def test_unknown_fields_of_an_answer_are_left_out() -> None:
    values = follow_up_response() | {"riskScore": 7, "links": [{"href": "x"}]}
    assert FollowUpResponse.from_wire(values).to_wire() == follow_up_response()


def test_a_number_stands_for_a_text_in_an_answer_and_not_in_a_request() -> None:
    assert FollowUpResponse.from_json(b'{"state": "Approved", "id": 12345678901234567890}').id == (
        "12345678901234567890"
    )
    with pytest.raises(InvalidMessage, match="userId: '7' is a number; send text, in quotes"):
        FollowUpRequest.from_json(json.dumps(follow_up()).replace('"shop-user"', "7"))


@given(units=st.integers(min_value=1, max_value=10**14 - 1), kind=st.sampled_from(FollowUpType))
def test_what_is_written_is_read_back(units: int, kind: FollowUpType) -> None:
    request = build(amount=Money.from_minor_units(units, "JPY"), currency_code="JPY", type=kind)
    assert FollowUpRequest.from_json(request.to_json()) == request
    assert FollowUpRequest.from_wire(request.to_wire()).to_json() == request.to_json()
    assert request.money.minor_units == units
