"""The field for an amount: what it shows it reads, and nothing is ever read as another amount."""

from __future__ import annotations

import pytest
from django.conf.global_settings import LANGUAGES
from django.forms import ValidationError
from django.utils.formats import get_format
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from wallet_gateway.admin.amount_field import AmountField, amount_text, read_amount, readings
from wallet_gateway.money_format import format_amount
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


@given(AMOUNTS, ALL)
def test_what_the_field_shows_it_reads_back_in_every_language(amount: Money, language: str) -> None:
    with override(language):
        assert read_amount(amount_text(amount), amount.currency) == amount


@given(AMOUNTS, ALL, ALL, st.sampled_from(ZEROS))
def test_what_one_language_writes_no_other_reads_as_another_amount(
    amount: Money, writer: str, reader: str, zero: str
) -> None:
    with override(writer):
        written = in_digits(zero, format_amount(amount))
        plain = amount.to_wire().replace(".", get_format("DECIMAL_SEPARATOR", use_l10n=True))
    with override(reader):
        for text in (written, plain):
            found = read(text, amount.currency)
            assert found == amount or (isinstance(found, str) and len(readings(text)) != 1)


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


@given(st.text(max_size=40), OURS)
def test_any_text_is_one_amount_or_refused(text: str, language: str) -> None:
    with override(language):
        found = read(text, "EUR")
    if isinstance(found, Money):
        [reading] = readings(text)
        assert found == Money.parse(reading, "EUR")


@pytest.mark.parametrize("language", ["en", "de", "ar"])
@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("5", "5.00"),
        ("5,00", "5.00"),
        ("5.00", "5.00"),
        ("5,5", "5.50"),
        ("1.234,50", "1234.50"),
        ("1,234.50", "1234.50"),
        ("1\u202f234,50", "1234.50"),
        ("1\N{RIGHT SINGLE QUOTATION MARK}234.50", "1234.50"),
        ("1.234.567", "1234567.00"),
        ("1234.5000", "1234.50"),
        (" 5.00 ", "5.00"),
        (in_digits(ARABIC, f"1{THOUSANDS}234{DECIMAL}50"), "1234.50"),
        (in_digits(ARABIC, f"\u200f5{DECIMAL}00"), "5.00"),
    ],
)
def test_a_text_that_all_read_alike_is_read_in_every_language(text: str, amount: str, language: str) -> None:
    with override(language):
        assert read_amount(text, "EUR") == Money.parse(amount, "EUR")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Write an amount in EUR with at most 2 decimals, like this: 12.05."),
        ("-5", "Write an amount"),
        ("1e1", "Write an amount"),
        ("05.00", "Write an amount"),
        (".50", "Write an amount"),
        ("5,", "Write an amount"),
        ("12.34.56", "Write an amount"),
        ("1,23,456.00", "Write an amount"),
        (f"1{ARABIC}", "Write an amount"),
        ("1234.567", "Write an amount"),
        ("9" * 15, "Write an amount"),
        ("0,00", "The amount must be above zero."),
        (
            "1.234",
            "“1.234” can be read as €1,234.00, or as an amount with three decimals, which EUR does not",
        ),
    ],
)
def test_each_mistake_is_told_with_what_would_be_right(text: str, said: str) -> None:
    assert str(read(text, "EUR")).startswith(said)


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
