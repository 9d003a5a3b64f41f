"""Amounts as people read them: the texts are written by hand, for each language and number of decimals."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from babel.numbers import get_group_symbol
from django.conf.global_settings import LANGUAGES as DJANGOS_LANGUAGES
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from tests.tables import every
from wallet_gateway.money_format import format_amount, format_money
from wallet_gateway.protocol.codes import currency_exponents
from wallet_gateway.protocol.money import MAX_UNITS, Money
from wallet_gateway.sandbox.pages.localization import LANGUAGES, amount_text

N = "\N{NO-BREAK SPACE}"
NARROW = "\N{NARROW NO-BREAK SPACE}"
LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"
RIGHT_TO_LEFT = "\N{RIGHT-TO-LEFT MARK}"
APOSTROPHE = get_group_symbol("de_CH")
"""Typographic until CLDR 47, that of a typewriter since: babel's release decides."""
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
        ("de-ch", "1234.5", "CHF", f"CHF{N}1{APOSTROPHE}234.50"),
        ("de-ch", "123456789012.34", "CHF", f"CHF{N}123{APOSTROPHE}456{APOSTROPHE}789{APOSTROPHE}012.34"),
        ("de-ch", "999", "JPY", f"¥{N}999"),
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
        ("de-ch", f"EUR{MINUS}1{APOSTROPHE}234.50"),
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
