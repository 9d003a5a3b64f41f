"""Checkouts: what each outcome leaves, when a link is used up, and amounts that always do the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.conftest import Pay
from tests.sandbox.merchant import SHOP, Merchant, new_reference
from tests.support.tables import every
from wallet_gateway.testing.control import SandboxControl, SandboxRefused

STATES = {
    "success": "Approved",
    "pending": "Pending",
    "refused": "Errored",
    "cancelled": "Errored",
    "error": "Errored",
}
BILLING_ADDRESS = {
    "houseNumber": "5",
    "street": "Curzon Street",
    "city": "London",
    "zipPostalCode": "W1J 5HE",
    "countryCode": "GBR",
}


@every("outcome", STATES)
@every("type_", ["ecom.sale", "ecom.preAuthorization"])
def test_an_outcome_leaves_one_record_in_its_state_and_uses_the_link_up(
    pay: Pay, merchant: Merchant, control: SandboxControl, outcome: str, type_: str
) -> None:
    reference = pay(outcome, type=type_)
    record = merchant.record(reference)
    assert (record["state"], record["type"]) == (STATES[outcome], type_)
    for second in ("success", "return"):
        with pytest.raises(SandboxRefused, match="CheckoutUsedUp") as refused:
            control.complete_checkout(reference, second)
        assert refused.value.status == 409
    assert merchant.records(reference) == [record]


@every("first", ["refused", "error"])
@every(("second", "state"), [("success", "Approved"), ("pending", "Pending")])
def test_where_another_card_may_be_tried_each_try_is_a_record_and_the_page_stays_payable(
    pay: Pay, merchant: Merchant, control: SandboxControl, first: str, second: str, state: str
) -> None:
    control.behaviour(another_card=True)
    reference = pay(first)
    control.complete_checkout(reference, "refused")
    control.complete_checkout(reference, second)
    assert [record["state"] for record in merchant.records(reference)] == ["Errored", "Errored", state]
    with pytest.raises(SandboxRefused, match="CheckoutUsedUp"):
        control.complete_checkout(reference, "success")


@every(
    ("timeout", "lives"), [({"redirectUrlTimeout": 60}, 60), ({"redirectUrlTimeout": 900}, 900), ({}, 900)]
)
def test_a_link_works_until_its_time_is_over(
    merchant: Merchant, control: SandboxControl, timeout: dict[str, int], lives: int
) -> None:
    late, early = new_reference(), new_reference()
    details = {"paymentMethod": "ExampleWalletV2"} | timeout
    merchant.checkout(early, checkoutDetails=details)
    merchant.checkout(late, checkoutDetails=details)
    control.advance_clock(lives - 5)
    control.complete_checkout(early, "success")
    control.advance_clock(5)
    with pytest.raises(SandboxRefused, match="CheckoutExpired"):
        control.complete_checkout(late, "success")
    assert merchant.records(late) == []


@every(
    ("amount", "currency", "to", "state"),
    [
        ("6660.01", "EUR", "refused", "Errored"),
        ("6660.02", "USD", "pending", "Pending"),
        ("6660.030", "KWD", "error", "Errored"),
        ("6660.05", "EUR", "success", "Approved"),
        ("66.60", "EUR", "success", "Approved"),
        ("666001", "JPY", "success", "Approved"),
        ("6660", "JPY", "success", "Approved"),
    ],
)
def test_a_special_amount_on_the_page_does_what_it_always_does(
    merchant: Merchant, amount: str, currency: str, to: str, state: str
) -> None:
    reference = new_reference()
    link = merchant.checkout(reference, amount=amount, currencyCode=currency).json["redirectUrl"]
    assert merchant.press(link, "success") == f"{SHOP}?to={to}"
    assert merchant.record(reference)["state"] == state


@every(
    ("amount", "state", "provider_state"),
    [
        ("6660.01", "Errored", "RefusedByProvider"),
        ("6660.02", "Pending", "PendingAtProvider"),
        ("6660.03", "Errored", "FailedAtProvider"),
    ],
)
def test_a_refund_of_a_special_amount_does_it_too_and_control_calls_ignore_it(
    pay: Pay, merchant: Merchant, control: SandboxControl, amount: str, state: str, provider_state: str
) -> None:
    answer = merchant.refund(new_reference(), pay(amount="9000.00"), amount).json
    assert (answer["state"], answer["providerStateCode"]) == (state, provider_state)
    reference = new_reference()
    merchant.checkout(reference, amount=amount)
    assert control.complete_checkout(reference, "success") == f"{SHOP}?to=success"
    assert control.portal(reference, "ecom.refund", amount)["state"] == "Approved"


@every("given", [{}, {"addressDetails": {}}, {"addressDetails": {"shippingAddress": {"city": "London"}}}])
def test_where_it_is_demanded_a_checkout_without_a_billing_address_breaks_the_schema(
    merchant: Merchant, control: SandboxControl, given: dict[str, Any]
) -> None:
    control.behaviour(billing_address="required")
    answer = merchant.checkout(new_reference(), **given)
    assert (answer.status, answer.code) == (400, "4107940")
    for name in BILLING_ADDRESS:
        assert f"addressDetails.billingAddress.{name}: is missing" in answer.message
    assert "billingAddress.state" not in answer.message
    whole = {"addressDetails": {"billingAddress": BILLING_ADDRESS}}
    assert merchant.checkout(new_reference(), **whole).status == 200
