"""Approving in the wallet: for which merchant, with which keys, at what time."""

from __future__ import annotations

import pytest

from tests.sandbox.wallet_buyer import Buyer
from wallet_gateway.testing.control import SandboxControl, SandboxRefused


def test_a_card_is_sealed_for_the_merchant_named(buyer: Buyer, control: SandboxControl) -> None:
    control.add_merchant(merchant_id="OTHER", store_id="S", user_id="u")
    assert buyer.create(control.wallet_payment_data()).status == 200
    assert buyer.create(control.wallet_payment_data(merchant_id="OTHER")).code == "4400013"


def test_nobody_is_no_merchant(control: SandboxControl) -> None:
    with pytest.raises(SandboxRefused) as refused:
        control.wallet_payment_data(merchant_id="nobody")
    assert refused.value.status == 403


def test_the_sandboxs_clock_decides_when_it_ends(buyer: Buyer, control: SandboxControl) -> None:
    control.advance_clock(86_400 * 300)
    later = Buyer(buyer.merchant, control)
    assert later.create(later.data()).status == 200


def test_a_reset_makes_new_keys(buyer: Buyer, control: SandboxControl) -> None:
    data = buyer.data()
    control.reset()
    later = Buyer(buyer.merchant, control)
    assert later.create(data).code == "4400010"
    assert later.create(later.data()).status == 200
