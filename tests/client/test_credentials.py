"""A merchant's account: what it refuses to be, and what it does not show."""

from __future__ import annotations

import dataclasses

import pytest

from wallet_gateway.client.credentials import MerchantAccount


def account(**changes: object) -> MerchantAccount:
    values = {"merchant_id": "M-1", "store_id": "S-1", "user_id": "hunter2", "provider": "ExampleWalletV2"}
    return MerchantAccount(**(values | changes))  # type: ignore[arg-type]


def test_the_optional_values_have_cautious_defaults() -> None:
    assert account() == account(
        profile="test", skin_id=None, provider_merchant_id=None, redirect_url_timeout=900
    )


def test_repr_leaves_the_service_user_out() -> None:
    assert "hunter2" not in repr(account())
    assert "M-1" in repr(account())


@pytest.mark.parametrize("profile", ["live", "TEST", ""])
def test_an_unknown_profile_is_refused(profile: str) -> None:
    with pytest.raises(ValueError, match="it must be one of test, prod"):
        account(profile=profile)


@pytest.mark.parametrize("seconds", [0, 59, 901, -1])
def test_a_page_that_stays_payable_for_ever_or_too_short_is_refused(seconds: int) -> None:
    with pytest.raises(ValueError, match=f"redirect_url_timeout is {seconds}; it must be 60 to 900 seconds"):
        account(redirect_url_timeout=seconds)


@pytest.mark.parametrize("seconds", [60, 900])
def test_the_bounds_themselves_are_allowed(seconds: int) -> None:
    assert account(redirect_url_timeout=seconds).redirect_url_timeout == seconds


def test_an_account_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        account().profile = "prod"  # type: ignore[misc]
