"""The merchant's account at a gateway: values allocated at set-up. The transport signs requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MIN_REDIRECT_SECONDS, MAX_REDIRECT_SECONDS = 60, 900
PROFILES = ("test", "prod")


@dataclass(frozen=True, slots=True, kw_only=True)
class MerchantAccount:
    """One merchant's account at one gateway.

    Raises ValueError for a profile or a redirect timeout that the gateway must not be given.
    """

    merchant_id: str
    store_id: str
    user_id: str = field(repr=False)
    """Name of the service user: half of a credential, so `repr` leaves it out."""
    provider: str
    """The constant the interface writes as `<WALLET>V2`."""
    profile: str = "test"
    skin_id: str | None = None
    provider_merchant_id: str | None = None
    redirect_url_timeout: int = MAX_REDIRECT_SECONDS
    """Seconds a checkout page stays payable."""

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise ValueError(f"profile is {self.profile!r}; it must be one of {', '.join(PROFILES)}")
        # The interface allows 0, "no expiration": an order would stay payable for ever.
        if not MIN_REDIRECT_SECONDS <= self.redirect_url_timeout <= MAX_REDIRECT_SECONDS:
            raise ValueError(
                f"redirect_url_timeout is {self.redirect_url_timeout}; it must be "
                f"{MIN_REDIRECT_SECONDS} to {MAX_REDIRECT_SECONDS} seconds"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningAccount:
    """The account that a request is sent for, as a shop's own `AUTH` gets it."""

    gateway: str
    """The gateway's alias."""
    merchant: MerchantAccount
    base_url: str
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The texts of the account's setting `AUTH_SECRETS`, by name."""
