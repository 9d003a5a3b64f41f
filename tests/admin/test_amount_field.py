"""The field for an amount: what it shows it reads, and nothing is ever read as another amount."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.conf.global_settings import LANGUAGES
from django.forms import ValidationError
from django.utils.formats import get_format
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.admin.amount_field import AmountField, amount_text, read_amount
from wallet_gateway.formats import format_amount
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.money import MAX_UNITS, Money

CODES = ("EUR", "JPY", "KWD", "CLF")
AMOUNTS = st.builds(Money.from_minor_units, st.integers(1, MAX_UNITS), st.sampled_from(CODES)) | st.builds(
    Money.from_minor_units, st.integers(1, 2_000_000), st.sampled_from(CODES)
)
ALL = st.sampled_from([code for code, _name in LANGUAGES])
OURS = st.sampled_from(["en", "de", "fr", "es", "ar"])
ZEROS = (
    "0",
    "\N{ARABIC-INDIC DIGIT ZERO}",
    "\N{EXTENDED ARABIC-INDIC DIGIT ZERO}",
    "\N{FULLWIDTH DIGIT ZERO}",
)
ARABIC = ZEROS[1]
DECIMAL, THOUSANDS = "\N{ARABIC DECIMAL SEPARATOR}", "\N{ARABIC THOUSANDS SEPARATOR}"


def in_digits(zero: str, text: str) -> str:
    """Write a text's digits in the script that this zero is of."""
    return text.translate({ord("0") + digit: chr(ord(zero) + digit) for digit in range(10)})


def read(text: str, currency: str) -> Money | str:
    try:
        return read_amount(text, currency)
    except ValidationError as error:
        return str(error.messages[0])


@given(AMOUNTS, ALL, ALL, st.sampled_from(ZEROS))
def test_what_the_field_shows_it_reads_in_every_language_and_script(
    amount: Money, writer: str, reader: str, zero: str
) -> None:
    with override(writer):
        shown = in_digits(zero, amount_text(amount))
    with override(reader):
        assert read_amount(shown, amount.currency) == amount


@given(AMOUNTS, ALL, ALL, st.sampled_from(ZEROS))
def test_what_one_language_writes_no_other_reads_as_another_amount(
    amount: Money, writer: str, reader: str, zero: str
) -> None:
    with override(writer):
        written = in_digits(zero, format_amount(amount))
        plain = amount.to_wire().replace(".", get_format("DECIMAL_SEPARATOR", use_l10n=True))
    with override(reader):
        for text in (written, plain):
            assert isinstance(found := read(text, amount.currency), str) or found == amount


@given(st.integers(1, 999), st.integers(0, 999), st.sampled_from(".,"), st.sampled_from(CODES), OURS)
def test_three_digits_after_one_separator_are_refused_with_a_right_text_for_each_reading(
    whole: int, rest: int, separator: str, currency: str, language: str
) -> None:
    text = f"{whole}{separator}{rest:03}"
    with override(language), pytest.raises(ValidationError) as refused:
        read_amount(text, currency)

    with override(language):
        words = refused.value.messages[0]
        large = Money.parse(f"{whole}{rest:03}", currency)
        assert text in words
        assert amount_text(large) in words
        if currency_exponent(currency) >= 3:
            assert amount_text(Money.parse(f"{whole}.{rest:03}", currency)) in words


@given(st.text(max_size=40) | st.from_regex(r"[0-9., ']{1,12}", fullmatch=True), OURS)
def test_any_text_is_one_amount_or_refused(text: str, language: str) -> None:
    with override(language):
        found = read(text, "EUR")
    if isinstance(found, Money):
        digits = re.sub(r"[^\d.]", "", re.sub(f"[,{DECIMAL}]", ".", text))
        assert found.amount == Decimal(digits)


@pytest.mark.parametrize("language", ["en", "de", "ar"])
@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("5", "5.00"),
        ("5,00", "5.00"),
        ("5.00", "5.00"),
        ("5,5", "5.50"),
        ("0.500", "0.50"),
        ("1234,50", "1234.50"),
        ("1234.5000", "1234.50"),
        ("05.00", "5.00"),
        (" 5.00 ", "5.00"),
        (in_digits(ARABIC, f"1234{DECIMAL}50"), "1234.50"),
        (in_digits(ARABIC, f"\u200f5{DECIMAL}00"), "5.00"),
    ],
)
def test_a_text_that_all_read_alike_is_read_in_every_language(text: str, amount: str, language: str) -> None:
    with override(language):
        assert read_amount(text, "EUR") == Money.parse(amount, "EUR")


@every(
    "text",
    [
        "-5",
        "1e1",
        ".50",
        "5,",
        "12.34.56",
        "1,23,456.00",
        "1.234.567",
        "1.234,50",
        "1,234.50",
        "1 234,50",
        "1\u202f234,50",
        "1'234.50",
        in_digits(ARABIC, f"1{THOUSANDS}234"),
        "1234.567",
        "9" * 15,
        "NaN",
        "1_000",
        "",
    ],
)
def test_what_is_no_amount_or_is_grouped_is_refused_with_an_example(text: str) -> None:
    assert read(text, "EUR") == "Write an amount in EUR with at most 2 decimals, like this: 1234.05."
    with override("de"):
        assert "1234,05" in str(read(text, "EUR"))


def test_zero_is_refused() -> None:
    assert read("0,00", "EUR") == "The amount must be above zero."


def test_a_reading_that_the_currency_does_not_have_is_told_as_such() -> None:
    assert read("1.234", "EUR") == (
        "“1.234” can be read as €1,234.00, or as an amount with three decimals, which EUR does not have. "
        "If you mean €1,234.00, write 1234.00."
    )


def test_both_readings_are_told_with_how_to_write_each() -> None:
    with override("de"):
        assert read_amount("1,2340", "KWD") == Money.parse("1.234", "KWD")
    assert read("1,234", "KWD") == (
        "“1,234” can be read as KWD\N{NO-BREAK SPACE}1,234.000 or as KWD\N{NO-BREAK SPACE}1.234. "
        "Write 1234.000 for the first, 1.2340 for the second."
    )


def test_zeros_after_the_separator_are_two_readings_as_well() -> None:
    assert read("5.000", "EUR") == (
        "“5.000” can be read as €5,000.00 or as €5.00. Write 5000.00 for the first, 5.00 for the second."
    )


def test_more_than_there_is_is_refused_in_the_readers_language() -> None:
    field = AmountField(available=Money.parse("20.00", "EUR"), left="Left to refund")
    assert field.prepare_value(field.available) == "20.00"
    with pytest.raises(ValidationError, match=r"This is more than there is\. Left to refund: €20\.00\."):
        field.clean("20,01")
