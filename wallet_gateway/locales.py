"""The locale of a language, from Unicode's CLDR: how its readers write numbers, money and dates.

Babel holds the data. A language that CLDR does not know is written as its first subtag, otherwise as English,
which is also how texts without a translation appear.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from babel import Locale, UnknownLocaleError
from babel.numbers import NumberPattern, get_group_symbol
from django.utils.translation import get_language

DEFAULT_LANGUAGE: Final = "en"
_APOSTROPHE: Final = "'"
_WHOLE: Final = re.compile("[0-9]+")


def active_locale() -> Locale:
    """Return the locale of Django's active language; English while translations are off."""
    return locale_of(get_language() or DEFAULT_LANGUAGE)


@lru_cache(maxsize=256)
def locale_of(language: str) -> Locale:
    """Return the locale of a language code as Django writes it: `de`, `pt-br`, `zh-hans`."""
    for code in (language, language.partition("-")[0]):
        try:
            return Locale.parse(code, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return Locale.parse(DEFAULT_LANGUAGE)


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
