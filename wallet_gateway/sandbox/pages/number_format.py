"""Amounts, counts, rates and durations as a person reads them: pure formatting, no rounding, no words.

The separators are Django's for each language. Where a currency sign stands is a table here: Django has none.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Final

from django.utils import numberformat
from django.utils.formats import get_format

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import Money

# Only signs that mean one currency to everybody who reads them; all others are written by their code.
SIGNS: Final = {"EUR": "€", "GBP": "£", "JPY": "¥", "USD": "$"}
SIGN_FIRST: Final = frozenset({"en"})
PERCENT_CLOSED_UP: Final = frozenset({"en", "ar"})

_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"


def amount_text(money: Money, language: str, *, negative: bool = False) -> str:
    """The amount with exactly its currency's decimals, grouped and signed as the language does it."""
    number = number_text(money.amount, language, decimals=currency_exponent(money.currency))
    minus = _MINUS if negative else ""
    sign = SIGNS.get(money.currency, money.currency)
    if language not in SIGN_FIRST:
        return f"{minus}{number}{_NO_BREAK_SPACE}{sign}"
    gap = "" if money.currency in SIGNS else _NO_BREAK_SPACE
    return f"{minus}{sign}{gap}{number}"


def number_text(number: Decimal | int, language: str, *, decimals: int = 0) -> str:
    """A number with its thousands grouped, and `decimals` decimals."""
    return str(
        numberformat.format(
            number,
            str(get_format("DECIMAL_SEPARATOR", language, use_l10n=True)),
            decimal_pos=decimals,
            # Django's Arabic formats name a separator but no group size.
            grouping=get_format("NUMBER_GROUPING", language, use_l10n=True) or 3,
            thousand_sep=str(get_format("THOUSAND_SEPARATOR", language, use_l10n=True)),
            force_grouping=True,
            use_l10n=True,
        )
    )


def rate_text(rate: Decimal, language: str) -> str:
    """A percentage without idle zeros: ``19%`` in English, ``7,7 %`` in German."""
    plain = rate.normalize()
    decimals = max(0, -int(plain.as_tuple().exponent))
    gap = "" if language in PERCENT_CLOSED_UP else _NO_BREAK_SPACE
    return f"{number_text(plain, language, decimals=decimals)}{gap}%"


def duration_text(duration: timedelta) -> str:
    """Hours, minutes and seconds, the same in every language: ``0:15:00``, ``26:00:00``, ``0:00:02.5``."""
    minutes, seconds = divmod(duration, timedelta(minutes=1))
    hours, minutes = divmod(minutes, 60)
    fraction = f".{seconds.microseconds:06d}".rstrip("0") if seconds.microseconds else ""
    return f"{hours}:{minutes:02d}:{seconds.seconds:02d}{fraction}"
