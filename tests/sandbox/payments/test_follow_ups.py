"""Captures, refunds, reversals, refunds of migrated deposits: their answers, and what is left after each."""

from __future__ import annotations

import re

import pytest

from tests.sandbox.conftest import MIGRATION_HEADER, Pay
from tests.sandbox.merchant import Merchant, new_reference
from tests.support.tables import every
from wallet_gateway.testing.control import SandboxControl

GOOD = "OLD-1,2024-03-01T09:30:00,50.00,EUR,0.00,P-1"
BAD = "OLD-2,yesterday,50.00,EUR,0.00,P-2"


def test_a_cart_is_checked_in_itself_and_not_against_the_amount(merchant: Merchant, sale: str) -> None:
    item = {"productId": "1", "productName": "Lamp", "productQuantity": 1, "unitAmount": "3.00"}
    right, wrong = ({"itemDetails": [item | {"totalAmount": total}]} for total in ("3.00", "2.00"))
    assert merchant.refund(new_reference(), sale, "1.00", shoppingCartDetails=right).status == 200
    answer = merchant.refund(new_reference(), sale, "1.00", shoppingCartDetails=wrong)
    assert answer.status == 400
    assert "shoppingCartDetails.itemDetails[0].totalAmount" in answer.message


def test_captures_and_refunds_are_allowed_until_the_sum_is_used_up(merchant: Merchant, reserved: str) -> None:
    for amount in ("4.00", "4.00", "2.00"):
        assert merchant.capture(new_reference(), reserved, amount).status == 200
    answer = merchant.capture(new_reference(), reserved, "0.01")
    assert answer.status == 400
    assert answer.message == (
        "CaptureAmountExceeded: 0.01 EUR was asked for, 0.00 EUR of 10.00 EUR can be captured."
    )
    for amount in ("5.00", "4.99"):
        assert merchant.refund(new_reference(), reserved, amount).status == 200
    answer = merchant.refund(new_reference(), reserved, "0.02")
    assert (answer.status, answer.code) == (400, "4107940")
    assert re.fullmatch(r"RefundAmountExceeded\D+10\.00\D+9\.99\D+0\.01\D+0\.02", answer.message)


@every(
    ("first", "then", "refusal"),
    [
        ("ecom.capture", "ecom.reversalPreauthorization", "AlreadyCaptured"),
        ("ecom.reversalPreauthorization", "ecom.capture", "NothingToCapture"),
        ("ecom.reversalPreauthorization", "ecom.reversalPreauthorization", "OriginalNotApproved"),
        ("ecom.reversalPreauthorization", "ecom.refund", "RefundAmountExceeded"),
    ],
)
def test_what_was_done_before_rules_out_what_comes_after(
    pay: Pay, merchant: Merchant, first: str, then: str, refusal: str
) -> None:
    reserved, reference = pay(type="ecom.preAuthorization"), new_reference()
    assert merchant.follow_up(new_reference(), reserved, type=first).status == 200
    answer = merchant.follow_up(reference, reserved, type=then)
    assert 400 <= answer.status < 500
    assert answer.message.startswith(refusal)
    assert merchant.records(reference) == []


def test_only_an_approved_payment_has_follow_ups_and_a_follow_up_has_none(
    pay: Pay, merchant: Merchant, reserved: str
) -> None:
    for outcome in ("pending", "refused"):
        answer = merchant.refund(new_reference(), pay(outcome))
        assert (answer.status, answer.message.partition(":")[0]) == (409, "OriginalNotApproved")
    capture = new_reference()
    merchant.capture(capture, reserved)
    assert merchant.refund(new_reference(), capture).status == 404


def test_of_two_payments_under_one_reference_the_approved_one_is_acted_on(
    merchant: Merchant, control: SandboxControl
) -> None:
    control.behaviour(duplicates="execute")
    for outcome in ("refused", "success"):
        merchant.checkout("ORDER-1")
        control.complete_checkout("ORDER-1", outcome)
    assert merchant.refund("REFUND-1", "ORDER-1").status == 200


# What is pending


@every(("outcome", "state"), [("success", "Approved"), ("refused", "Errored"), ("error", "Errored")])
def test_settling_gives_the_record_in_its_new_state(
    pay: Pay, merchant: Merchant, control: SandboxControl, outcome: str, state: str
) -> None:
    pending = pay("pending")
    before = merchant.record(pending)
    record = control.settle_pending(pending, outcome)
    assert record == merchant.record(pending) == before | {"state": state, "apmDetails": record["apmDetails"]}


@every(("outcome", "status"), [("success", 400), ("refused", 200)])
def test_a_pending_refund_holds_its_amount_until_it_is_decided(
    pay: Pay, merchant: Merchant, control: SandboxControl, outcome: str, status: int
) -> None:
    sale, refund = pay(amount="6660.02"), new_reference()
    assert merchant.refund(refund, sale, "6660.02").json["state"] == "Pending"
    assert merchant.refund(new_reference(), sale, "1.00").status == 400
    control.settle_pending(refund, outcome)
    assert merchant.refund(new_reference(), sale, "1.00").status == status


# Deposits of a migration file


def test_refunds_before_and_after_the_migration_add_up_to_the_deposit_and_no_further(
    merchant: Merchant, deposit: str
) -> None:
    answer = merchant.detached(new_reference(), deposit, "30.01")
    assert (answer.status, answer.code) == (400, "4107940")
    assert re.fullmatch(r"RefundAmountExceeded\D+50\.00\D+20\.00\D+30\.00\D+30\.01", answer.message)
    assert merchant.detached(new_reference(), deposit, "20.00").status == 200
    answer = merchant.detached(new_reference(), deposit, "10.01")
    assert re.fullmatch(r"RefundAmountExceeded\D+50\.00\D+40\.00\D+10\.00\D+10\.01", answer.message)


