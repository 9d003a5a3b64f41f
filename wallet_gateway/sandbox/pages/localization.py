"""Languages of the pages, and amounts, counts and rates formatted for a language.

The texts are in ``locale``. The separators are Django's; the position of a currency sign is defined here,
because Django has no such format.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from django.utils import numberformat
from django.utils.formats import get_format
from django.utils.translation.trans_real import parse_accept_lang_header

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import Money

LANGUAGES: Final = ("en", "de", "fr", "es", "ar")
DEFAULT_LANGUAGE: Final = "en"
RIGHT_TO_LEFT: Final = frozenset({"ar"})
# A language tag starts with its primary subtag; shops separate the rest with a hyphen or an underscore.
_PRIMARY_SUBTAG = re.compile(r"\A\s*([A-Za-z]{2,8})(?:[-_.@].*)?\s*", re.DOTALL)
# Only unambiguous signs; every other currency is written by its code.
CURRENCY_SIGNS: Final = {"EUR": "€", "GBP": "£", "JPY": "¥", "USD": "$"}
SIGN_FIRST: Final = frozenset({"en"})
PERCENT_CLOSED_UP: Final = frozenset({"en", "ar"})
_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"


def page_language(requested: str | None) -> str:
    """Return the page's language for a checkout's ``language``: ``de`` for ``de-DE``; English if unknown."""
    match = _PRIMARY_SUBTAG.fullmatch(requested or "")
    primary = match[1].lower() if match else ""
    return primary if primary in LANGUAGES else DEFAULT_LANGUAGE


def browser_language(accept_language: str) -> str:
    """Return the first supported language of an ``Accept-Language`` header; English without one."""
    for tag, _quality in parse_accept_lang_header(accept_language):
        primary = tag.split("-")[0]
        if primary in LANGUAGES:
            return primary
    return DEFAULT_LANGUAGE


def direction(language: str) -> str:
    """Return the writing direction of a language as a value of the `dir` attribute."""
    return "rtl" if language in RIGHT_TO_LEFT else "ltr"


def amount_text(money: Money, language: str, *, negative: bool = False) -> str:
    """Return an amount with all decimals of its currency, grouped and placed as in the language."""
    number = number_text(money.amount, language, decimals=currency_exponent(money.currency))
    minus = _MINUS if negative else ""
    sign = CURRENCY_SIGNS.get(money.currency, money.currency)
    if language not in SIGN_FIRST:
        return f"{minus}{number}{_NO_BREAK_SPACE}{sign}"
    gap = "" if money.currency in CURRENCY_SIGNS else _NO_BREAK_SPACE
    return f"{minus}{sign}{gap}{number}"


def number_text(number: Decimal | int, language: str, *, decimals: int = 0) -> str:
    """Return a number with grouped thousands and the given number of decimals."""
    return str(
        numberformat.format(
            number,
            str(get_format("DECIMAL_SEPARATOR", language, use_l10n=True)),
            decimal_pos=decimals,
            # Django's Arabic formats define a separator but no group size.
            grouping=get_format("NUMBER_GROUPING", language, use_l10n=True) or 3,
            thousand_sep=str(get_format("THOUSAND_SEPARATOR", language, use_l10n=True)),
            force_grouping=True,
            use_l10n=True,
        )
    )


def rate_text(rate: Decimal, language: str) -> str:
    """Return a percentage without trailing zeros: ``19%`` in English, ``7,7 %`` in German."""
    plain = rate.normalize()
    decimals = max(0, -int(plain.as_tuple().exponent))
    gap = "" if language in PERCENT_CLOSED_UP else _NO_BREAK_SPACE
    return f"{number_text(plain, language, decimals=decimals)}{gap}%"
