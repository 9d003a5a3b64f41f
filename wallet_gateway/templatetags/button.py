"""The data of the pay form on a shop's own page. No network, no queries, no request."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.forms.utils import flatatt
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from wallet_gateway.domain.policy import MOST_WALLET_DECIMALS
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.templatetags.assets import wallet_attributes, wallet_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutButton:
    """A form that opens the payment page, or the reason why it is missing."""

    opens: bool
    """Whether a customer may pay now."""
    action: str
    """Where the form posts to."""
    reason: str
    """The text in place of the form; empty if there is a form."""
    icon: str
    """Template of the icon beside the text."""
    progress_url: str = ""
    """The address with the progress of a payment under way; empty without one."""


def checkout_button(order: PaymentOrder) -> CheckoutButton:
    """Return the button data from the order's row; the gateway is called only when the form is posted."""
    state = OrderState(order.state)
    reason, icon = ("", "wallet") if order.is_payable else _closed(state)
    progress_url = reverse("wallet_gateway:pay", args=[order.token]) if state is OrderState.PENDING else ""
    return CheckoutButton(
        opens=order.is_payable,
        action=reverse("wallet_gateway:checkout", args=[order.token]),
        reason=reason,
        icon=f"wallet_gateway/icons/{icon}.svg",
        progress_url=progress_url,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletButton:
    """The parameters of the wallet button's script: the shop's addresses, each for POST."""

    session: str
    price: str
    reference: str
    result: str
    event: str
    csrf_header: str
    """The header in which the project expects the form's token."""
    pay_js_url: str
    """The wallet's own script."""
    is_hosted: bool
    """Whether wallet.js is the gateway's."""
    attributes: SafeString
    """What our wallet.js must know of the gateway, as HTML."""


def wallet_button(order: PaymentOrder) -> WalletButton | None:
    """Return the wallet button of an order; None if it cannot have one, and only the form is rendered."""
    too_fine = currency_exponent(order.currency) > MOST_WALLET_DECIMALS
    is_shown = order.is_payable and not order.is_wallet_closed and not too_fine
    wallet = wallet_of(order.gateway) if is_shown else None
    if wallet is None:
        return None
    return WalletButton(
        **{
            name: reverse(f"wallet_gateway:wallet_{name}", args=[order.token])
            for name in ("session", "price", "reference", "result", "event")
        },
        csrf_header=settings.CSRF_HEADER_NAME.removeprefix("HTTP_").replace("_", "-"),
        pay_js_url=wallet.pay_js_url,
        is_hosted=bool(wallet.wallet_js_url),
        attributes=flatatt(wallet_attributes(order.gateway)),
    )


def _closed(state: OrderState) -> tuple[str, str]:
    match state:
        case OrderState.PENDING | OrderState.FROZEN:
            return _("We are checking a payment for this order. Please do not pay again."), "clock"
        case OrderState.OPEN | OrderState.FAILED | OrderState.EXPIRED | OrderState.REVERSED:
            # Its time to pay is over.
            return _("This order can no longer be paid."), "clock"
        case OrderState.CANCELLED:
            return _("This order can no longer be paid."), "clock"
        case OrderState.REFUNDED:
            return _("This order was paid and has been refunded."), "refund"
        case _:
            return _("This order is already paid."), "check"
