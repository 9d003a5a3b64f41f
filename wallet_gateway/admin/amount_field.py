"""The field for an amount of money on admin pages: no grouping, and a period or a comma before the decimals.

Some read `1.234` and `1,234` as more than a thousand, others as a little more than one, so these are refused,
with both readings and how to write each.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from babel.numbers import get_decimal_symbol
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.formats import active_locale, format_money
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import InvalidAmount
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import without_bidi_controls

_AMOUNT = re.compile(r"\d+(?:[.,\N{ARABIC DECIMAL SEPARATOR}]\d+)?")
_TWO_READINGS = re.compile(r"(\d{1,3})[.,](\d{3})")


class AmountField(forms.CharField):
    """An amount of one currency, above zero and at most `available`; `clean` returns `Money`."""

    def __init__(self, *, available: Money, left: Any, **more: Any) -> None:  # noqa: ANN401 - text, may be lazy
        # An amount is written from left to right in every script.
        widget = forms.TextInput({"inputmode": "decimal", "autocomplete": "off", "dir": "ltr", "size": 16})
        super().__init__(label=gettext_lazy("Amount"), max_length=32, widget=widget, **more)
        self.available, self.left = available, left
        self.error_messages["required"] = _how_to_write(available.currency)

    def clean(self, value: Any) -> Money:  # noqa: ANN401 - as Django's
        """Return the amount; raise `ValidationError` unless it is above zero and at most what there is."""
        amount = read_amount(super().clean(value), self.available.currency)
        if amount.minor_units > self.available.minor_units:
            raise forms.ValidationError(
                _("This is more than there is. %(left)s: %(available)s.")
                % {"left": self.left, "available": format_money(self.available)}
            )
        return amount

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401 - Money at first, then what was typed
        """Return the text that the field shows."""
        return amount_text(value) if isinstance(value, Money) else value


def amount_text(money: Money) -> str:
    """Return an amount as the field shows and reads it: `1234.50`, `1234,50`; of three decimals `1.2340`."""
    text = money.to_wire().replace(".", get_decimal_symbol(active_locale()))
    return f"{text}0" if _TWO_READINGS.fullmatch(text) else text


def read_amount(text: str, currency: str) -> Money:
    """Return the amount that a person has written; raise `ValidationError` unless all read the same in it."""
    plain = without_bidi_controls(text).strip()
    if (found := _TWO_READINGS.fullmatch(plain)) and int(found[1]):
        raise forms.ValidationError(_both_readings(plain, *found.groups(), currency=currency))
    try:
        if not _AMOUNT.fullmatch(plain):
            raise InvalidAmount
        amount = Money.parse(Decimal(re.sub(r"[^\d]", ".", plain)), currency, allow_zero=True)
    except InvalidAmount as error:
        raise forms.ValidationError(_how_to_write(currency)) from error
    if not amount.minor_units:
        raise forms.ValidationError(_("The amount must be above zero."))
    return amount


def _both_readings(text: str, whole: str, rest: str, *, currency: str) -> str:
    many = Money.parse(Decimal(whole + rest), currency)
    words = {"text": text, "large": format_money(many), "write_large": amount_text(many)}
    try:
        few = Money.parse(Decimal(f"{whole}.{rest}"), currency)
    except InvalidAmount:
        return _(
            "“%(text)s” can be read as %(large)s, or as an amount with three decimals, which %(currency)s "
            "does not have. If you mean %(large)s, write %(write_large)s."
        ) % {**words, "currency": currency}
    return _(
        "“%(text)s” can be read as %(large)s or as %(small)s. Write %(write_large)s for the first, "
        "%(write_small)s for the second."
    ) % {**words, "small": format_money(few), "write_small": amount_text(few)}


def _how_to_write(currency: str) -> str:
    exponent = currency_exponent(currency)
    example = amount_text(Money.from_minor_units(1234 * 10**exponent + 5 * (exponent > 0), currency))
    words = {"example": example, "currency": currency, "decimals": exponent}
    if not exponent:
        return _("Write an amount in %(currency)s, which has no decimals, like this: %(example)s.") % words
    return (
        _("Write an amount in %(currency)s with at most %(decimals)d decimals, like this: %(example)s.")
        % words
    )
