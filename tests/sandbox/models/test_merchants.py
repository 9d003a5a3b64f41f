"""A merchant's store is known by two names."""

from __future__ import annotations

from wallet_gateway.sandbox.models import Merchant


def test_a_store_is_named_with_its_merchant() -> None:
    assert str(Merchant(merchant_id="M", store_id="S")) == "M / S"


def test_a_store_has_no_origins_until_it_registers_them() -> None:
    assert Merchant(merchant_id="M", store_id="S").origins == []
