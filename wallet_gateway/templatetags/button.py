"""The data of the pay form on a shop's own page. No network, no queries, no request."""

from __future__ import annotations

from django.conf import settings
from django.forms.utils import flatatt
from django.urls import reverse
from django.utils.translation import gettext as _

from wallet_gateway.domain.policy import MOST_WALLET_DECIMALS
from wallet_gateway.domain.states import PAYABLE_STATES, OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.templatetags.assets import wallet_attributes, wallet_of


def checkout_button(order: PaymentOrder) -> dict[str, object]:
    """Return the values of the form that opens the payment page, or why it cannot be opened.

    Only posting the form calls the gateway.
    """
    state = OrderState(order.state)
    reason, icon = ("", "wallet") if order.is_payable else _closed(state)
    pay = reverse("wallet_gateway:pay", args=[order.token])
    return {
        "opens": order.is_payable,
        "action": reverse("wallet_gateway:checkout", args=[order.token]),
        "reason": reason,
        "icon": f"wallet_gateway/icons/{icon}.svg",
        "progress_url": pay if state is OrderState.PENDING else "",
    }


def wallet_button(order: PaymentOrder) -> dict[str, object] | None:
    """Return what the wallet button's script is given; None if there is no button, and only the form.

    The shop's addresses are for POST, the attributes are what our own wallet.js must know of the gateway.
    """
    too_fine = currency_exponent(order.currency) > MOST_WALLET_DECIMALS
    is_shown = order.is_payable and not order.is_wallet_closed and not too_fine
    wallet = wallet_of(order.gateway) if is_shown else None
    if wallet is None:
        return None
    return {
        **{
            name: reverse(f"wallet_gateway:wallet_{name}", args=[order.token])
            for name in ("session", "price", "reference", "result", "event")
        },
        "csrf_header": settings.CSRF_HEADER_NAME.removeprefix("HTTP_").replace("_", "-"),
        "pay_js_url": wallet.pay_js_url,
        "is_hosted": bool(wallet.wallet_js_url),
        "attributes": flatatt(wallet_attributes(order.gateway)),
    }


def _closed(state: OrderState) -> tuple[str, str]:
    if state in PAYABLE_STATES or state is OrderState.CANCELLED:
        # Its time to pay is over.
        return _("This order can no longer be paid."), "clock"
    match state:
        case OrderState.PENDING | OrderState.FROZEN:
            return _("We are checking a payment for this order. Please do not pay again."), "clock"
        case OrderState.REFUNDED:
            return _("This order was paid and has been refunded."), "refund"
        case _:
            return _("This order is already paid."), "check"
