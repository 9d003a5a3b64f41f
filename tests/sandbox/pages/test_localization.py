"""Languages of a page, and amounts, counts and rates as people of five languages read them."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from tests.tables import every
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.console.formatting import duration_text
from wallet_gateway.sandbox.pages.localization import (
    LANGUAGES,
    amount_text,
    browser_language,
    direction,
    number_text,
    page_language,
    price_text,
    rate_text,
)


@every("asked", ["", None, "xx", "tlh", "german", "d", "-", "../de", "de/../x", "中文", "de" * 99])
def test_an_unknown_language_is_english(asked: str | None) -> None:
    assert page_language(asked) == "en"


@every(
    ("header", "language"),
    [
        ("", "en"),
        ("fr-CH, fr;q=0.9, en;q=0.8", "fr"),
        ("pl, ar;q=0.4, es;q=0.7", "es"),
        ("pl,zh;q=0.5", "en"),
        ("*", "en"),
        ("de;q=nonsense", "en"),
    ],
)
def test_a_browser_gets_the_first_of_its_languages_that_a_page_speaks(header: str, language: str) -> None:
    assert browser_language(header) == language


def test_arabic_alone_is_written_from_right_to_left() -> None:
    assert {language: direction(language) for language in LANGUAGES} == {
        "en": "ltr",
        "de": "ltr",
        "fr": "ltr",
        "es": "ltr",
        "ar": "rtl",
    }


NBSP = "\u00a0"
NARROW = "\u202f"
RLM = "\u200f"
MINUS = "\u2212"
AMOUNTS = {"EUR": "1234567.05", "JPY": "1234567", "KWD": "1234567.005"}


@every(
    ("language", "currency", "text"),
    [
        ("en", "EUR", "€1,234,567.05"),
        ("en", "JPY", "¥1,234,567"),
        ("en", "KWD", f"KWD{NBSP}1,234,567.005"),
        ("de", "EUR", f"1.234.567,05{NBSP}€"),
        ("de", "JPY", f"1.234.567{NBSP}¥"),
        ("de", "KWD", f"1.234.567,005{NBSP}KWD"),
        ("fr", "EUR", f"1{NARROW}234{NARROW}567,05{NBSP}€"),
        ("fr", "JPY", f"1{NARROW}234{NARROW}567{NBSP}JPY"),
        ("fr", "KWD", f"1{NARROW}234{NARROW}567,005{NBSP}KWD"),
        ("es", "EUR", f"1.234.567,05{NBSP}€"),
        ("es", "JPY", f"1.234.567{NBSP}JPY"),
        ("es", "KWD", f"1.234.567,005{NBSP}KWD"),
        ("ar", "EUR", f"{RLM}1,234,567.05{NBSP}€"),
        ("ar", "JPY", f"{RLM}1,234,567{NBSP}JP¥"),
        ("ar", "KWD", f"{RLM}1,234,567.005{NBSP}د.ك.{RLM}"),
    ],
)
def test_an_amount_is_exact_and_grouped_in_every_language(language: str, currency: str, text: str) -> None:
    assert amount_text(Money.parse(AMOUNTS[currency], currency), language) == text


@every(
    ("price", "currency", "text"),
    [
        ("28.90", "EUR", f"28,90{NBSP}€"),
        ("28", "EUR", f"28,00{NBSP}€"),
        ("-5.00", "EUR", f"{MINUS}5,00{NBSP}€"),
        ("0", "JPY", f"0{NBSP}¥"),
        ("28.905", "EUR", "28.905 EUR"),
        ("--5", "EUR", "--5 EUR"),
        ("1,5", "EUR", "1,5 EUR"),
        ("5.00", "XXX", "5.00 XXX"),
    ],
)
def test_a_price_of_a_shops_page_is_formatted_or_left_as_it_is(price: str, currency: str, text: str) -> None:
    assert price_text(price, currency, "de") == text


@pytest.mark.parametrize(
    ("language", "text"), [("en", "9,999"), ("de", "9.999"), ("fr", f"9{NARROW}999"), ("ar", "9,999")]
)
def test_a_count_is_grouped(language: str, text: str) -> None:
    assert number_text(9999, language) == text


@every(
    ("rate", "language", "text"),
    [
        ("19", "en", "19%"),
        ("19.0000", "de", f"19{NBSP}%"),
        ("7.7", "fr", f"7,7{NBSP}%"),
        ("8.8750", "es", f"8,875{NBSP}%"),
        ("100", "ar", "100%"),
        ("0", "en", "0%"),
    ],
)
def test_a_rate_has_no_idle_zeros(rate: str, language: str, text: str) -> None:
    assert rate_text(Decimal(rate), language) == text


@every(
    ("seconds", "text"),
    [
        (0, "0:00:00"),
        (2.5, "0:00:02.5"),
        (59, "0:00:59"),
        (900, "0:15:00"),
        (90_000, "25:00:00"),
        (0.25, "0:00:00.25"),
    ],
)
def test_a_duration_is_hours_minutes_and_seconds(seconds: float, text: str) -> None:
    assert duration_text(timedelta(seconds=seconds)) == text
