"""Capture, refund, reversal and detached refund, and their answers, against the tables of the interface."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.samples import (
    cart,
    changed,
    detached_refund,
    detached_refund_response,
    follow_up,
    follow_up_response,
    paths,
    without,
)
from tests.support.tables import every
from wallet_gateway.protocol.errors import InvalidMessage, UnknownCode
from wallet_gateway.protocol.follow_ups import (
    ApmDetails,
    DetachedRefundRequest,
    DetachedRefundResponse,
    FollowUpRequest,
    FollowUpResponse,
    FollowUpType,
)
from wallet_gateway.protocol.money import Money

# The letter case and the inner name of the interface's example, a JSON number for the amount.
EXAMPLE = b"""{
  "merchantId": "M-1001", "storeId": "S-1", "userId": "shop-user", "type": "ecom.capture",
  "amount": 10.00, "currencyCode": "EUR", "clientSystemTransactionId": "CAPTURE-1",
  "clientSystemInvoiceId": "ORDER-1-a7", "providerDiscretionaryData": "2024-000123",
  "apmdetails": {"apmProviderName": "ExampleWalletV2"},
  "ShoppingCartDetails": {
    "TotalTaxAmount": "1.60",
    "ItemDetails": [{"ProductId": "A", "ProductName": "Thing", "ProductType": "Physical",
      "ProductQuantity": 1, "UnitAmount": "10.00", "TotalAmount": "10.00", "TotalTaxAmount": "1.60"}],
    "DiscountDetails": [{"DiscountAmount": "1.00", "DiscountType": "storeCredit", "DiscountName": "Credit"}]
  }
}"""


def build(**changes: object) -> FollowUpRequest:
    """Build a refund as the operations of the plugin do."""
    values: dict[str, object] = {
        "merchant_id": "M-1001",
        "store_id": "S-1",
        "user_id": "shop-user",
        "type": FollowUpType.REFUND,
        "amount": Decimal("5"),
        "currency_code": "eur",
        "client_system_transaction_id": "REFUND-1",
        "client_system_invoice_id": "ORDER-1-a7",
        "apm_details": ApmDetails.build(apm_provider="ExampleWalletV2"),
    }
    return FollowUpRequest.build(**values | changes)


def test_the_spellings_of_the_example_are_read_and_the_tables_are_sent() -> None:
    sent = FollowUpRequest.from_json(EXAMPLE).to_wire()
    basket = sent.pop("shoppingCartDetails")
    assert sent == follow_up()
    assert (basket["totalTaxAmount"], basket["itemDetails"][0]["productType"]) == ("1.60", "physical")
    assert basket["discountDetails"][0]["discountType"] == "storecredit"
    body = json.dumps(detached_refund()).replace('"7.50"', "7.50").replace("apmDetails", "apmdetails")
    request = DetachedRefundRequest.from_json(body.replace("apmProvider", "apmProviderName"))
    assert request.to_wire() == detached_refund()


def test_a_built_request_sends_exactly_these_bytes_and_references_of_plain_characters() -> None:
    assert build().to_json() == (
        b'{"merchantId":"M-1001","storeId":"S-1","userId":"shop-user","type":"ecom.refund","amount":"5.00",'
        b'"currencyCode":"EUR","clientSystemTransactionId":"REFUND-1","clientSystemInvoiceId":"ORDER-1-a7",'
        b'"apmDetails":{"apmProvider":"ExampleWalletV2"}}'
    )
    for name in ("client_system_transaction_id", "client_system_invoice_id"):
        assert getattr(build(**{name: "x" * 64}), name) == "x" * 64
        for reference in ("a b", "", "\u00e4", "a/b", "x" * 65, "a\n"):
            with pytest.raises(InvalidMessage, match="1 to 64 of A-Z a-z 0-9 _ -"):
                build(**{name: reference})


@every("name", ["apmProvider", "apmProviderName", "APMPROVIDER", "ApmProviderName"])
@every("parent", ["apmDetails", "apmdetails", "ApmDetails"])
def test_both_spellings_of_the_provider_are_read_and_one_is_sent(parent: str, name: str) -> None:
    values = without(follow_up(), "apmDetails") | {parent: {name: "ExampleWalletV2"}}
    assert FollowUpRequest.from_wire(values).to_wire() == follow_up()
    answer = FollowUpResponse.from_wire(without(follow_up_response(), "apmDetails") | {parent: {name: "X"}})
    assert answer.to_wire()["apmDetails"] == {"apmProviderName": "X"}


def test_both_spellings_of_the_provider_at_once_are_an_error_that_names_them() -> None:
    values = changed(follow_up(), "apmDetails.apmProviderName", "ExampleWalletV2")
    with pytest.raises(InvalidMessage, match="'apmProvider' and 'apmProviderName'") as caught:
        FollowUpRequest.from_wire(values)
    assert paths(caught.value) == ["apmDetails.apmProvider"]


def test_a_cart_goes_along_and_need_not_come_to_the_amount_for_a_part_may_be_captured() -> None:
    values = follow_up() | {"shoppingCartDetails": cart(), "amount": "1.00"}
    request = FollowUpRequest.from_wire(values)
    assert request.to_wire() == values
    assert request.money == Money.parse("1.00", "EUR")


@given(units=st.integers(min_value=1, max_value=10**14 - 1), kind=st.sampled_from(FollowUpType))
def test_what_is_written_is_read_back(units: int, kind: FollowUpType) -> None:
    request = build(amount=Money.from_minor_units(units, "JPY"), currency_code="JPY", type=kind)
    assert (
        FollowUpRequest.from_json(request.to_json())
        == FollowUpRequest.from_wire(request.to_wire())
        == request
    )
    assert request.money.minor_units == units


# What a detached refund is answered


@every(("amount", "written"), [("5", "5.00"), ("5.0000", "5.00"), ("0", "0.00"), ("7.49", "7.49")])
@every("form", ["{}", '"{}"'], ids=["number", "text"])
def test_the_amount_of_an_answer_is_text_or_number_and_may_be_less_than_was_asked(
    form: str, amount: str, written: str
) -> None:
    body = f'{{"state": "Approved", "currencyCode": "EUR", "amount": {form.format(amount)}}}'
    answer = DetachedRefundResponse.from_json(body)
    assert answer.amount == written
    assert answer.money == Money(Decimal(written), "EUR")


def test_an_answer_without_amount_or_currency_says_no_money() -> None:
    for name in ("amount", "currencyCode"):
        assert DetachedRefundResponse.from_wire(detached_refund_response() | {name: None}).money is None
    answer = DetachedRefundResponse.from_wire(detached_refund_response() | {"currencyCode": "ZZZ"})
    assert (answer.currency_code, answer.amount) == ("ZZZ", "5.00")
    with pytest.raises(UnknownCode, match="ZZZ"):
        answer.money  # noqa: B018


def test_an_empty_authorization_is_kept_apart_from_a_missing_one() -> None:
    answer = DetachedRefundResponse.from_wire({"state": "Approved", "providerAuthorizationId": ""})
    assert answer.provider_authorization_id == ""
    assert answer.provider_response_code is None
    assert answer.to_wire() == {"state": "Approved", "providerAuthorizationID": ""}
