"""Refunds of another provider's deposits: golden answers, limits, and answers for less than was asked."""

from __future__ import annotations

import re

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl


def test_an_approved_refund_is_answered_as_the_interface_shows(merchant: Merchant, deposit: str) -> None:
    reference = new_reference()
    answer = merchant.detached(reference, deposit, "12.50")
    assert answer.status == 200
    assert answer.json == {
        "state": "Approved",
        "providerResponseCode": "00",
        "providerAuthorizationID": merchant.record(reference)["id"],
        "providerResponseMessage": "RefundedByProvider: 12.50 EUR of 12.50 EUR",
        "currencyCode": "EUR",
        "clientSystemTransactionId": reference,
        "responseMessage": "Approved: requested refund 12.50 EUR, actual refund 12.50 EUR.",
        "amount": "12.50",
        "apmDetails": {"apmProviderName": "ExampleWallet"},
    }


def test_what_was_refunded_before_the_migration_counts(merchant: Merchant, deposit: str) -> None:
    answer = merchant.detached(new_reference(), deposit, "30.01")
    assert (answer.status, answer.code) == (400, "4107940")
    assert re.fullmatch(r"RefundAmountExceeded\D+50\.00\D+20\.00\D+30\.00\D+30\.01", answer.message)
    assert merchant.detached(new_reference(), deposit, "30.00").status == 200


def test_refunds_add_up_to_the_deposit_and_no_further(merchant: Merchant, deposit: str) -> None:
    assert merchant.detached(new_reference(), deposit, "20.00").status == 200
    answer = merchant.detached(new_reference(), deposit, "10.01")
    assert re.fullmatch(r"RefundAmountExceeded\D+50\.00\D+40\.00\D+10\.00\D+10\.01", answer.message)


def test_an_errored_refund_gives_nothing_back_and_takes_nothing_from_the_deposit(
    merchant: Merchant, control: SandboxControl, deposit: str
) -> None:
    control.fault("detached_refund", "errored")
    answer = merchant.detached(new_reference(), deposit, "30.00")
    assert (answer.json["state"], answer.json["amount"]) == ("Errored", "0.00")
    assert merchant.detached(new_reference(), deposit, "30.00").json["state"] == "Approved"


@pytest.mark.parametrize(("asked", "given"), [("10.00", "5.00"), ("0.03", "0.01"), ("0.01", "0.01")])
def test_a_partial_approval_counts_for_what_it_gave(
    merchant: Merchant, control: SandboxControl, deposit: str, asked: str, given: str
) -> None:
    reference = new_reference()
    control.fault("detached_refund", "partial")
    answer = merchant.detached(reference, deposit, asked)
    assert (answer.json["state"], answer.json["amount"]) == ("Approved", given)
    assert asked in answer.json["responseMessage"]
    assert given in answer.json["responseMessage"]
    assert f'"transactionAmount":{given}'.encode() in merchant.status(reference).body


def test_a_deposit_belongs_to_the_merchant_whatever_the_store(
    merchant: Merchant, control: SandboxControl, deposit: str
) -> None:
    control.add_merchant(merchant_id="SANDBOX-MERCHANT", store_id="SECOND", user_id="u")
    control.add_merchant(merchant_id="OTHER", store_id="SECOND", user_id="u")
    second = {"storeId": "SECOND", "userId": "u"}
    assert merchant.detached(new_reference(), deposit, **second).status == 200
    assert merchant.detached(new_reference(), deposit, **second, merchantId="OTHER").status == 404
