"""The locale of a language, from Unicode's CLDR: how its readers write numbers, money and dates.

Babel holds the data. A language that CLDR does not know is written as its first subtag, otherwise as English,
which is also how texts without a translation appear.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from babel import Locale, UnknownLocaleError
from django.utils.translation import get_language

DEFAULT_LANGUAGE: Final = "en"


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