def test_an_errored_refund_gives_nothing_back_and_takes_nothing_from_the_deposit(
    merchant: Merchant, control: SandboxControl, deposit: str
) -> None:
    control.fault("detached_refund", "errored")
    answer = merchant.detached(new_reference(), deposit, "30.00").json
    assert (answer["state"], answer["amount"]) == ("Errored", "0.00")
    assert merchant.detached(new_reference(), deposit, "30.00").json["state"] == "Approved"


@every(("asked", "given"), [("10.00", "5.00"), ("0.03", "0.01"), ("0.01", "0.01")])
def test_a_partial_approval_counts_for_what_it_gave(
    merchant: Merchant, control: SandboxControl, deposit: str, asked: str, given: str
) -> None:
    reference = new_reference()
    control.fault("detached_refund", "partial")
    answer = merchant.detached(reference, deposit, asked).json
    assert (answer["state"], answer["amount"]) == ("Approved", given)
    assert asked in answer["responseMessage"]
    assert given in answer["responseMessage"]
    assert f'"transactionAmount":{given}'.encode() in merchant.status(reference).body


def test_a_deposit_belongs_to_the_merchant_whatever_the_store(
    merchant: Merchant, control: SandboxControl, deposit: str
) -> None:
    for owner in ("SANDBOX-MERCHANT", "OTHER"):
        control.add_merchant(merchant_id=owner, store_id="SECOND", user_id="u")
    second = {"storeId": "SECOND", "userId": "u"}
    assert merchant.detached(new_reference(), deposit, **second).status == 200
    assert merchant.detached(new_reference(), deposit, **second, merchantId="OTHER").status == 404


def file_of(*rows: str) -> str:
    return "\n".join((MIGRATION_HEADER, *rows)) + "\n"


def test_one_bad_row_keeps_all_out_unless_the_caller_says_otherwise(
    merchant: Merchant, control: SandboxControl
) -> None:
    report = control.migration_file(file_of(GOOD, BAD))
    assert (report["accepted"], [row["line"] for row in report["rejected"]]) == (0, [3])
    assert "transactionDateTime" in report["rejected"][0]["reason"]
    assert merchant.detached(new_reference(), "OLD-1").status == 404
    report = control.migration_file(file_of(BAD, GOOD), keep_good=True)
    assert (report["accepted"], [row["line"] for row in report["rejected"]]) == (1, [2])
    assert merchant.detached(new_reference(), "OLD-1").status == 200


@every(
    ("row", "reason"),
    [
        ("OLD-1,2024-03-01T09:30:00,50.00,EUR,50.01,P-1", "refundedAmount"),
        ('OLD-1,2024-03-01T09:30:00,"50,00",EUR,0.00,P-1', "amount"),
        ("OLD-1,2024-03-01T09:30:00,50.00,XYZ,0.00,P-1", "currencyCode"),
        (",2024-03-01T09:30:00,50.00,EUR,0.00,P-1", "parentTransactionId"),
        ("OLD-1,2024-03-01T09:30:00,50.00", "cells"),
    ],
)
def test_a_wrong_row_says_why(control: SandboxControl, row: str, reason: str) -> None:
    (rejected,) = control.migration_file(file_of(row))["rejected"]
    assert rejected["line"] == 2
    assert reason in rejected["reason"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"\xff\xfea", 1),
        (b"a\xe9b", 1),
        (f"{MIGRATION_HEADER}\r\n{GOOD}\r\n".encode() + b"OLD-\xe9" + GOOD[5:].encode(), 3),
    ],
    ids=["half of UTF-16", "Latin-1", "one row"],
)
def test_a_row_in_another_encoding_is_rejected_and_the_others_are_read(
    merchant: Merchant, text: bytes, line: int
) -> None:
    path = "/_sandbox/migration-file?keepGood=1"
    report = merchant.send("POST", path, text, {"Content-Type": "text/csv"}).json
    (rejected,) = report["rejected"]
    assert (report["accepted"], rejected["line"]) == (line // 3, line)
    assert "UTF-8" in rejected["reason"]


def test_a_second_file_brings_a_deposit_up_to_date(merchant: Merchant, control: SandboxControl) -> None:
    control.migration_file(file_of(GOOD))
    report = control.migration_file(file_of(GOOD.replace(",0.00,", ",45.00,")))
    assert report == {"accepted": 1, "rejected": []}
    answer = merchant.detached(new_reference(), "OLD-1", "6.00")
    assert re.fullmatch(r"RefundAmountExceeded\D+50\.00\D+45\.00\D+5\.00\D+6\.00", answer.message)


@pytest.mark.parametrize(
    "changed",
    [GOOD.replace("50.00", "9.99"), GOOD.replace("EUR", "USD")],
    ids=["less than was refunded here", "another currency"],
)
def test_a_second_file_cannot_undo_what_was_refunded(
    merchant: Merchant, control: SandboxControl, changed: str
) -> None:
    control.migration_file(file_of(GOOD))
    merchant.detached(new_reference(), "OLD-1", "10.00")
    report = control.migration_file(file_of(GOOD.replace("-1", "-2"), changed))
    assert (report["accepted"], [row["line"] for row in report["rejected"]]) == (0, [3])
