"""An exchange in which nothing is made to go wrong: its answer, and the amount that makes it slow."""

from __future__ import annotations

import time

import pytest

from tests.sandbox.merchant import SHOP, Merchant, new_reference
from tests.waiting import eventually
from wallet_gateway.sandbox.api.exchange import DROPPED, SLOW_SECONDS, Reply
from wallet_gateway.sandbox.server.delivery import DeliveryMode
from wallet_gateway.testing.control import SandboxControl, SandboxRefused


def test_an_answer_is_json_and_whole_unless_said_otherwise() -> None:
    assert Reply() == Reply(status=200, body=b"", content_type="application/json", mode=DeliveryMode.WHOLE)
    assert DROPPED.mode is DeliveryMode.DROPPED


def location_of(control: SandboxControl, reference: str) -> str | None:
    """Where the customer who pays is sent, once the checkout is known."""
    try:
        return control.complete_checkout(reference, "success")
    except SandboxRefused:
        return None


def test_the_slow_amount_is_answered_long_after_it_was_processed(
    merchant: Merchant, control: SandboxControl
) -> None:
    reference = new_reference()
    with Merchant(control.base_url, timeout=0.4) as impatient, pytest.raises(TimeoutError):
        impatient.checkout(reference, amount="6660.04")
    assert eventually(lambda: location_of(control, reference) == f"{SHOP}?to=success")
    assert control.journal()[0]["status"] is None
    assert SLOW_SECONDS == 5


def test_a_refusal_of_the_slow_amount_is_not_slow(merchant: Merchant) -> None:
    started = time.monotonic()
    assert merchant.refund(new_reference(), "unknown", "6660.04").status == 404
    assert time.monotonic() - started < SLOW_SECONDS
