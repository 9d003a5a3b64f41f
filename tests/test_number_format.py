"""Numbers and percentages as people read them."""

from __future__ import annotations

from decimal import Decimal

from babel.numbers import get_group_symbol
from django.utils import translation

from tests.tables import every
from wallet_gateway.number_format import format_number, format_percent

N = "\N{NO-BREAK SPACE}"
NARROW = "\N{NARROW NO-BREAK SPACE}"


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
        ("de-ch", 1234567890, 0, "1'234'567'890".replace("'", get_group_symbol("de_CH"))),
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
