"""Filters of the shop's templates: money and country names in the reader's language."""

from __future__ import annotations

from decimal import Decimal

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from example_project.shop.shipping_regions import country_name
from wallet_gateway.formats import format_money
from wallet_gateway.payments import Money
from wallet_gateway.templatetags.wallet_gateway import wallet_amount

register = template.Library()


@register.filter
def money(amount: Decimal, currency: str) -> SafeString:
    """Return an amount with its currency, formatted exactly as on the wallet's own pages."""
    return wallet_amount(Money(amount, currency))


@register.filter
def less(amount: Decimal, currency: str) -> SafeString:
    """Return an amount that is deducted, with the language's minus sign."""
    return format_html('<bdi class="less">{}</bdi>', format_money(Money(amount, currency), negative=True))


@register.filter
def below_zero(amount: Decimal, currency: str) -> SafeString:
    """Return a negative amount, with its minus sign where the shop's other pages have it."""
    return less(-amount, currency)


@register.filter
def country(code: str) -> str:
    """Return the name of a country given by its code of two or three letters."""
    return country_name(code)


@register.filter
def percent(rate: Decimal) -> str:
    """Return a rate without trailing zeros: 19, not 19.000."""
    return f"{rate.normalize():f}"
