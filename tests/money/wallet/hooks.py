"""The shop's own functions for its button, which the settings name and a test replaces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments.wallet import (
    AuthenticationQuestion,
    SheetDiscount,
    SheetFault,
    SheetPricing,
    SheetQuestion,
    ShippingOption,
    WalletPolicy,
)

PRICING, AUTHENTICATOR, OVERRIDES = (f"{__name__}.{name}" for name in ("price", "authenticate", "override"))
FAST = ShippingOption(id="fast", label="Fast", amount=Decimal("9.00"), description="Tomorrow")


def by_country(question: SheetQuestion) -> SheetPricing:
    """Ship for 5.00, abroad for 15.00, fast for 9.00, not to Antarctica; one code takes 10.00 off."""
    country = (question.shipping_address or {}).get("countryCode", "DE")
    if country == "AQ":
        fault = SheetFault(intent="SHIPPING_ADDRESS", reason="SHIPPING_ADDRESS_UNSERVICEABLE", message="No")
        return SheetPricing(errors=(fault,))
    amount = Decimal("5.00") if country == "DE" else Decimal("15.00")
    off = [SheetDiscount(label="Ten", amount=Decimal("10.00"), code=c) for c in question.offers if c == "TEN"]
    standard = ShippingOption(id="std", label="Standard", amount=amount)
    return SheetPricing(options=(standard, FAST), discounts=off)


@dataclass
class Hooks:
    """What is called now; a test may let each of them answer anything."""

    price: Callable[[SheetQuestion], Any] = by_country
    authenticate: Callable[[AuthenticationQuestion], Any] = lambda _: None
    override: Callable[[PaymentOrder, WalletPolicy], WalletPolicy] = lambda _, usual: usual


HOOKS = Hooks()


def price(question: SheetQuestion) -> Any:  # noqa: ANN401  whatever a shop's function returns
    return HOOKS.price(question)


def authenticate(question: AuthenticationQuestion) -> Any:  # noqa: ANN401  as above
    return HOOKS.authenticate(question)


def override(order: PaymentOrder, usual: WalletPolicy) -> WalletPolicy:
    return HOOKS.override(order, usual)
