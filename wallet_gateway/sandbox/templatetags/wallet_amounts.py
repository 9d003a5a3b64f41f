"""Template filters for amounts, numbers and rates of protocol messages, in the language of the page."""

from __future__ import annotations

from decimal import Decimal

from babel import numbers
from django import template
from django.utils.translation import get_language

from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.pages import DEFAULT_LANGUAGE, amount_text

register = template.Library()


def _language() -> str:
    return get_language() or DEFAULT_LANGUAGE


@register.filter
def money(amount: Money) -> str:
    """Return an amount with its currency."""
    return amount_text(amount, _language())


@register.filter
def amount(wire: str, currency: str) -> str:
    """Return an amount of a message with its currency."""
    return money(Money.parse(wire, currency, allow_zero=True))


@register.filter
def negative(wire: str, currency: str) -> str:
    """Return an amount of a message, such as a discount, as a negative one."""
    return amount_text(Money.parse(wire, currency, allow_zero=True), _language(), negative=True)


@register.filter
def is_charged(wire: str | None) -> bool:
    """Tell whether an optional amount of a message is given and not zero."""
    return bool(wire) and Decimal(wire or 0) != 0


@register.filter
def whole(number: int) -> str:
    """Return a whole number with grouped thousands."""
    return numbers.format_decimal(number, locale=_language())


@register.filter
def rate(wire: str | None) -> str:
    """Return a rate as a percentage without trailing zeros: ``7,7 %`` in German; empty if it is not given."""
    if not wire:
        return ""
    share = Decimal(wire).scaleb(-2)
    return numbers.format_percent(share, locale=_language(), decimal_quantization=False)
