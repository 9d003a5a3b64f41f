"""Languages of the pages, and amounts, numbers and rates as Unicode's CLDR writes them in a language.

Babel holds CLDR's data; the texts are in ``locale``. The number of decimals of an amount is ISO 4217's, which
differs from CLDR's for some currencies. The shop formats its own amounts in the same way, with its own code.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import cache
from typing import Final

from babel import Locale
from babel.numbers import NumberPattern, get_currency_symbol, get_minus_sign_symbol, parse_pattern
from django.utils.translation.trans_real import parse_accept_lang_header

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import InvalidAmount, UnknownCode
from wallet_gateway.protocol.money import Money

LANGUAGES: Final = ("en", "de", "fr", "es", "ar")
DEFAULT_LANGUAGE: Final = "en"
RIGHT_TO_LEFT: Final = frozenset({"ar"})
# A language tag starts with its primary subtag; shops separate the rest with a hyphen or an underscore.
_PRIMARY_SUBTAG = re.compile(r"\A\s*([A-Za-z]{2,8})(?:[-_.@].*)?\s*", re.DOTALL)
# The number in a pattern such as `#,##0.00 ¤`.
_NUMBER = re.compile(r"([#0,]++)(?:\.[#0]++)?")
_SIGN_BEFORE_DIGIT = re.compile("¤(?=[#0])")
_MINUS = "\N{MINUS SIGN}"
_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


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
    """Return an amount with all decimals of its currency; the text has no breakable space."""
    pattern = _amount_pattern(language, money.currency, negative)
    text: str = pattern.apply(money.amount, language, currency=money.currency, currency_digits=False)
    return text


def price_text(price: str, currency: str, language: str) -> str:
    """Return a price as a shop's page gave it, also a negative one; unchanged if it is no amount."""
    try:
        money = Money.parse(price.removeprefix("-"), currency, allow_zero=True)
    except (InvalidAmount, UnknownCode):
        return f"{price} {currency}"
    return amount_text(money, language, negative=price.startswith("-"))


def number_text(number: Decimal | int, language: str, *, decimals: int = 0) -> str:
    """Return a number with grouped thousands and the given number of decimals."""
    text: str = _number_pattern(language, decimals).apply(number, language)
    return text


def rate_text(rate: Decimal, language: str) -> str:
    """Return a percentage without trailing zeros: ``19%`` in English, ``7,7 %`` in German."""
    plain = rate.normalize()
    decimals = max(0, -int(plain.as_tuple().exponent))
    text: str = _rate_pattern(language, decimals).apply(plain.scaleb(-2), language)
    return text


@cache
def _number_pattern(language: str, decimals: int) -> NumberPattern:
    return _with_decimals(Locale(language).decimal_formats[None], decimals)


@cache
def _rate_pattern(language: str, decimals: int) -> NumberPattern:
    return _with_decimals(Locale(language).percent_formats[None], decimals)


@cache
def _amount_pattern(language: str, currency: str, negative: bool) -> NumberPattern:  # noqa: FBT001 - cached
    standard = Locale(language).currency_formats["standard"]
    pattern, _, negative_pattern = _with_decimals(standard, currency_exponent(currency)).pattern.partition(
        ";"
    )
    if negative:
        # In Arabic, the minus carries a mark of direction.
        minus = get_minus_sign_symbol(language).replace("-", _MINUS)
        pattern = (negative_pattern or f"-{pattern}").replace("-", minus)
    # Letters such as CHF do not touch a digit; a sign such as € or US$ may. In none of the languages does
    # a sign directly follow the digits.
    if unicodedata.category(get_currency_symbol(currency, language)[-1])[0] not in "SZ":
        pattern = _SIGN_BEFORE_DIGIT.sub(f"¤{_NO_BREAK_SPACE}", pattern)
    return parse_pattern(pattern)


def _with_decimals(pattern: NumberPattern, decimals: int) -> NumberPattern:
    fraction = "." + "0" * decimals if decimals else ""
    return parse_pattern(_NUMBER.sub(rf"\g<1>{fraction}", pattern.pattern))
