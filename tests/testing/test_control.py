"""The control interface as methods: what they send, what they give, and how they fail."""

from __future__ import annotations

import socket
from decimal import Decimal

import pytest

from tests.sandbox.conftest import MIGRATION_HEADER
from tests.sandbox.merchant import SHOP, Merchant
from wallet_gateway.testing.control import SandboxControl, SandboxRefused
from wallet_gateway.testing.sandbox import SandboxServer


@pytest.fixture
def control(wallet_sandbox_server: SandboxServer) -> SandboxControl:
    control = wallet_sandbox_server.control
    control.reset()
    return control


def test_a_whole_story_can_be_told_with_them(control: SandboxControl) -> None:
    control.add_merchant(
        merchant_id="M", store_id="S", user_id="u", provider="P", origins=("https://shop.example",)
    )
    ids = {"merchantId": "M", "storeId": "S", "userId": "u"}
    with Merchant(control.base_url, ids=ids) as merchant:
        merchant.checkout("A", checkoutDetails={"paymentMethod": "P"})
        assert control.complete_checkout("A", "pending", merchant_id="M") == f"{SHOP}?to=pending"
        assert control.settle_pending("A", "success", merchant_id="M", store_id="S")["state"] == "Approved"
        assert control.portal("A", "ecom.refund", "2.50")["transactionAmount"] == 2.5
        assert control.behaviour(numeric_amounts=True)["numericAmounts"] is True
        assert control.fault("status", "throttled", seconds=1)[0]["seconds"] == 1
        control.clear_faults()
        assert merchant.status("A").status == 200
    assert [entry["operation"] for entry in control.journal()] == ["checkout", "status"]
    assert control.advance_clock(60).endswith("+00:00")
    control.reset()
    assert control.journal() == []


@pytest.mark.parametrize(
    ("kind", "amount", "record"),
    [
        ("capture", Decimal("2.50"), ("ecom.capture", 2.5)),
        ("Capture", Decimal("1E+1"), ("ecom.capture", 10.0)),
        ("CAPTURE", 3, ("ecom.capture", 3.0)),
        ("ecom.capture", "2.50", ("ecom.capture", 2.5)),
        ("reversal", Decimal("20.00"), ("ecom.reversalPreauthorization", 20.0)),
    ],
)
def test_the_portal_takes_decimals_and_plain_words(
    control: SandboxControl, kind: str, amount: Decimal | int | str, record: tuple[str, float]
) -> None:
    with Merchant(control.base_url) as merchant:
        merchant.checkout("A", type="ecom.preAuthorization", amount="20.00")
        control.complete_checkout("A", "success")
        made = control.portal("A", kind, amount)
        assert (made["type"], made["transactionAmount"]) == record


def test_a_migration_file_can_keep_its_good_rows(control: SandboxControl) -> None:
    text = f"{MIGRATION_HEADER}\nOLD,2024-03-01T09:30:00,50.00,EUR,0.00,P\nbad\n"
    assert control.migration_file(text)["accepted"] == 0
    assert control.migration_file(text, keep_good=True, merchant_id="SANDBOX-MERCHANT")["accepted"] == 1


def test_a_refusal_says_which_call_and_why(control: SandboxControl) -> None:
    with pytest.raises(SandboxRefused) as refused:
        control.complete_checkout("nothing", "success")
    assert refused.value.status == 404
    assert "UnknownReference" in refused.value.message
    assert "POST /_sandbox/checkouts/complete was answered 404" in str(refused.value)


def test_a_proxy_of_the_environment_is_not_asked(
    control: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert control.journal() == []


def test_where_nobody_listens_the_connection_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        SandboxControl(f"http://127.0.0.1:{port}").journal()
