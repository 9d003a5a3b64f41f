"""The tags of `{% load wallet_gateway %}`.

Each reads values that only the template has and calls a plain function.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from django import template
from django.urls import get_script_prefix
from django.utils.html import format_html
from django.utils.safestring import SafeString

from wallet_gateway.formats import format_date, format_datetime, format_money
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.money import Money
from wallet_gateway.templatetags import assets, button
from wallet_gateway.templatetags.arguments import check_name, check_order, is_given

register = template.Library()

_NOTHING = format_html("{}", "")
STYLESHEETS = ("button", "pages")
SCRIPTS = ("page", "pending")


@register.simple_tag
def wallet_front_page() -> str:
    """Return the path under which the project is served: "/", or its SCRIPT_NAME."""
    return get_script_prefix()


@register.inclusion_tag("wallet_gateway/checkout_button.html")
def wallet_checkout(
    order: PaymentOrder,
    label: str = "",
    beside_wallet: bool = False,  # noqa: FBT001, FBT002 -- a template's argument
) -> dict[str, Any]:
    """Render the form that opens an order's payment page, or the reason why it cannot be paid now.

    `label` replaces "Pay with your wallet". With `beside_wallet` its words are those of a second way to pay,
    where scripts run. The page must be rendered with a request, for the CSRF token.
    If it has a content security policy, `form-action` must name the gateway: the form ends in a redirect.
    """
    check_order("wallet_checkout", order)
    return {
        "order": order,
        "button": button.checkout_button(order),
        "label": label,
        "beside_wallet": beside_wallet,
    }


@register.inclusion_tag("wallet_gateway/wallet_button.html", takes_context=True)
def wallet_button(context: template.Context, order: PaymentOrder, label: str = "") -> dict[str, Any]:
    """Render the element with the wallet button of an order, and the form beside it.

    `label` replaces "Pay with your wallet" on our own button. The page needs `{% wallet_scripts %}` and must
    be rendered with a request. Without JavaScript there is the form alone; without a wallet or the gateway's
    key it is the way to pay.
    """
    check_order("wallet_button", order)
    return {
        "order": order,
        "wallet": button.wallet_button(order),
        "label": label,
        "nonce": assets.nonce_of(context),
    }


@register.simple_tag(takes_context=True)
def wallet_scripts(context: template.Context, gateway: str = "default") -> SafeString:
    """Load what `<wallet-pay-button>` needs: its modules, and a wallet.js that the gateway hosts."""
    return assets.wallet_scripts(gateway=gateway, nonce=assets.nonce_of(context))


@register.filter
def wallet_amount(money: Money) -> SafeString:
    """Return an amount in the page's language, isolated from surrounding text of the other direction."""
    if not is_given("wallet_amount", money, Money):
        return _NOTHING
    return format_html("<bdi>{}</bdi>", format_money(money))


@register.filter
def wallet_deduction(money: Money) -> SafeString:
    """Return an amount that is taken off, with the minus sign where the page's language has it."""
    if not is_given("wallet_deduction", money, Money):
        return _NOTHING
    return format_html("<bdi>{}</bdi>", format_money(money, negative=True))


@register.filter
def wallet_date(day: date) -> SafeString:
    """Return a day in the page's language as a `time` element; of a time, its day in the active time zone."""
    if not is_given("wallet_date", day, date):
        return _NOTHING
    return format_html('<time datetime="{}"><bdi>{}</bdi></time>', day.isoformat(), format_date(day))


@register.filter
def wallet_datetime(moment: datetime) -> SafeString:
    """Return day and time in the page's language and the active time zone, as a `time` element."""
    if not is_given("wallet_datetime", moment, datetime):
        return _NOTHING
    return format_html(
        '<time datetime="{}"><bdi>{}</bdi></time>', moment.isoformat(), format_datetime(moment)
    )


@register.simple_tag(takes_context=True)
def wallet_stylesheet(context: template.Context, name: str = "button") -> SafeString:
    """Link one of our stylesheets: `button` for the pay form (the default), `pages` for the result pages."""
    check_name("wallet_stylesheet", name, STYLESHEETS)
    return assets.stylesheet(name, nonce=assets.nonce_of(context))


@register.simple_tag(takes_context=True)
def wallet_script(context: template.Context, name: str) -> SafeString:
    """Load one of our scripts."""
    check_name("wallet_script", name, SCRIPTS)
    return assets.script(name, nonce=assets.nonce_of(context))
