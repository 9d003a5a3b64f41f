"""Amounts as people read them: the texts are written by hand, for each language and number of decimals."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils import translation
from pytest_django import Settings

from tests.tables import every
from wallet_gateway.money_format import format_money
from wallet_gateway.protocol.money import Money

N = "\N{NO-BREAK SPACE}"


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
        ("de", "1234567.89", "EUR", f"1.234.567,89{N}€"),
        ("de", "1234", "JPY", f"1.234{N}¥"),
        ("de", "1234.5", "KWD", f"1.234,500{N}KWD"),
        ("fr", "1234567.89", "EUR", f"1{N}234{N}567,89{N}€"),
        ("fr", "1234.5", "KWD", f"1{N}234,500{N}KWD"),
        ("es", "1234567.89", "EUR", f"1{N}234{N}567,89{N}€"),
        ("ar", "1234567.89", "EUR", f"1.234.567,89{N}€"),
        ("ar", "1234.5", "KWD", f"1.234,500{N}KWD"),
        ("ja", "1234", "JPY", "¥1,234"),
    ],
)
def test_an_amount_is_written_as_its_language_writes_it(
    language: str, amount: str, currency: str, text: str
) -> None:
    with translation.override(language):
        assert format_money(Money(Decimal(amount), currency)) == text


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
