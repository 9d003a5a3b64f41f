"""3-D Secure on the gateway's page: every way to leave it, and what becomes of the payment."""

from __future__ import annotations

import pytest

from tests.sandbox.merchant import Merchant
from tests.sandbox.wallet_buyer import Buyer, back_at
from wallet_gateway.testing.control import SandboxControl, SandboxRefused


def test_a_plain_card_waits_for_its_customer(buyer: Buyer, merchant: Merchant) -> None:
    answer = buyer.pending("P-1")
    assert (answer.json["state"], answer.json["providerStateCode"]) == ("Pending", "PendingAtProvider")
    assert answer.json["redirectUrl"].startswith(f"{merchant.base_url}/three-d-secure/")
    assert merchant.record("P-1")["state"] == "Pending"


@pytest.mark.parametrize(
    ("outcome", "url", "state"),
    [
        ("success", back_at("success"), "Approved"),
        ("failed", back_at("refused"), "Errored"),
        ("abandoned", back_at("cancel"), "Pending"),
    ],
)
def test_each_way_out_leads_to_its_url(
    buyer: Buyer, merchant: Merchant, control: SandboxControl, outcome: str, url: str, state: str
) -> None:
    buyer.pending("P-1")
    assert control.complete_three_d_secure("P-1", outcome) == url
    assert merchant.record("P-1")["state"] == state


@pytest.mark.parametrize("abandoned", [True, False])
def test_who_does_not_come_back_has_abandoned_it(
    buyer: Buyer, merchant: Merchant, control: SandboxControl, abandoned: bool
) -> None:
    buyer.pending("P-1")
    if abandoned:
        control.complete_three_d_secure("P-1", "abandoned")
    control.advance_clock(840)
    assert merchant.record("P-1")["state"] == "Pending"
    control.advance_clock(61)
    assert merchant.record("P-1")["state"] == "Errored"
    with pytest.raises(SandboxRefused) as refused:
        control.complete_three_d_secure("P-1", "success")
    assert refused.value.status == 409


def test_the_page_is_left_once(buyer: Buyer, control: SandboxControl) -> None:
    buyer.pending("P-1")
    control.complete_three_d_secure("P-1", "success")
    with pytest.raises(SandboxRefused, match="AuthenticationUsedUp") as refused:
        control.complete_three_d_secure("P-1", "failed")
    assert refused.value.status == 409


def test_a_sale_without_a_page_is_not_found(buyer: Buyer, control: SandboxControl) -> None:
    buyer.authorize(buyer.account(), clientSystemTransactionId="PAID-1")
    for reference in ("PAID-1", "NEVER"):
        with pytest.raises(SandboxRefused) as refused:
            control.complete_three_d_secure(reference, "success")
        assert refused.value.status == 404
