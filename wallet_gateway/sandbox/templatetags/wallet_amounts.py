"""Template filters for amounts, numbers and rates of protocol messages, in the language of the page."""

from __future__ import annotations

from decimal import Decimal

from django import template
from django.utils.translation import get_language

from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.pages import DEFAULT_LANGUAGE, amount_text, number_text, rate_text

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
    return number_text(number, _language())


@register.filter
def rate(wire: str | None) -> str:
    """Return a rate of a message as a percentage; empty if it is not given."""
    return rate_text(Decimal(wire), _language()) if wire else ""
