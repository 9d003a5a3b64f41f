"""Amounts: what is one, what is not, and how it is written in each number of decimals."""

from __future__ import annotations

import decimal
import time
from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import every
from wallet_gateway.protocol import money
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import InvalidAmount, UnknownCode
from wallet_gateway.protocol.money import Money, parse_amount

# One currency for each number of decimals ISO 4217 knows.
CURRENCIES = {0: "JPY", 2: "EUR", 3: "KWD", 4: "CLF"}

# Written by hand: text, currency, minor units, and how the wire carries it.
AMOUNTS = [
    ("10.00", "EUR", 1000, "10.00"),
    ("10", "EUR", 1000, "10.00"),
    ("10.5", "EUR", 1050, "10.50"),
    ("0.01", "EUR", 1, "0.01"),
    ("0.10", "EUR", 10, "0.10"),
    ("1234567.89", "EUR", 123456789, "1234567.89"),
    ("999999999999.99", "EUR", 99999999999999, "999999999999.99"),
    ("10", "JPY", 10, "10"),
    ("1", "JPY", 1, "1"),
    ("99999999999999", "JPY", 99999999999999, "99999999999999"),
    ("10.000", "KWD", 10000, "10.000"),
    ("10", "KWD", 10000, "10.000"),
    ("10.1", "KWD", 10100, "10.100"),
    ("0.001", "KWD", 1, "0.001"),
    ("99999999999.999", "KWD", 99999999999999, "99999999999.999"),
    ("10.0000", "CLF", 100000, "10.0000"),
    ("0.0001", "CLF", 1, "0.0001"),
    ("10", "CLF", 100000, "10.0000"),
    ("9999999999.9999", "CLF", 99999999999999, "9999999999.9999"),
]


@every(("text", "currency", "units", "wire"), AMOUNTS)
def test_text_is_counted_in_minor_units_and_written_with_the_currencys_decimals(
    text: str, currency: str, units: int, wire: str
) -> None:
    parsed = Money.parse(text, currency)
    assert parse_amount(text, currency) == units
    assert parsed.minor_units == units
    assert parsed.to_wire() == wire
    assert parsed == Money.from_minor_units(units, currency)


@every(
    ("value", "currency", "wire"),
    [
        (10, "EUR", "10.00"),
        (10, "JPY", "10"),
        (Decimal(10), "EUR", "10.00"),
        (Decimal("10.5"), "EUR", "10.50"),
        (Decimal("10.5000"), "EUR", "10.50"),
        (Decimal("1000.00"), "JPY", "1000"),
        (Decimal("1E+2"), "EUR", "100.00"),
        (Decimal("1E-2"), "EUR", "0.01"),
        (Decimal("2.50").normalize(), "KWD", "2.500"),
        (Decimal("0.00000"), "EUR", "0.00"),
        (Decimal("0E+9"), "EUR", "0.00"),
        (Decimal("-0.00"), "EUR", "0.00"),
    ],
    ids=str,
)
def test_numbers_of_python_are_taken_exactly(value: object, currency: str, wire: str) -> None:
    assert Money.parse(value, currency, allow_zero=True).to_wire() == wire


def test_a_money_is_taken_in_its_own_currency_only() -> None:
    ten = Money(Decimal(10), "EUR")
    assert Money.parse(ten, "eur") == ten
    with pytest.raises(InvalidAmount, match="is in EUR; give it in USD"):
        Money.parse(ten, "USD")


@pytest.mark.parametrize("zero", ["0", "0.00", "0.0", 0, Decimal(0)], ids=repr)
def test_zero_is_refused_unless_it_is_meant(zero: object) -> None:
    with pytest.raises(InvalidAmount, match="above zero"):
        Money.parse(zero, "EUR")
    assert Money.parse(zero, "EUR", allow_zero=True).minor_units == 0


# What is not an amount in EUR, under the words its message must have.
BAD = {
    "is empty": [
        "",
    ],
    "white space": [
        " ", "\t", "\n", "10.00\n", "\n10.00", " 10.00", "10.00 ", "1 000.00", "10. 00", "\xa010",
        "1\u202f000", "10\r\n", "10\x0b", "- 1", "1,5 ", "'; DROP TABLE--",
    ],
    "comma; the decimal separator is a period": [
        "10,00", "1,000.00", "1.000,00", ",", "10,", "-1,0",
    ],
    "has a sign": [
        "+10.00", "-10.00", "-0", "-0.00", "+0", "--1", "-", "+", "-.5", "-00",
    ],
    "exponent notation": [
        "1e2", "1E2", "1e+2", "1.5E-1", "1e1000000", "-1e5", "0e0",
    ],
    "no finite number": [
        "NaN", "nan", "Infinity", "-Infinity", "inf", "+inf", "-nan",
    ],
    "digits other than 0 to 9": [
        "\u0661\u0662.\u0665", "\u0967\u0966", "\uff11\uff10.\uff10\uff10", "\U0001d7cf\U0001d7ce",
        "10\xb2", "\xbd", "\u2167", "\u4e00",
    ],
    "thousands separators": [
        "1_000.00", "1'000", "1\u2019000", "1.000.000", "1.000.00",
    ],
    "finer than the currency": [
        "10.001", "10.000", "0.001", "1.0000000",
    ],
    "too many digits; at most 14": [
        "1000000000000.00", "99999999999999", "100000000000000", "9" * 5000, "1000000000000",
    ],
    "leading zeros": [
        "007", "00.10", "00", "01.00",
    ],
    "is no amount": [
        ".", ".5", "10.", "1..0", "0x10", "ten", "\u20ac10", "$10.00", "10.00EUR", "1e", "10;00", "10/2",
        "\x00", "10.00\x00", "1\u22122", "\u066b", "\ud800", "snan123",
    ],
}  # fmt: skip
CORPUS = [(text, words) for words, texts in BAD.items() for text in texts]


