"""Amounts, numbers and dates as people read them: the texts are written by hand, for each language."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal

from django.conf.global_settings import LANGUAGES as DJANGOS_LANGUAGES
from django.utils import timezone, translation
from hypothesis import example, given
from hypothesis import strategies as st
from pytest_django import Settings

from tests.support.tables import every
from wallet_gateway.formats import (
    active_locale,
    format_amount,
    format_date,
    format_datetime,
    format_money,
    format_number,
    format_percent,
    format_short_date,
    format_short_datetime,
)
from wallet_gateway.protocol.codes import currency_exponents
from wallet_gateway.protocol.money import MAX_UNITS, Money
from wallet_gateway.sandbox.pages import LANGUAGES, amount_text

MOMENT = datetime(2026, 11, 22, 4, 52, 17, tzinfo=UTC)
N, NARROW, MINUS = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "\N{MINUS SIGN}"
LEFT_TO_RIGHT, RIGHT_TO_LEFT = "\N{LEFT-TO-RIGHT MARK}", "\N{RIGHT-TO-LEFT MARK}"
ARABIC = "\N{ARABIC DECIMAL SEPARATOR}"
BREAKS = re.compile(r"[ \t\n\r\u2000-\u2006\u2008-\u200b\u2028\u2029\u205f\u3000]")
any_language = st.sampled_from([code for code, _name in DJANGOS_LANGUAGES])
any_money = st.builds(
    Money.from_minor_units, st.integers(0, MAX_UNITS), st.sampled_from(sorted(currency_exponents()))
)
CURRENCIES = ("EUR", "USD", "JPY", "KWD", "CHF", "INR", "TND", "GBP")


@every(
    ("language", "amount", "currency", "text"),
    [
        ("en", "1234567.89", "EUR", "€1,234,567.89"),
        ("en", "999999999999.99", "EUR", "€999,999,999,999.99"),
        ("en", "1234", "JPY", "¥1,234"),
        ("en", "1234.5", "KWD", f"KWD{N}1,234.500"),
        ("en", "10", "CLF", f"CLF{N}10.0000"),
        # The decimals of ISO 4217, and not those of CLDR.
        ("en", "1.005", "IQD", f"IQD{N}1.005"),
        ("en-gb", "10", "USD", "US$10.00"),
        ("de", "1234567.89", "EUR", f"1.234.567,89{N}€"),
        ("de", "1234", "JPY", f"1.234{N}¥"),
        ("de-ch", "999.5", "CHF", f"CHF{N}999.50"),
        ("fr", "1234567.89", "EUR", f"1{NARROW}234{NARROW}567,89{N}€"),
        ("fr", "1234.5", "KWD", f"1{NARROW}234,500{N}KWD"),
        ("es", "1234567.89", "EUR", f"1.234.567,89{N}€"),
        ("ar", "1234.5", "KWD", f"{RIGHT_TO_LEFT}1,234.500{N}د.ك.{RIGHT_TO_LEFT}"),
        ("ja", "1234", "JPY", "￥1,234"),
        ("hi", "1234567.89", "INR", "₹12,34,567.89"),
        ("nl", "1234.5", "EUR", f"€{N}1.234,50"),
        ("pt-br", "1234.5", "BRL", f"R${N}1.234,50"),
        ("bn", "10", "EUR", "10.00€"),
        ("bn", "10", "CHF", f"10.00{N}CHF"),
        (None, "12.5", "EUR", "€12.50"),
        # A deduction has its minus where the language has it.
        ("en", "-1234.50", "EUR", f"{MINUS}€1,234.50"),
        ("de", "-1234.50", "EUR", f"{MINUS}1.234,50{N}€"),
        ("ar", "-1234.50", "EUR", f"{RIGHT_TO_LEFT}{LEFT_TO_RIGHT}{MINUS}1,234.50{N}€"),
        ("nl", "-1234.50", "EUR", f"€{N}{MINUS}1.234,50"),
    ],
)
def test_an_amount_is_written_as_its_language_writes_it(
    language: str | None, amount: str, currency: str, text: str
) -> None:
    money = Money(abs(Decimal(amount)), currency)
    with translation.override(language):
        assert format_money(money, negative=amount.startswith("-")) == text


@given(language=any_language, money=any_money, negative=st.booleans())
@example(language="br", money=Money(Decimal("1.00"), "USD"), negative=False)
def test_no_language_changes_a_digit_of_an_amount_or_lets_a_line_break_it(
    language: str, money: Money, negative: bool
) -> None:
    with translation.override(language):
        text, number = format_money(money, negative=negative), format_amount(money)
    assert number in text
    assert re.sub(r"[^0-9]", "", text) == str(money.amount).replace(".", "")
    # The last separator is the decimal one; nobody reads thousandths for thousands.
    decimals = len(str(money.amount).partition(".")[2])
    assert not decimals or re.search(rf"[.,{ARABIC}][0-9]{{{decimals}}}\Z", number)
    assert not BREAKS.search(text)


@every("language", LANGUAGES)
@every("currency", CURRENCIES)
@every("negative", [False, True])
def test_the_sandbox_writes_the_same_text(language: str, currency: str, negative: bool) -> None:
    with translation.override(language):
        for units in (0, 5, 123456789, MAX_UNITS):
            money = Money.from_minor_units(units, currency)
            assert amount_text(money, language, negative=negative) == format_money(money, negative=negative)


def test_the_projects_own_number_settings_do_not_change_an_amount(settings: Settings) -> None:
    settings.DECIMAL_SEPARATOR = "!"
    for settings.USE_THOUSAND_SEPARATOR in (True, False):
        with translation.override("de"):
            assert format_money(Money(Decimal("1234.50"), "EUR")) == f"1.234,50{N}€"


@every(
    ("language", "number", "decimals", "text"),
    [
        ("en", Decimal("0.5"), 2, "0.50"),
        ("en", 0, 0, "0"),
        ("de", 1234.56, 1, "1.234,6"),
        ("fr", 1234, 0, f"1{NARROW}234"),
        ("hi", 1234567, 0, "12,34,567"),
    ],
)
def test_a_number_is_grouped_and_has_these_decimals(
    language: str, number: Decimal | float, decimals: int, text: str
) -> None:
    with translation.override(language):
        assert format_number(number, decimals=decimals) == text


@every(
    ("language", "text"),
    [("en", "12.3%"), ("de", f"12,3{N}%"), ("fr", f"12,3{N}%"), ("tr", "%12,3"), ("eu", f"%{N}12,3")],
)
def test_a_rate_is_a_percentage(language: str, text: str) -> None:
    with translation.override(language):
        assert format_percent(0.1234, decimals=1) == text


@every(
    ("language", "day", "moment"),
    [
        ("en", "November 22, 2026", f"November 22, 2026, 4:52{NARROW}AM"),
        ("de", "22. November 2026", "22. November 2026, 04:52"),
        ("fr", "22 novembre 2026", "22 novembre 2026, 04:52"),
        ("es", "22 de noviembre de 2026", "22 de noviembre de 2026, 4:52"),
        ("ar", "22 نوفمبر 2026", "22 نوفمبر 2026، 4:52 ص"),
        ("ja", "2026年11月22日", "2026年11月22日 4:52"),
    ],
)
def test_a_day_and_a_moment_are_written_as_the_language_writes_them(
    language: str, day: str, moment: str
) -> None:
    with translation.override(language):
        assert format_date(date(2026, 11, 22)) == format_date(MOMENT) == day
        assert format_datetime(MOMENT).replace(N, " ") == moment


def test_a_moment_is_written_in_the_active_time_zone_and_without_one_stands_for_itself() -> None:
    late = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
    naive = datetime(2026, 11, 22, 4, 52)  # noqa: DTZ001 - what Django has without USE_TZ
    with translation.override("de"), timezone.override("Asia/Tokyo"):
        assert format_datetime(late) == "23. November 2026, 08:30"
        assert format_date(late) == "23. November 2026"
        assert format_short_datetime(naive) == "22.11.2026, 04:52"
        assert format_datetime(naive) == "22. November 2026, 04:52"


@every(
    ("language", "moment"),
    [
        ("en", f"Nov 3, 2026, 4:52:17{NARROW}AM"),
        ("en-gb", "3 Nov 2026, 04:52:17"),
        ("de", "03.11.2026, 04:52:17"),
        ("fr", "3 nov. 2026, 04:52:17"),
        ("es", "3 nov 2026, 4:52:17"),
        ("ar", "03\u200f/11\u200f/2026، 4:52:17 ص"),
    ],
)
def test_the_admin_reads_a_short_form_of_the_same(language: str, moment: str) -> None:
    third = MOMENT.replace(day=3)
    with translation.override(language):
        day = format_short_date(third)
        assert format_short_date(date(2026, 11, 3)) == day
        assert moment.startswith(day)
        assert format_short_datetime(third, seconds=True).replace(N, " ") == moment
        assert format_short_datetime(third).replace(N, " ") == moment.replace(":17", "")


@every(
    ("language", "locale"),
    [("pt-br", "pt_BR"), ("zh-hans", "zh_Hans"), ("es-xx", "es"), ("udm", "en"), (None, "en")],
)
def test_the_locale_is_that_of_the_language_of_its_first_subtag_or_english(
    language: str | None, locale: str
) -> None:
    with translation.override(language):
        assert str(active_locale()) == locale


@every("language", [code for code, _name in DJANGOS_LANGUAGES])
def test_each_language_of_django_has_a_locale_of_its_own_and_western_digits(language: str) -> None:
    with translation.override(language):
        text = format_datetime(MOMENT)
        assert active_locale().language == ("en" if language == "udm" else language.partition("-")[0])
    assert all(digits in text for digits in ("2026", "22", "52"))
