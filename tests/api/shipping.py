"""A shop's pricing for the tests of the sheet: two ways to ship, one code, one continent without post."""

from __future__ import annotations

from decimal import Decimal

from wallet_gateway.payments.wallet import (
    SheetDiscount,
    SheetFault,
    SheetPricing,
    SheetQuestion,
    ShippingOption,
)


def price(question: SheetQuestion) -> SheetPricing:
    """Price a sheet."""
    if (question.shipping_address or {}).get("countryCode") == "AQ":
        fault = SheetFault(
            intent="SHIPPING_ADDRESS", reason="SHIPPING_ADDRESS_UNSERVICEABLE", message="Not there"
        )
        return SheetPricing(errors=[fault])
    return SheetPricing(
        options=[
            ShippingOption(id="slow", label="Standard", amount=Decimal("0.00")),
            ShippingOption(id="fast", label="Express", amount=Decimal("4.90"), description="Tomorrow"),
        ],
        discounts=[
            SheetDiscount(label="One off", amount=Decimal("1.00"), code=code)
            for code in question.offers
            if code == "SAVE"
        ],
    )
