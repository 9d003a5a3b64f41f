"""Finding the payment a reference stands for, and the steps of a transaction's life."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.sandbox.models import TransactionRecord
from wallet_gateway.sandbox.payments.records import steps_of
from wallet_gateway.testing.control import SandboxControl


def test_a_follow_up_of_a_follow_up_is_refused(merchant: Merchant, reserved: str) -> None:
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


def test_the_steps_of_a_transaction_are_told_oldest_first() -> None:
    record = TransactionRecord(
        history=[
            {"at": "2030-01-01T10:00:00+00:00", "state": "Pending", "providerStateCode": "PendingAtProvider"},
            {
                "at": "2030-01-01T11:00:00+00:00",
                "state": "Approved",
                "providerStateCode": "CapturedByProvider",
            },
        ]
    )
    steps = steps_of(record)
    assert [(step.at, step.state, step.provider_state_code) for step in steps] == [
        (datetime(2030, 1, 1, 10, tzinfo=UTC), "Pending", "PendingAtProvider"),
        (datetime(2030, 1, 1, 11, tzinfo=UTC), "Approved", "CapturedByProvider"),
    ]
    assert all(step.record is record for step in steps)
