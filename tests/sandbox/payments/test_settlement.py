"""Deciding what is pending."""

from __future__ import annotations

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl


@pytest.fixture
def pending(merchant: Merchant, control: SandboxControl) -> str:
    reference = new_reference()
    merchant.checkout(reference)
    control.complete_checkout(reference, "pending")
    return reference


@pytest.mark.parametrize(
    ("outcome", "state"), [("success", "Approved"), ("refused", "Errored"), ("error", "Errored")]
)
def test_settling_gives_the_record_in_its_new_state(
    merchant: Merchant, control: SandboxControl, pending: str, outcome: str, state: str
) -> None:
    before = merchant.record(pending)
    record = control.settle_pending(pending, outcome)
    assert record["state"] == state
    assert record == merchant.record(pending)
    assert (record["id"], record["transactionDateTime"]) == (before["id"], before["transactionDateTime"])


@pytest.mark.parametrize(("outcome", "left"), [("success", 400), ("refused", 200)])
def test_a_pending_refund_holds_its_amount_until_it_is_decided(
    merchant: Merchant, control: SandboxControl, outcome: str, left: int
) -> None:
    sale, refund = new_reference(), new_reference()
    merchant.checkout(sale, amount="6660.02")
    control.complete_checkout(sale, "success")
    assert merchant.refund(refund, sale, "6660.02").json["state"] == "Pending"
    assert merchant.refund(new_reference(), sale, "1.00").status == 400
    control.settle_pending(refund, outcome)
    assert merchant.refund(new_reference(), sale, "1.00").status == left
