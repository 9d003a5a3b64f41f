"""What may be captured, refunded and reversed, and what is answered beyond it."""

from __future__ import annotations

import re

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl


def test_several_captures_are_allowed_until_the_authorization_is_used_up(
    merchant: Merchant, reserved: str
) -> None:
    for amount in ("4.00", "4.00", "2.00"):
        assert merchant.capture(new_reference(), reserved, amount).status == 200
    answer = merchant.capture(new_reference(), reserved, "0.01")
    assert answer.status == 400
    assert answer.message == (
        "CaptureAmountExceeded: 0.01 EUR was asked for, 0.00 EUR of 10.00 EUR can be captured."
    )


def test_several_refunds_are_allowed_until_the_captured_sum_is_used_up(
    merchant: Merchant, reserved: str
) -> None:
    merchant.capture(new_reference(), reserved, "6.00")
    for amount in ("1.00", "4.99"):
        assert merchant.refund(new_reference(), reserved, amount).status == 200
    answer = merchant.refund(new_reference(), reserved, "0.02")
    assert (answer.status, answer.code) == (400, "4107940")
    assert re.fullmatch(r"RefundAmountExceeded\D+6\.00\D+5\.99\D+0\.01\D+0\.02", answer.message)


@pytest.mark.parametrize(
    ("first", "then", "refusal"),
    [
        ("ecom.capture", "ecom.reversalPreauthorization", "AlreadyCaptured"),
        ("ecom.reversalPreauthorization", "ecom.capture", "NothingToCapture"),
        ("ecom.reversalPreauthorization", "ecom.reversalPreauthorization", "OriginalNotApproved"),
        ("ecom.reversalPreauthorization", "ecom.refund", "RefundAmountExceeded"),
    ],
)
def test_what_was_done_before_rules_out_what_comes_after(
    merchant: Merchant, reserved: str, first: str, then: str, refusal: str
) -> None:
    reference = new_reference()
    assert merchant.follow_up(new_reference(), reserved, type=first).status == 200
    answer = merchant.follow_up(reference, reserved, type=then)
    assert 400 <= answer.status < 500
    assert answer.message.startswith(refusal)
    assert merchant.records(reference) == []


@pytest.mark.parametrize("outcome", ["pending", "refused"])
def test_only_an_approved_payment_has_follow_ups(
    merchant: Merchant, control: SandboxControl, outcome: str
) -> None:
    reference = new_reference()
    merchant.checkout(reference)
    control.complete_checkout(reference, outcome)
    answer = merchant.refund(new_reference(), reference)
    assert (answer.status, answer.message.partition(":")[0]) == (409, "OriginalNotApproved")
