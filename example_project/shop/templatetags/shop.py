"""Filters of the shop's templates: money and country names as the reader's language writes them."""

from __future__ import annotations

from decimal import Decimal

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from example_project.shop.shipping_regions import country_name
from wallet_gateway.payments import Money
from wallet_gateway.templatetags.wallet_gateway import wallet_amount

register = template.Library()


@register.filter
def money(amount: Decimal, currency: str) -> SafeString:
    """An amount in words of money, written exactly as the wallet's own pages write it."""
    return wallet_amount(Money(amount, currency))


@register.filter
def less(amount: Decimal, currency: str) -> SafeString:
    """An amount that is taken off, with a minus sign before it."""
    return format_html('<bdi class="less" dir="ltr">\u2212{}</bdi>', money(amount, currency))


@register.filter
def below_zero(amount: Decimal, currency: str) -> SafeString:
    """An amount below zero, with its minus sign where the shop's other pages have it."""
    return less(-amount, currency)


@register.filter
def country(code: str) -> str:
    """The name of a country given by its code of two or three letters."""
    return country_name(code)


@register.filter
def percent(rate: Decimal) -> str:
    """A rate without needless zeros: 19, not 19.000."""
    return f"{rate.normalize():f}"
