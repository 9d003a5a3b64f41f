"""What the pay form on a shop's own page needs to know of an order. No network, no queries, no request."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutButton:
    """A form that opens the payment page, or the reason why there is none."""

    opens: bool
    """Whether a customer may pay now."""
    action: str
    """Where the form posts to."""
    reason: str
    """Said in place of the form; empty when there is one."""
    icon: str
    """Template of the drawing beside the words."""


def checkout_button(order: PaymentOrder) -> CheckoutButton:
    """Return what to show of an order as its row says; the gateway is asked only when the form is posted."""
    reason, icon = ("", "wallet") if order.is_payable else _closed(OrderState(order.state))
    return CheckoutButton(
        opens=order.is_payable,
        action=reverse("wallet_gateway:checkout", args=[order.token]),
        reason=reason,
        icon=f"wallet_gateway/icons/{icon}.svg",
    )


def _closed(state: OrderState) -> tuple[str, str]:
    match state:
        case OrderState.PENDING | OrderState.FROZEN:
            return _("We are checking a payment for this order. Please do not pay again."), "clock"
        case OrderState.REFUNDED:
            return _("This order was paid and has been refunded."), "refund"
        case _:
            return _("This order is already paid."), "check"