@every(("text", "words"), CORPUS, ids=[ascii(text[:20]) for text, _ in CORPUS])
def test_a_bad_amount_is_refused_with_its_own_message(text: str, words: str) -> None:
    started = time.process_time()
    with pytest.raises(InvalidAmount) as caught:
        Money.parse(text, "EUR", allow_zero=True)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 200
    assert time.process_time() - started < 1


@every(
    ("value", "word"),
    [
        (True, "True is no amount"),
        (False, "False is no amount"),
        (None, "None is no amount"),
        ([], "type list is no amount"),
        (b"10.00", "type bytes is no amount"),
        (10.0, "floating-point"),
        (float("nan"), "floating-point"),
        (-1, "has a sign"),
        (10**14, "too many digits"),
        (10**5000, "too many digits"),
        (-(10**5000), "too many digits"),
        (10**12, "too many digits"),
        (Decimal("NaN"), "no finite number"),
        (Decimal("sNaN"), "no finite number"),
        (Decimal("-Infinity"), "no finite number"),
        (Decimal("-0.01"), "has a sign"),
        (Decimal("0.001"), "finer"),
        (Decimal("1E-1000000"), "finer"),
        (Decimal("1E+1000000"), "too many digits"),
        (Decimal("1E+13"), "too many digits"),
        (Decimal("1" + "0" * 12), "too many digits"),
        (Decimal("1." + "0" * 5000 + "1"), "finer"),
    ],
    ids=lambda value: ascii(value)[:24] if not isinstance(value, int) or abs(value) < 10**20 else "huge",
)
def test_a_value_that_is_no_exact_amount_is_refused(value: object, word: str) -> None:
    with pytest.raises(InvalidAmount, match=word):
        Money.parse(value, "EUR", allow_zero=True)


@pytest.mark.parametrize(
    ("text", "currency"), [("10.5", "JPY"), ("10.0", "JPY"), ("1.0000", "KWD"), ("1.00001", "CLF")]
)
def test_more_decimals_than_the_currency_has_are_refused(text: str, currency: str) -> None:
    with pytest.raises(InvalidAmount, match="nothing is rounded"):
        Money.parse(text, currency)


def test_a_currency_without_decimals_says_so() -> None:
    with pytest.raises(InvalidAmount, match="it has no decimals"):
        Money.parse("10.5", "JPY")


@every("text", ["10.0000", "10.000", "10.00", "10.0", "10", "10." + "0" * 50])
def test_zeros_beyond_the_decimals_are_taken_where_answers_are_read(text: str) -> None:
    assert parse_amount(text, "EUR", extra_zeros=True) == 1000


@pytest.mark.parametrize("text", ["10.0001", "10.00000001", "10.0010"])
def test_no_digit_but_zero_is_dropped_from_an_answer(text: str) -> None:
    with pytest.raises(InvalidAmount, match="finer"):
        parse_amount(text, "EUR", extra_zeros=True)


@pytest.mark.parametrize("currency", ["XAU", "", "EURO", "ZZZ"])
def test_an_amount_in_no_currency_is_refused(currency: str) -> None:
    with pytest.raises(UnknownCode):
        Money.parse("10.00", currency)
    with pytest.raises(UnknownCode):
        Money(Decimal(10), currency)
    with pytest.raises(UnknownCode):
        Money.from_minor_units(10, currency)
    with pytest.raises(UnknownCode):
        currency_exponent(currency)


@pytest.mark.parametrize(
    ("currency", "decimals"), [("JPY", 0), ("EUR", 2), ("KWD", 3), ("CLF", 4), ("eur", 2)]
)
def test_the_exponent_is_that_of_the_currency(currency: str, decimals: int) -> None:
    assert currency_exponent(currency) == decimals


def test_a_money_holds_the_currencys_decimals_and_upper_case() -> None:
    ten = Money(Decimal(10), "eur")
    assert (str(ten.amount), ten.currency) == ("10.00", "EUR")
    assert str(ten) == "10.00 EUR"
    assert ten == Money(Decimal("10.000"), "EUR")
    assert hash(ten) == hash(Money.parse("10", "EUR"))


@pytest.mark.parametrize("amount", [Decimal(-1), Decimal("0.001"), Decimal("NaN"), Decimal("1E+30")], ids=str)
def test_a_money_cannot_be_made_wrong(amount: Decimal) -> None:
    with pytest.raises(InvalidAmount):
        Money(amount, "EUR")
    with pytest.raises(InvalidAmount):
        replace(Money(Decimal(1), "EUR"), amount=amount)


