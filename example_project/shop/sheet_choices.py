"""The look of the wallet button and the fields of its sheet: the choices of the demo's panel.

A real shop decides these once in its settings; here, a visitor may try them all.
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
    """The choices of the panel. The defaults suit a small shop."""

    drawn_by_wallet: bool = True
    color: str = "default"
    type: str = "pay"
    locale: str = ""
    """Language of the wallet's own button; the page's language if empty."""
    email: bool = False
    billing: str = ""
    """`MIN` or `FULL`; empty requests no address."""
    shipping: bool = False
    decides_open: bool = True
    """Whether the sheet stays open while the card is charged, so that a decline leads to another card."""
    prices_open: bool = True
    """Whether shipping and codes chosen on the sheet are priced while it is open."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> SheetChoices:
        """Return the choices from the session; unknown names of another version of the shop are left out."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in known})

    @classmethod
    def read(cls, session: SessionBase) -> SheetChoices:
        """Return this visitor's last choices."""
        return cls.of(session.get(SHEET_KEY, {}))

    def save(self, session: SessionBase) -> None:
        """Store the choices for this visitor's next order."""
        session[SHEET_KEY] = asdict(self)

    @property
    def callbacks(self) -> tuple[str, ...]:
        """The requests that the open sheet sends to us, in the interface's words."""
        return (*DECIDING * self.decides_open, *PRICING * self.prices_open)


def for_order(paid: PaymentOrder, usual: WalletPolicy) -> WalletPolicy:
    """Return the wallet policy with the choices for one order: `BUTTON_OVERRIDES` of the settings."""
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
        # A download needs no shipping address.
        shipping_address=choices.shipping and order.is_sent,
        callbacks=choices.callbacks,
    )
