"""How often the wallet button of one order may be used. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from wallet_gateway.domain.stored_values import StoredEnum


class WalletLimit(StoredEnum):
    """What is counted for each order; what is used up closes the order's button."""

    SESSIONS = "SESSIONS"
    """Browsers that were shown the button."""
    ATTEMPTS = "ATTEMPTS"
    """Buttons shown that could be paid with, and references for another card: one payment attempt each."""
    PRICES = "PRICES"
    """Prices that an open sheet asked for."""
    DISCOUNT_CODES = "DISCOUNT_CODES"
    """Different discount codes that were tried on the sheet, right or wrong."""
    RESULTS = "RESULTS"
    """Results that were posted for an attempt without an outcome, and reports of a sheet that failed."""
    AUTHORIZATIONS = "AUTHORIZATIONS"
    """Cards that were sent to the gateway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletLimits:
    """How many of each `WalletLimit` one order may use, under the same name in lower case.

    A customer with several cards, devices and reloads stays far below the defaults.
    """

    sessions: int = 30
    """Browsers that may be shown the button."""
    attempts: int = 60
    """Buttons and references for another card."""
    prices: int = 200
    """Prices that open sheets may ask for."""
    discount_codes: int = 20
    """Different discount codes that may be tried."""
    results: int = 40
    """Results and failures that may be posted."""
    authorizations: int = 20
    """Cards that may be sent to the gateway."""

    def maximum(self, limit: WalletLimit, *, raised: int = 0) -> int:
        """Return how many are allowed in all; each time that a person has raised the limits adds as many."""
        base: int = getattr(self, limit.lower())
        return base * (1 + raised)