@pytest.mark.parametrize("amount", ["10.00", 10, 10.0, None], ids=repr)
def test_a_money_is_made_of_a_decimal_only(amount: object) -> None:
    with pytest.raises(InvalidAmount, match=r"Decimal; give one, or use Money\.parse"):
        Money(cast("Decimal", amount), "EUR")


@pytest.mark.parametrize("units", [-1, -(10**30), 2**63, 10**30])
def test_minor_units_beyond_what_a_database_holds_are_refused(units: int) -> None:
    with pytest.raises(InvalidAmount, match="minor units are no amount"):
        Money.from_minor_units(units, "EUR")


@pytest.mark.parametrize(("units", "wire"), [(0, "0.00"), (2**63 - 1, "92233720368547758.07")])
def test_sums_of_many_amounts_may_be_longer_than_one_amount(units: int, wire: str) -> None:
    total = Money.from_minor_units(units, "EUR")
    assert total.minor_units == units
    assert total.to_wire() == wire


def test_the_precision_of_the_callers_decimal_context_does_not_matter() -> None:
    with decimal.localcontext() as context:
        context.prec = 3
        context.traps[decimal.Inexact] = True
        assert Money.parse(Decimal("123456.78"), "EUR").minor_units == 12345678
        assert Money.from_minor_units(12345678, "EUR").to_wire() == "123456.78"
        assert Money(Decimal("9999999.990"), "EUR").minor_units == 999999999


@pytest.mark.parametrize("exponent", [0, 2, 3, 4])
@given(data=st.data())
def test_what_is_written_is_read_back(exponent: int, data: st.DataObject) -> None:
    currency = CURRENCIES[exponent]
    units = data.draw(st.integers(min_value=1, max_value=10**14 - 1))
    written = Money.from_minor_units(units, currency).to_wire()
    assert parse_amount(written, currency) == units
    assert len(written.partition(".")[2]) == exponent
    assert Money.parse(Decimal(written), currency).to_wire() == written


@given(text=st.text(max_size=30))
def test_any_text_is_an_amount_or_an_invalid_amount(text: str) -> None:
    try:
        units = parse_amount(text, "EUR", allow_zero=True)
    except InvalidAmount:
        return
    assert Decimal(text) * 100 == units
    assert set(text) <= set("0123456789.")


@given(value=st.decimals())
def test_any_decimal_is_an_exact_amount_or_an_invalid_amount(value: object) -> None:
    try:
        parsed = Money.parse(value, "KWD", allow_zero=True)
    except InvalidAmount:
        return
    assert parsed.amount == value


@every(
    ("units", "exponent", "text"),
    [
        (0, 0, "0"),
        (0, 2, "0.00"),
        (5, 2, "0.05"),
        (50, 2, "0.50"),
        (500, 2, "5.00"),
        (7, 4, "0.0007"),
        (12345, 3, "12.345"),
    ],
)
def test_few_minor_units_are_written_with_leading_zeros(units: int, exponent: int, text: str) -> None:
    assert money.format_units(units, exponent) == text


@pytest.mark.parametrize(
    ("text", "scaled"), [("1", 10000), ("0.01", 100), ("10.00", 100000), ("1.2345", 12345)]
)
def test_an_amount_is_counted_in_the_finest_decimals_there_are(text: str, scaled: int) -> None:
    assert money.scaled_units(text) == scaled


@pytest.mark.parametrize("text", ["0.01", "1", "10.00"])
def test_an_amount_above_zero_passes_unchanged(text: str) -> None:
    assert money.check_above_zero(text) == text


@pytest.mark.parametrize("text", ["0", "0.0", "0.0000"])
def test_an_amount_of_zero_is_told_so(text: str) -> None:
    with pytest.raises(InvalidAmount, match="is zero"):
        money.check_above_zero(text)


@every(
    ("value", "text"),
    [
        (Decimal("19"), "19"),
        (Decimal("19.00"), "19.00"),
        (Decimal("2E+1"), "20"),
        (Decimal("1E-2"), "0.01"),
        (Decimal("1E+1000000"), "1E+1000000"),
        (Decimal("NaN"), "NaN"),
        (7, "7"),
        (-7, "-7"),
        (10**5000, 10**5000),
        (True, True),
        (1.5, 1.5),
        ("x", "x"),
        (None, None),
    ],
    ids=lambda value: ascii(value)[:24] if not isinstance(value, int) or abs(value) < 10**20 else "huge",
)
def test_numbers_are_written_out_and_nothing_else_is_touched(value: object, text: str) -> None:
    assert money.plain_text(value) == text
    assert type(money.plain_text(value)) is type(text)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("10.00000", "at most 4 decimals"),
        ("123456789012345", "too many digits"),
        ("1.123456789012345", "too many"),
    ],
)
def test_an_amount_too_long_for_any_currency_is_explained_without_one(text: str, word: str) -> None:
    assert word in money.explain(text)
