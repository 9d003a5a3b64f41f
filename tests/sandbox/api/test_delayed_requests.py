"""Requests that are carried out once the sandbox's clock reaches their time."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest

from tests.sandbox.merchant import Merchant, new_reference
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.sandbox import SandboxServer


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


def test_late_requests_are_carried_out_in_the_order_of_their_times(
    control: SandboxControl, merchant: Merchant, sale: str
) -> None:
    for reference, seconds in (("SECOND", 60), ("FIRST", 30)):
        send_late(merchant, control, sale, reference, seconds=seconds)
    control.advance_clock(100)
    assert merchant.record("FIRST")["state"] == "Approved"
    assert merchant.records("SECOND") == []


def test_setting_the_clock_carries_out_what_is_due_by_then(
    control: SandboxControl, merchant: Merchant, sale: str
) -> None:
    send_late(merchant, control, sale, "LATE", seconds=90)
    control.set_clock("2100-01-01T00:00Z")
    assert merchant.record("LATE")["transactionDateTime"].startswith("2100-01-01")


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


def test_real_time_makes_it_due_as_well(merchant: Merchant, control: SandboxControl, sale: str) -> None:
    send_late(merchant, control, sale, "LATE", seconds=0)
    assert merchant.record("LATE")["state"] == "Approved"


def test_its_reference_is_free_until_then_and_used_after(
    merchant: Merchant, control: SandboxControl, sale: str
) -> None:
    send_late(merchant, control, sale, "LATE", seconds=60)
    control.advance_clock(60)
    assert merchant.refund("LATE", sale, "1.00").status == 409


def test_a_reset_forgets_what_was_to_come(merchant: Merchant, control: SandboxControl, sale: str) -> None:
    send_late(merchant, control, sale, "LATE", seconds=60)
    control.reset()
    control.advance_clock(60)
    assert merchant.records("LATE") == []


def test_what_an_earlier_process_held_back_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "sandbox.sqlite3"
    with SandboxServer("--database", str(file)) as server, Merchant(server.base_url) as merchant:
        server.control.fault("checkout", "late", seconds=600)
        with pytest.raises(http.client.RemoteDisconnected):
            merchant.checkout("LATE")
    with SandboxServer("--database", str(file)) as server, Merchant(server.base_url) as merchant:
        server.control.advance_clock(600)
        assert merchant.checkout("LATE").status == 200
