"""The field for an amount of money on admin pages: shown and read in the reader's language.

People write `1,234.50`, `1.234,50`, `1 234,50` and `1'234.50`, in the digits of their script. A text is read
only if all of them read the same amount in it. Some read `1.234` and `1,234` as more than a thousand, others
as a little more than one, so these are refused, with both readings and how to write each.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from wallet_gateway.money_format import amount_form, format_money
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import InvalidAmount
from wallet_gateway.protocol.money import Money

MAX_TEXT_LENGTH = 32
ATTRIBUTES = {"inputmode": "decimal", "autocomplete": "off", "dir": "ltr", "size": 16}
"""What every input of an amount has; an amount is written from left to right in every script."""

_DECIMAL_SEPARATORS = (".", ",", "\N{ARABIC DECIMAL SEPARATOR}")
_GROUP_SEPARATORS = (".", ",", " ", "'", "\N{ARABIC THOUSANDS SEPARATOR}")
_SAME = str.maketrans(
    {
        "\N{NO-BREAK SPACE}": " ",
        "\N{NARROW NO-BREAK SPACE}": " ",
        "\N{THIN SPACE}": " ",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        # Invisible; a text copied from a page that is written from right to left has them.
        **dict.fromkeys("\u061c\u200e\u200f", ""),
    }
)


_CONVENTIONS = tuple(
    (decimal, group) for decimal, group in product(_DECIMAL_SEPARATORS, _GROUP_SEPARATORS) if decimal != group
)
_DIGITS = re.compile("[0-9]+")
_THREE_DIGITS = re.compile("[0-9]{3}")
_UP_TO_THREE_DIGITS = re.compile("[1-9][0-9]{0,2}")
_WHOLE = re.compile("0|[1-9][0-9]*")


class AmountField(forms.CharField):
    """An amount of one currency, above zero and at most `available`; `clean` returns `Money`."""

    def __init__(self, *, available: Money, left: Any, **more: Any) -> None:  # noqa: ANN401 - text, may be lazy
        widget = forms.TextInput(dict(ATTRIBUTES))
        super().__init__(label=gettext_lazy("Amount"), max_length=MAX_TEXT_LENGTH, widget=widget, **more)
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
    """Return an amount as the field shows it: `1234.50`, `1234,50`, never grouped, always readable.

    Three decimals after one to three digits could be read as thousands, so a zero follows them: `1.2340`.
    """
    wire = money.to_wire()
    forms_of_it = (
        text + zero for text in (wire.replace(".", amount_form().decimal), wire) for zero in ("", "0")
    )
    return next(text for text in forms_of_it if len(readings(text)) == 1)


def read_amount(text: str, currency: str) -> Money:
    """Return the amount that a person has written; raise `ValidationError` unless there is one reading."""
    found = sorted(readings(text), key=Decimal, reverse=True)
    if len(found) > 1:
        raise forms.ValidationError(_why_ambiguous(text, found, currency))
    if found == ["0"]:
        raise forms.ValidationError(_("The amount must be above zero."))
    try:
        return Money.parse(found[0] if found else "", currency)
    except InvalidAmount as error:
        raise forms.ValidationError(_how_to_write(currency)) from error


def readings(text: str) -> frozenset[str]:
    """Return what people of all conventions read in a text: digits, a period, no zeros at the end."""
    plain = "".join(_ascii_digits(text.strip().translate(_SAME)))
    return frozenset(filter(None, (_read_as(plain, *convention) for convention in _CONVENTIONS)))


def _read_as(text: str, decimal: str, group: str) -> str:
    """Return the number that a text means with these separators; empty if it is not a number."""
    whole, mark, fraction = text.partition(decimal)
    first, *others = whole.split(group)
    leading = _UP_TO_THREE_DIGITS if others else _WHOLE
    is_number = leading.fullmatch(first) and all(map(_THREE_DIGITS.fullmatch, others))
    if not is_number or (mark and not _DIGITS.fullmatch(fraction)):
        return ""
    digits = "".join([first, *others])
    return f"{digits}.{fraction}".rstrip("0").rstrip(".") if fraction else digits


def _ascii_digits(text: str) -> Iterator[str]:
    """Yield the characters with the digits of one script as 0 to 9; those of a second script stay foreign."""
    script = None
    for character in text:
        value = unicodedata.decimal(character, None)
        if value is None:
            yield character
            continue
        zero = ord(character) - value
        script = zero if script is None else script
        yield str(value) if zero == script else character


def _why_ambiguous(text: str, found: list[str], currency: str) -> str:
    large, small = found
    many = Money.parse(large, currency)
    words = {"text": text, "large": format_money(many), "write_large": amount_text(many)}
    try:
        few = Money.parse(small, currency)
    except InvalidAmount:
        return " ".join([_only_large(words, currency), _how_to_write(currency)])
    return _(
        "“%(text)s” can be read as %(large)s or as %(small)s. Write %(write_large)s for the first, "
        "%(write_small)s for the second."
    ) % {**words, "small": format_money(few), "write_small": amount_text(few)}


def _only_large(words: dict[str, str], currency: str) -> str:
    return _(
        "“%(text)s” can be read as %(large)s, or as an amount with three decimals, which %(currency)s does "
        "not have. If you mean %(large)s, write %(write_large)s."
    ) % {**words, "currency": currency}


def _how_to_write(currency: str) -> str:
    exponent = currency_exponent(currency)
    example = Money.from_minor_units(12 * 10**exponent + 5 * (exponent > 0), currency)
    words = {"example": amount_text(example), "currency": currency, "decimals": exponent}
    if not exponent:
        return _("Write an amount in %(currency)s, which has no decimals, like this: %(example)s.") % words
    sentence = _(
        "Write an amount in %(currency)s with at most %(decimals)d decimals, like this: %(example)s."
    )
    return sentence % words
