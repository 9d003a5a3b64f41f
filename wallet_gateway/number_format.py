"""Format numbers and percentages for people in the active language, always with the digits 0 to 9."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from babel import Locale
from babel.numbers import NumberPattern, get_group_symbol, parse_pattern

from wallet_gateway.locales import active_locale

NUMBER: Final = re.compile(r"([#0,]++)(?:\.[#0]++)?")
"""The number in a pattern such as ``#,##0.00 ¤;-#,##0.00 ¤``."""
_APOSTROPHE: Final = "'"
_WHOLE: Final = re.compile("[0-9]+")


def format_number(number: Decimal | float, *, decimals: int = 0) -> str:
    """Return a number with grouped thousands and this many decimals: `1,234.5`, `1.234,5`, `12,34,567`."""
    locale = active_locale()
    return applied(_decimal_pattern(locale, decimals), number, locale)


def format_percent(rate: Decimal | float, *, decimals: int = 0) -> str:
    """Return a rate as a percentage with this many decimals: 0.25 is `25%` or, in German, `25 %`."""
    locale = active_locale()
    return applied(_percent_pattern(locale, decimals), rate, locale)


def applied(pattern: NumberPattern, number: Decimal | float, locale: Locale, **options: Any) -> str:
    """Return a number as a pattern and a locale have it.

    Switzerland's groups of three have an apostrophe between them since CLDR 48. Babel takes two of them for
    the quotes of a pattern and removes them, so they are put in here.
    """
    has_apostrophes = get_group_symbol(locale) == _APOSTROPHE
    text: str = pattern.apply(number, locale, group_separator=not has_apostrophes, **options)
    return _WHOLE.sub(_in_threes, text, count=1) if has_apostrophes else text


def _in_threes(whole: re.Match[str]) -> str:
    return f"{int(whole[0]):,}".replace(",", _APOSTROPHE)


def with_decimals(pattern: NumberPattern, decimals: int) -> NumberPattern:
    """Return a locale's pattern with exactly this many decimals."""
    fraction = "." + "0" * decimals if decimals else ""
    return parse_pattern(NUMBER.sub(rf"\g<1>{fraction}", pattern.pattern))


@lru_cache(maxsize=256)
def _decimal_pattern(locale: Locale, decimals: int) -> NumberPattern:
    return with_decimals(locale.decimal_formats[None], decimals)


@lru_cache(maxsize=256)
def _percent_pattern(locale: Locale, decimals: int) -> NumberPattern:
    return with_decimals(locale.percent_formats[None], decimals)
