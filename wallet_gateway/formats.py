"""Amounts, numbers, percentages, days and times as people read them, in the active language.

Babel writes them as Unicode's CLDR has them, always with the digits 0 to 9. Django's own formats have no
place for a currency, and in some languages no form for a day with its time; a project's settings for them
(``USE_THOUSAND_SEPARATOR``, ``FORMAT_MODULE_PATH``) change nothing here. The decimals of an amount are ISO
4217's, which differ from CLDR's for some currencies: an amount is never rounded. ``str(money)`` is the same
in every language: logs, errors and exports use it. The sandbox, the other party, has functions of its own.
"""

from __future__ import annotations

import re
from copy import copy
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from babel import Locale, UnknownLocaleError, dates, numbers
from django.utils import timezone
from django.utils.translation import get_language

from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import Money

_LETTER_BESIDE_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


def active_locale() -> Locale:
    """Return CLDR's locale of Django's active language, or of its first subtag; else English."""
    return _locale_of(get_language() or "en")


@lru_cache(maxsize=256)
def _locale_of(language: str) -> Locale:
    for code in (language, language.partition("-")[0]):
        try:
            return Locale.parse(code, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return Locale.parse("en")


def format_money(money: Money, *, negative: bool = False) -> str:
    """Return the amount with exactly its currency's decimals: `€1,234.50`, `1.234,50 €`, `KWD 10.000`.

    It is one word: no line break is possible inside. `negative` writes a deduction, with the minus sign
    where the language has it.
    """
    locale = active_locale()
    amount = money.amount.copy_negate() if negative else money.amount
    pattern = _pattern_of(money, locale)
    text = numbers.format_currency(amount, money.currency, pattern, locale, currency_digits=False)
    # In Arabic, the minus carries a mark of direction.
    minus = numbers.get_minus_sign_symbol(locale).replace("-", "\N{MINUS SIGN}")
    # CLDR's rule of spacing, which Babel leaves out: letters such as CHF do not touch a digit.
    text = _LETTER_BESIDE_DIGIT.sub("\N{NO-BREAK SPACE}", text.replace("-", minus))
    # Breton has a space in its symbol of the US dollar.
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def format_amount(money: Money) -> str:
    """Return the amount without its currency, for a table whose heading names it: `1,234.50`, `1.234,50`."""
    locale = active_locale()
    pattern = _pattern_of(money, locale)
    pattern.prefix = pattern.suffix = ("", "")
    return numbers.format_decimal(money.amount, pattern, locale)


def format_number(number: Decimal | float, *, decimals: int = 0) -> str:
    """Return a number with grouped thousands and this many decimals: `1,234.5`, `1.234,5`, `12,34,567`."""
    locale = active_locale()
    return numbers.format_decimal(number, _with_decimals(locale.decimal_formats[None], decimals), locale)


def format_percent(rate: Decimal | float, *, decimals: int = 0) -> str:
    """Return a rate as a percentage with this many decimals: 0.25 is `25%` or, in German, `25 %`."""
    locale = active_locale()
    return numbers.format_percent(rate, _with_decimals(locale.percent_formats[None], decimals), locale)


def format_date(day: date) -> str:
    """Return a day, or that of a time: `November 22, 2026`, `22. November 2026`."""
    return _format_date(day, "long")


def format_datetime(moment: datetime) -> str:
    """Return day, hour and minute of a time in the active zone: `22. November 2026, 04:52`."""
    return _format_datetime(moment, "long", "short")


def format_short_date(day: date) -> str:
    """Return a day, or that of a time, for a table: `Nov 22, 2026`, `22.11.2026`."""
    return _format_date(day, "medium")


def format_short_datetime(moment: datetime, *, seconds: bool = False) -> str:
    """Return day, hour and minute of a time for a table, with its second if asked: `22.11.2026, 04:52`."""
    return _format_datetime(moment, "medium", "medium" if seconds else "short")


def _pattern_of(money: Money, locale: Locale) -> numbers.NumberPattern:
    return _with_decimals(locale.currency_formats["standard"], currency_exponent(money.currency))


def _with_decimals(pattern: numbers.NumberPattern, decimals: int) -> numbers.NumberPattern:
    exact = copy(pattern)
    exact.frac_prec = (decimals, decimals)
    return exact


def _format_date(day: date, form: Literal["medium", "long"]) -> str:
    return dates.format_date(_local(day) if isinstance(day, datetime) else day, form, locale=active_locale())


def _format_datetime(
    moment: datetime, date_form: Literal["medium", "long"], time_form: Literal["short", "medium"]
) -> str:
    # Babel's own long form has the zone, its medium one the second.
    joint = str(dates.get_datetime_format("medium", active_locale())).replace("'", "")
    time = dates.format_time(_local(moment), time_form, locale=active_locale())
    return joint.format(time, _format_date(moment, date_form))


def _local(moment: datetime) -> datetime:
    """Return a time in the active zone; without `USE_TZ` it has none and stands for itself."""
    return timezone.localtime(moment) if timezone.is_aware(moment) else moment
