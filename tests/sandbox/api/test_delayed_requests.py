"""Requests that are carried out once the sandbox's clock reaches their time."""

from __future__ import annotations

import http.client

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl


def send_late(
    merchant: Merchant, control: SandboxControl, sale: str, reference: str, *, seconds: float
) -> None:
    """Send a refund of 6.00 that is held back."""
    control.fault("refund", "late", seconds=seconds)
    with pytest.raises(http.client.RemoteDisconnected):
        merchant.refund(reference, sale, "6.00")


def test_a_late_request_has_the_time_at_which_it_was_carried_out(
    control: SandboxControl, merchant: Merchant, sale: str
) -> None:
    send_late(merchant, control, sale, "LATE", seconds=90)
    control.advance_clock(7200)
    paid, refunded = merchant.record(sale), merchant.record("LATE")
    assert refunded["transactionDateTime"][:13] != paid["transactionDateTime"][:13]


def test_a_late_request_that_has_become_wrong_is_dropped(
    control: SandboxControl, merchant: Merchant, sale: str
) -> None:
    send_late(merchant, control, sale, "LATE", seconds=90)
    merchant.refund(new_reference(), sale, "9.00")
    control.advance_clock(90)
    assert merchant.records("LATE") == []


def test_a_minute_is_what_late_means_unless_told_otherwise(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    control.fault("refund", "late")
    with pytest.raises(http.client.RemoteDisconnected):
        merchant.refund("LATE", sale, "6.00")
    control.advance_clock(20)
    assert merchant.records("LATE") == []
    control.advance_clock(40)
    assert merchant.record("LATE")["state"] == "Approved"


def test_its_reference_is_free_until_then_and_used_after(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    send_late(merchant, control, sale, "LATE", seconds=60)
    control.advance_clock(60)
    assert merchant.refund("LATE", sale, "1.00").status == 409
