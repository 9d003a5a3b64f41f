"""Languages of the pages, and amounts, numbers and rates as Unicode's CLDR writes them in a language.

Babel holds CLDR's data; the texts are in ``locale``. The number of decimals of an amount is ISO 4217's, which
differs from CLDR's for some currencies. The shop formats its own amounts in the same way, with its own code.
"""

from __future__ import annotations

import re
from copy import copy
from decimal import Decimal
from typing import Final

from babel import Locale, numbers
from django.utils.translation.trans_real import parse_accept_lang_header

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import InvalidAmount, UnknownCode
from wallet_gateway.protocol.money import Money

LANGUAGES: Final = ("en", "de", "fr", "es", "ar")
DEFAULT_LANGUAGE: Final = "en"
RIGHT_TO_LEFT: Final = frozenset({"ar"})
# A language tag starts with its primary subtag; shops separate the rest with a hyphen or an underscore.
_PRIMARY_SUBTAG = re.compile(r"\A\s*([A-Za-z]{2,8})(?:[-_.@].*)?\s*", re.DOTALL)
_LETTER_BESIDE_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


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
    amount = money.amount.copy_negate() if negative else money.amount
    pattern = _with_decimals(Locale(language).currency_formats["standard"], currency_exponent(money.currency))
    text = numbers.format_currency(amount, money.currency, pattern, language, currency_digits=False)
    # In Arabic, the minus carries a mark of direction.
    minus = numbers.get_minus_sign_symbol(language).replace("-", "\N{MINUS SIGN}")
    # Letters such as CHF do not touch a digit; a sign such as € or US$ may.
    return _LETTER_BESIDE_DIGIT.sub("\N{NO-BREAK SPACE}", text.replace("-", minus))


def price_text(price: str, currency: str, language: str) -> str:
    """Return a price as a shop's page gave it, also a negative one; unchanged if it is no amount."""
    try:
        money = Money.parse(price.removeprefix("-"), currency, allow_zero=True)
    except (InvalidAmount, UnknownCode):
        return f"{price} {currency}"
    return amount_text(money, language, negative=price.startswith("-"))


def number_text(number: Decimal | int, language: str, *, decimals: int = 0) -> str:
    """Return a number with grouped thousands and the given number of decimals."""
    pattern = _with_decimals(Locale(language).decimal_formats[None], decimals)
    return numbers.format_decimal(number, pattern, language)


def rate_text(rate: Decimal, language: str) -> str:
    """Return a percentage without trailing zeros: ``19%`` in English, ``7,7 %`` in German."""
    return numbers.format_percent(rate.scaleb(-2), locale=language, decimal_quantization=False)


def _with_decimals(pattern: numbers.NumberPattern, decimals: int) -> numbers.NumberPattern:
    exact = copy(pattern)
    exact.frac_prec = (decimals, decimals)
    return exact
