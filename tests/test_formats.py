"""Amounts, numbers and dates as people read them: the texts are written by hand, for each language."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.conf.global_settings import LANGUAGES as DJANGOS_LANGUAGES
from django.utils import timezone, translation
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from tests.tables import every
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
from wallet_gateway.sandbox.pages.localization import LANGUAGES, amount_text

MOMENT = datetime(2026, 11, 22, 4, 52, 17, tzinfo=UTC)
N = "\N{NO-BREAK SPACE}"
NARROW = "\N{NARROW NO-BREAK SPACE}"
LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"
RIGHT_TO_LEFT = "\N{RIGHT-TO-LEFT MARK}"
ARABIC = "\N{ARABIC DECIMAL SEPARATOR}"
MINUS = "\N{MINUS SIGN}"
CURRENCIES = ("EUR", "USD", "JPY", "KWD", "CHF", "INR", "TND", "GBP")
BREAKS = re.compile(r"[ \t\n\r\u2000-\u2006\u2008-\u200b\u2028\u2029\u205f\u3000]")

any_language = st.sampled_from([code for code, _name in DJANGOS_LANGUAGES])
any_money = st.builds(
    Money.from_minor_units, st.integers(0, MAX_UNITS), st.sampled_from(sorted(currency_exponents()))
)


@every(
    ("language", "amount", "currency", "text"),
    [
        ("en", "10.00", "EUR", "€10.00"),
        ("en", "1234567.89", "EUR", "€1,234,567.89"),
        ("en", "1234", "JPY", "¥1,234"),
        ("en", "1234.5", "KWD", f"KWD{N}1,234.500"),
        ("en", "0.05", "GBP", "£0.05"),
        ("en", "10", "USD", "$10.00"),
        ("en", "10", "CHF", f"CHF{N}10.00"),
        ("en", "10", "CLF", f"CLF{N}10.0000"),
        ("en-gb", "10", "USD", "US$10.00"),
        ("de", "1234567.89", "EUR", f"1.234.567,89{N}€"),
        ("de", "1234", "JPY", f"1.234{N}¥"),
        ("de", "1234.5", "KWD", f"1.234,500{N}KWD"),
        ("de-ch", "999.5", "CHF", f"CHF{N}999.50"),
        ("fr", "1234567.89", "EUR", f"1{NARROW}234{NARROW}567,89{N}€"),
        ("fr", "10", "USD", f"10,00{N}$US"),
        ("fr", "1234.5", "KWD", f"1{NARROW}234,500{N}KWD"),
        ("es", "1234567.89", "EUR", f"1.234.567,89{N}€"),
        ("ar", "1234567.89", "EUR", f"{RIGHT_TO_LEFT}1,234,567.89{N}€"),
        ("ar", "1234.5", "KWD", f"{RIGHT_TO_LEFT}1,234.500{N}د.ك.{RIGHT_TO_LEFT}"),
        ("ja", "1234", "JPY", "￥1,234"),
        ("hi", "1234567.89", "INR", "₹12,34,567.89"),
        ("nl", "1234.5", "EUR", f"€{N}1.234,50"),
        ("pt-br", "1234.5", "BRL", f"R${N}1.234,50"),
        ("zh-hans", "1234.5", "CNY", "¥1,234.50"),
        ("bn", "10", "EUR", "10.00€"),
        ("bn", "10", "CHF", f"10.00{N}CHF"),
    ],
)
def test_an_amount_is_written_as_its_language_writes_it(
    language: str, amount: str, currency: str, text: str
) -> None:
    with translation.override(language):
        assert format_money(Money(Decimal(amount), currency)) == text


@every(
    ("language", "text"),
    [
        ("en", f"{MINUS}€1,234.50"),
        ("de", f"{MINUS}1.234,50{N}€"),
        ("ar", f"{RIGHT_TO_LEFT}{LEFT_TO_RIGHT}{MINUS}1,234.50{N}€"),
        ("nl", f"€{N}{MINUS}1.234,50"),
    ],
)
def test_a_deduction_has_its_minus_where_the_language_has_it(language: str, text: str) -> None:
    with translation.override(language):
        assert format_money(Money(Decimal("1234.50"), "EUR"), negative=True) == text


@given(language=any_language, money=any_money, negative=st.booleans())
def test_no_language_changes_a_digit_of_an_amount(language: str, money: Money, negative: bool) -> None:
    with translation.override(language):
        text, number = format_money(money, negative=negative), format_amount(money)
    assert number in text
    assert re.sub(r"[^0-9]", "", text) == str(money.amount).replace(".", "")
    # The last separator is the decimal one; nobody reads thousandths for thousands.
    decimals = len(str(money.amount).partition(".")[2])
    assert not decimals or re.search(rf"[.,{ARABIC}][0-9]{{{decimals}}}\Z", number)


@given(language=any_language, money=any_money, negative=st.booleans())
def test_no_amount_can_be_broken_over_two_lines(language: str, money: Money, negative: bool) -> None:
    with translation.override(language):
        assert not BREAKS.search(format_money(money, negative=negative))


@given(
    language=st.sampled_from(LANGUAGES),
    currency=st.sampled_from(CURRENCIES),
    units=st.integers(0, MAX_UNITS),
    negative=st.booleans(),
)
def test_the_sandbox_writes_the_same_text(language: str, currency: str, units: int, negative: bool) -> None:
    money = Money.from_minor_units(units, currency)
    with translation.override(language):
        assert amount_text(money, language, negative=negative) == format_money(money, negative=negative)


@pytest.mark.parametrize("currency", CURRENCIES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sandbox_agrees_in_each_language_and_currency(language: str, currency: str) -> None:
    money = Money.from_minor_units(123456789, currency)
    with translation.override(language):
        assert amount_text(money, language) == format_money(money)


def test_a_currency_has_the_decimals_of_iso_4217_and_not_those_of_cldr() -> None:
    with translation.override("en"):
        assert format_money(Money(Decimal("1.005"), "IQD")) == f"IQD{N}1.005"


def test_the_largest_amount_keeps_every_digit() -> None:
    with translation.override("en"):
        assert format_money(Money(Decimal("999999999999.99"), "EUR")) == "€999,999,999,999.99"


@pytest.mark.parametrize("grouping", [True, False])
def test_the_projects_own_number_settings_do_not_change_an_amount(settings: Settings, grouping: bool) -> None:
    settings.USE_THOUSAND_SEPARATOR = grouping
    settings.DECIMAL_SEPARATOR = "!"
    with translation.override("de"):
        assert format_money(Money(Decimal("1234.50"), "EUR")) == f"1.234,50{N}€"


def test_an_amount_is_written_without_any_language_too() -> None:
    with translation.override(None):
        assert format_money(Money(Decimal("12.5"), "EUR")) == "€12.50"


@every(
    ("language", "number", "decimals", "text"),
    [
        ("en", 1234567, 0, "1,234,567"),
        ("en", Decimal("0.5"), 2, "0.50"),
        ("en", 0, 0, "0"),
        ("de", 1234.56, 1, "1.234,6"),
        ("fr", 1234, 0, f"1{NARROW}234"),
        ("ar", 1234.5, 1, "1,234.5"),
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
        assert format_datetime(MOMENT).replace("\N{NO-BREAK SPACE}", " ") == moment


@pytest.mark.parametrize("language", [code for code, _name in DJANGOS_LANGUAGES])
def test_every_language_of_django_writes_year_and_day_in_western_digits(language: str) -> None:
    with translation.override(language):
        text = format_datetime(MOMENT)
    assert "2026" in text
    assert "22" in text
    assert "52" in text


def test_a_moment_is_written_in_the_active_time_zone() -> None:
    late = datetime(2026, 11, 22, 23, 30, tzinfo=UTC)
    with translation.override("de"), timezone.override("Asia/Tokyo"):
        assert format_datetime(late) == "23. November 2026, 08:30"
        assert format_date(late) == "23. November 2026"


@every(
    ("language", "day", "moment", "second"),
    [
        ("en", "Nov 3, 2026", f"Nov 3, 2026, 4:52{NARROW}AM", f"Nov 3, 2026, 4:52:17{NARROW}AM"),
        ("en-gb", "3 Nov 2026", "3 Nov 2026, 04:52", "3 Nov 2026, 04:52:17"),
        ("de", "03.11.2026", "03.11.2026, 04:52", "03.11.2026, 04:52:17"),
        ("fr", "3 nov. 2026", "3 nov. 2026, 04:52", "3 nov. 2026, 04:52:17"),
        ("es", "3 nov 2026", "3 nov 2026, 4:52", "3 nov 2026, 4:52:17"),
        (
            "ar",
            "03\u200f/11\u200f/2026",
            "03\u200f/11\u200f/2026، 4:52 ص",
            "03\u200f/11\u200f/2026، 4:52:17 ص",
        ),
    ],
)
def test_the_admin_reads_a_short_form_of_the_same(language: str, day: str, moment: str, second: str) -> None:
    third = MOMENT.replace(day=3)
    with translation.override(language):
        assert format_short_date(date(2026, 11, 3)) == format_short_date(third) == day
        texts = [format_short_datetime(third), format_short_datetime(third, seconds=True)]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts] == [moment, second]


def test_without_time_zones_a_moment_stands_for_itself() -> None:
    naive = datetime(2026, 11, 22, 4, 52)  # noqa: DTZ001 - what Django has without USE_TZ
    with translation.override("de"), timezone.override("Asia/Tokyo"):
        assert format_short_datetime(naive) == "22.11.2026, 04:52"
        assert format_datetime(naive) == "22. November 2026, 04:52"


@every(
    ("language", "locale"),
    [("de", "de"), ("pt-br", "pt_BR"), ("zh-hans", "zh_Hans"), ("es-xx", "es"), ("udm", "en"), (None, "en")],
)
def test_the_locale_is_that_of_the_language_of_its_first_subtag_or_english(
    language: str | None, locale: str
) -> None:
    with translation.override(language):
        assert str(active_locale()) == locale


@pytest.mark.parametrize("language", [code for code, _name in DJANGOS_LANGUAGES if code != "udm"])
def test_each_language_of_django_has_a_locale_of_its_own(language: str) -> None:
    with translation.override(language):
        assert active_locale().language == language.partition("-")[0]
