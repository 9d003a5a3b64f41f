"""A merchant's account: what it refuses to be, and what it does not show."""

from __future__ import annotations

import pytest

from wallet_gateway.client.credentials import MerchantAccount


def account(**changes: object) -> MerchantAccount:
    values = {"merchant_id": "M-1", "store_id": "S-1", "user_id": "hunter2", "provider": "ExampleWalletV2"}
    return MerchantAccount(**(values | changes))  # type: ignore[arg-type]


def test_repr_leaves_the_service_user_out() -> None:
    assert "hunter2" not in repr(account())
    assert "M-1" in repr(account())


@pytest.mark.parametrize("profile", ["live", "TEST", ""])
def test_an_unknown_profile_is_refused(profile: str) -> None:
    with pytest.raises(ValueError, match="it must be one of test, prod"):
        account(profile=profile)
