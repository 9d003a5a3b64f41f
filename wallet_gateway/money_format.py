"""Format amounts for people, in the active language.

This is the only place for it: pages and mails use ``format_money``, tables of numbers whose heading names the
currency ``format_amount``. The place of the currency, its sign, separators and grouping are those of
Unicode's CLDR. The number of decimals is ISO 4217's, which differs from CLDR's for some currencies: an amount
is never rounded. Django's own formats (``USE_THOUSAND_SEPARATOR``, ``FORMAT_MODULE_PATH``) do not change
amounts. ``str(money)`` is exact and the same in every language: logs, errors and exports use it. The sandbox
has its own function: it plays the other party and imports nothing of the merchant's.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from babel import Locale
from babel.numbers import (
    NumberPattern,
    get_currency_symbol,
    get_decimal_symbol,
    get_group_symbol,
    get_minus_sign_symbol,
    parse_pattern,
)

from wallet_gateway.locales import active_locale, applied
from wallet_gateway.number_format import NUMBER, with_decimals
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import Money

_NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"
_SIGN_BEFORE_DIGIT: Final = re.compile("¤(?=[#0])")
_SIGN_AFTER_DIGIT: Final = re.compile("(?<=0)¤")


def format_money(money: Money, *, negative: bool = False) -> str:
    """Return the amount with exactly its currency's decimals: `€1,234.50`, `1.234,50 €`, `KWD 10.000`.

    It is one word: no line break is possible inside. `negative` writes a deduction, with the minus sign
    where the language has it.
    """
    locale = active_locale()
    pattern = _money_pattern(locale, money.currency, currency_exponent(money.currency), negative)
    return applied(pattern, money.amount, locale, currency=money.currency, currency_digits=False)


def format_amount(money: Money) -> str:
    """Return the amount without its currency, for a table whose heading names it: `1,234.50`, `1.234,50`."""
    locale = active_locale()
    pattern = _amount_pattern(locale, currency_exponent(money.currency))
    return applied(pattern, money.amount, locale)


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountForm:
    """How the active language writes the digits of an amount, for what writes or reads amounts by itself."""

    decimal: str
    """The sign before the decimals."""
    group: str
    """The sign between groups of digits."""
    last_group: int
    """How many digits the group before the decimals has."""
    other_groups: int
    """How many digits each group before that one has: 2 in `12,34,567.00`."""


def amount_form() -> AmountForm:
    """Return the signs and groups that `format_amount` uses."""
    locale = active_locale()
    last_group, other_groups = _amount_pattern(locale, 2).grouping
    return AmountForm(
        decimal=get_decimal_symbol(locale),
        group=get_group_symbol(locale),
        last_group=last_group,
        other_groups=other_groups,
    )


@lru_cache(maxsize=256)
def _amount_pattern(locale: Locale, decimals: int) -> NumberPattern:
    # Some locales group amounts otherwise than numbers.
    number = NUMBER.search(locale.currency_formats["standard"].pattern)
    return with_decimals(parse_pattern(number[0] if number else "#,##0"), decimals)


@lru_cache(maxsize=1024)
def _money_pattern(
    locale: Locale,
    currency: str,
    decimals: int,
    negative: bool,  # noqa: FBT001 - cached
) -> NumberPattern:
    pattern = with_decimals(locale.currency_formats["standard"], decimals).pattern
    if negative:
        pattern = _negative(pattern, locale)
    sign = get_currency_symbol(currency, locale)
    # CLDR's spacing rule: letters such as CHF do not touch a digit, signs such as € and US$ may.
    if not _touches(sign[-1]):
        pattern = _SIGN_BEFORE_DIGIT.sub(f"¤{_NO_BREAK_SPACE}", pattern)
    if not _touches(sign[0]):
        pattern = _SIGN_AFTER_DIGIT.sub(f"{_NO_BREAK_SPACE}¤", pattern)
    return parse_pattern(pattern)


def _negative(pattern: str, locale: Locale) -> str:
    """Return the negative half of a pattern, with the locale's minus: in Arabic, it carries a direction."""
    positive, _, negative = pattern.partition(";")
    minus = get_minus_sign_symbol(locale).replace("-", "\N{MINUS SIGN}")
    return (negative or f"-{positive}").replace("-", minus)


def _touches(character: str) -> bool:
    return unicodedata.category(character)[0] in "SZ"
