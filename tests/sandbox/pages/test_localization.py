"""Languages of a page, and amounts, counts and rates as people of five languages read them."""

from __future__ import annotations

from datetime import timedelta

from tests.tables import every
from wallet_gateway.sandbox.console.formatting import duration_text
from wallet_gateway.sandbox.pages.localization import (
    browser_language,
    price_text,
)


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


NBSP = "\u00a0"
MINUS = "\u2212"


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
