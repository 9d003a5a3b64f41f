"""Whose reference is meant, where several merchants use it."""

from __future__ import annotations

import pytest

from tests.sandbox.merchant import Merchant
from wallet_gateway.testing.control import SandboxControl, SandboxRefused

OTHER = {"merchantId": "OTHER", "storeId": "S", "userId": "u"}


@pytest.fixture
def twice(merchant: Merchant, control: SandboxControl) -> str:
    """One reference that two merchants opened a checkout under."""
    control.add_merchant(merchant_id="OTHER", store_id="S", user_id="u")
    merchant.checkout("ORDER-1")
    merchant.checkout("ORDER-1", **OTHER)
    return "ORDER-1"


def test_a_reference_of_two_merchants_is_ambiguous(control: SandboxControl, twice: str) -> None:
    with pytest.raises(SandboxRefused, match="AmbiguousReference") as refused:
        control.complete_checkout(twice, "success")
    assert refused.value.status == 409


def test_naming_the_merchant_settles_it(merchant: Merchant, control: SandboxControl, twice: str) -> None:
    control.complete_checkout(twice, "pending", merchant_id="OTHER", store_id="S")
    assert merchant.records(twice) == []
    control.complete_checkout(twice, "success", merchant_id="SANDBOX-MERCHANT")
    assert merchant.record(twice)["state"] == "Approved"
    assert control.settle_pending(twice, "success", merchant_id="OTHER")["state"] == "Approved"
    control.portal(twice, "ecom.refund", "3.00", merchant_id="OTHER")
    assert len(merchant.records(twice)) == 1


def test_a_merchant_that_does_not_use_it_does_not_help(control: SandboxControl, twice: str) -> None:
    with pytest.raises(SandboxRefused, match="UnknownReference"):
        control.complete_checkout(twice, "success", store_id="ELSEWHERE")


def test_an_unknown_reference_is_said_to_be_unknown(control: SandboxControl) -> None:
    with pytest.raises(SandboxRefused, match="UnknownReference"):
        control.complete_checkout("never-heard-of", "success")


def test_of_two_checkouts_under_one_reference_the_undecided_one_is_meant(
    merchant: Merchant, control: SandboxControl
) -> None:
    control.behaviour(duplicates="execute")
    merchant.checkout("ORDER-1")
    merchant.checkout("ORDER-1")
    control.complete_checkout("ORDER-1", "refused")
    control.complete_checkout("ORDER-1", "success")
    with pytest.raises(SandboxRefused, match="CheckoutUsedUp"):
        control.complete_checkout("ORDER-1", "success")
    assert [record["state"] for record in merchant.records("ORDER-1")] == ["Errored", "Approved"]
