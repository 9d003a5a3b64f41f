"""How the wallet's button looks and what its sheet asks for: the demo's panel, remembered.

A real shop decides these once and writes them into its settings; here a visitor may try them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from django.contrib.sessions.backends.base import SessionBase

from example_project.shop.models import Order
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments.wallet import WalletPolicy

SHEET_KEY = "sheet"
DECIDING = ("PAYMENT_AUTHORIZATION",)
PRICING = ("SHIPPING_ADDRESS", "SHIPPING_OPTION", "OFFER")


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetChoices:
    """What the panel offers. The defaults are what a small shop would begin with."""

    drawn_by_wallet: bool = False
    color: str = "default"
    type: str = "pay"
    locale: str = ""
    """Language of the wallet's own button; the page's if empty."""
    email: bool = False
    billing: str = ""
    """`MIN` or `FULL`; empty asks for no address."""
    shipping: bool = False
    decides_open: bool = True
    """Whether the sheet stays open while the card is charged, so that a decline leads to another card."""
    prices_open: bool = True
    """Whether shipping and codes chosen on the sheet are priced while it is open."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> SheetChoices:
        """The choices as they were stored; names of another version of the shop are left out."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in known})

    @classmethod
    def read(cls, session: SessionBase) -> SheetChoices:
        """The choices this visitor made last."""
        return cls.of(session.get(SHEET_KEY, {}))

    def save(self, session: SessionBase) -> None:
        """Remember the choices for this visitor's next order."""
        session[SHEET_KEY] = asdict(self)

    @property
    def callbacks(self) -> tuple[str, ...]:
        """What the open sheet asks us about, in the interface's words."""
        return (*DECIDING * self.decides_open, *PRICING * self.prices_open)


def for_order(paid: PaymentOrder, usual: WalletPolicy) -> WalletPolicy:
    """Say to the wallet app what was chosen for one order: `BUTTON_OVERRIDES` of the settings."""
    order = Order.objects.filter(number=paid.reference).first()
    if order is None:
        return usual
    choices = SheetChoices.of(order.sheet)
    return replace(
        usual,
        use_wallet_button=choices.drawn_by_wallet,
        button_color=choices.color,
        button_type=choices.type,
        button_locale=choices.locale,
        button_size_mode="fill",
        email_required=choices.email,
        billing_address=choices.billing,
        # Nobody asks where a download shall be sent.
        shipping_address=choices.shipping and order.is_sent,
        callbacks=choices.callbacks,
    )
