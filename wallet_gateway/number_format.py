"""Format numbers and percentages for people in the active language, always with the digits 0 to 9."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from babel import Locale
from babel.numbers import NumberPattern, parse_pattern

from wallet_gateway.locales import active_locale, applied

NUMBER: Final = re.compile(r"([#0,]++)(?:\.[#0]++)?")
"""The number in a pattern such as ``#,##0.00 ¤;-#,##0.00 ¤``."""


def format_number(number: Decimal | float, *, decimals: int = 0) -> str:
    """Return a number with grouped thousands and this many decimals: `1,234.5`, `1.234,5`, `12,34,567`."""
    locale = active_locale()
    return applied(_decimal_pattern(locale, decimals), number, locale)


def format_percent(rate: Decimal | float, *, decimals: int = 0) -> str:
    """Return a rate as a percentage with this many decimals: 0.25 is `25%` or, in German, `25 %`."""
    locale = active_locale()
    return applied(_percent_pattern(locale, decimals), rate, locale)


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
