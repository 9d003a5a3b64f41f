"""Amounts: what is one, what is not, and how it is written in each number of decimals."""

from __future__ import annotations

import time
from dataclasses import replace
from decimal import Decimal, Inexact, localcontext
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tables import every
from wallet_gateway.protocol.errors import InvalidAmount, UnknownCode
from wallet_gateway.protocol.money import (
    Money,
    check_above_zero,
    explain,
    format_units,
    parse_amount,
    plain_text,
    scaled_units,
)

# One currency for each number of decimals ISO 4217 knows.
CURRENCIES = {0: "JPY", 2: "EUR", 3: "KWD", 4: "CLF"}
HUGE = 10**5000


@every(
    ("value", "currency", "wire"),
    [
        ("10", "EUR", "10.00"),
        ("10.5", "EUR", "10.50"),
        ("0.01", "EUR", "0.01"),
        ("999999999999.99", "EUR", "999999999999.99"),
        ("99999999999999", "JPY", "99999999999999"),
        ("0.001", "KWD", "0.001"),
        ("99999999999.999", "KWD", "99999999999.999"),
        ("10.1", "CLF", "10.1000"),
        ("9999999999.9999", "CLF", "9999999999.9999"),
        (10, "EUR", "10.00"),
        (Decimal("10.5000"), "EUR", "10.50"),
        (Decimal("1000.00"), "JPY", "1000"),
        (Decimal("1E+2"), "EUR", "100.00"),
        (Decimal("1E-2"), "EUR", "0.01"),
        (Decimal("2.50").normalize(), "KWD", "2.500"),
        (Decimal("0E+9"), "EUR", "0.00"),
        (Decimal("-0.00"), "EUR", "0.00"),
        (Money(Decimal(10), "EUR"), "eur", "10.00"),
    ],
)
def test_text_and_exact_numbers_are_taken_and_written_with_the_currencys_decimals(
    value: object, currency: str, wire: str
) -> None:
    parsed = Money.parse(value, currency, allow_zero=True)
    assert parsed.to_wire() == wire
    units = int(wire.replace(".", ""))
    assert parsed.minor_units == parse_amount(value, currency, allow_zero=True) == units
    assert parsed == Money.from_minor_units(units, currency)


@every("zero", ["0", "0.00", 0, Decimal(0)])
def test_zero_is_refused_unless_it_is_meant(zero: object) -> None:
    with pytest.raises(InvalidAmount, match="above zero"):
        Money.parse(zero, "EUR")
    assert Money.parse(zero, "EUR", allow_zero=True).minor_units == 0


# What is not an amount in EUR, under the words its message must have.
BAD: dict[str, list[object]] = {
    "is no amount; write digits alone, without leading zeros, with a period before": [
        *("", " ", "10.00\n", " 10.00", "1 000.00", "\xa010", "1\u202f000", "10\x0b", "- 1"),
        *("10,00", "1,000.00", "1.000,00", ",", "10,", "-1,0"),
        *("+10.00", "-10.00", "-0", "+0", "--1", "-", "-.5", -1, Decimal("-0.01")),
        *("1e2", "1E2", "1.5E-1", "1e1000000", "-1e5", "0e0"),
        *("NaN", "-Infinity", "inf", Decimal("sNaN"), Decimal("-Infinity")),
        *("\u0661\u0662.\u0665", "\uff11\uff10", "10\xb2", "\xbd", "\u4e00"),
        *("1_000.00", "1'000", "1\u2019000", "1.000.000", "007", "00.10", "00"),
        *(".", ".5", "10.", "1..0", "0x10", "ten", "\u20ac10", "10.00EUR", "1e", "10.00\x00", "1\u22122"),
        "\ud800",
    ],
    "finer than the currency": [
        *("10.001", "10.000", "0.001", "1.0000000"),
        *(Decimal("0.001"), Decimal("1E-1000000"), Decimal("1." + "0" * 5000 + "1")),
    ],
    "too many digits; at most 14": [
        *("1000000000000.00", "1000000000000", "100000000000000", "9" * 5000, 10**12, HUGE, -HUGE),
        *(Decimal("1E+20000000"), Decimal("1E+13"), Decimal(10**12)),
    ],
    "is no amount; give text": [True, False, None, [], b"10.00"],
    "floating-point": [10.0, float("nan")],
}  # fmt: skip


@every(
    ("value", "words"),
    [(value, words) for words, values in BAD.items() for value in values],
    ids=[f"{words} {at}" for words, values in BAD.items() for at in range(len(values))],
)
def test_what_is_no_exact_amount_is_refused_with_what_would_be_right(value: object, words: str) -> None:
    started = time.process_time()
    with pytest.raises(InvalidAmount) as caught:
        Money.parse(value, "EUR", allow_zero=True)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 200
    assert time.process_time() - started < 1


@every(
    ("value", "currency", "words"),
    [
        ("10.0", "JPY", "it has no decimals, and nothing is rounded"),
        ("1.0000", "KWD", "nothing is rounded"),
        ("1.00001", "CLF", "nothing is rounded"),
        (Money(Decimal(10), "EUR"), "USD", "is in EUR; give it in USD"),
    ],
)
def test_what_another_currency_has_is_refused(value: object, currency: str, words: str) -> None:
    with pytest.raises(InvalidAmount, match=words):
        Money.parse(value, currency)


def test_zeros_beyond_the_decimals_and_no_other_digit_are_dropped_where_answers_are_read() -> None:
    for text in ("10.0000", "10.000", "10.0", "10", "10." + "0" * 50):
        assert parse_amount(text, "EUR", extra_zeros=True) == 1000
    for text in ("10.0001", "10.00000001", "10.0010"):
        with pytest.raises(InvalidAmount, match="finer"):
            parse_amount(text, "EUR", extra_zeros=True)


@every("currency", ["XAU", "", "EURO", "ZZZ"])
def test_an_amount_in_no_currency_is_refused(currency: str) -> None:
    for made in (Money.parse, Money.from_minor_units, lambda _, code: Money(Decimal(10), code)):
        with pytest.raises(UnknownCode):
            made(10, currency)


def test_a_money_holds_the_currencys_decimals_and_upper_case() -> None:
    ten = Money(Decimal(10), "eur")
    assert (str(ten), ten.currency) == ("10.00 EUR", "EUR")
    assert ten == Money(Decimal("10.000"), "EUR")
    assert hash(ten) == hash(Money.parse("10", "EUR"))


@every("amount", [Decimal(-1), Decimal("0.001"), Decimal("NaN"), Decimal("1E+30"), "10.00", 10, 10.0, None])
def test_a_money_cannot_be_made_wrong(amount: object) -> None:
    words = None if isinstance(amount, Decimal) else r"Decimal; give one, or use Money\.parse"
    given_amount = cast("Decimal", amount)
    with pytest.raises(InvalidAmount, match=words):
        Money(given_amount, "EUR")
    with pytest.raises(InvalidAmount):
        replace(Money(Decimal(1), "EUR"), amount=given_amount)


@every(("units", "wire"), [(0, "0.00"), (2**63 - 1, "92233720368547758.07"), (-1, None), (2**63, None)])
def test_minor_units_are_what_a_database_holds_and_sums_may_be_longer_than_an_amount(
    units: int, wire: str | None
) -> None:
    if wire is None:
        with pytest.raises(InvalidAmount, match="minor units are no amount"):
            Money.from_minor_units(units, "EUR")
    else:
        total = Money.from_minor_units(units, "EUR")
        assert (total.minor_units, total.to_wire()) == (units, wire)


def test_the_precision_of_the_callers_decimal_context_does_not_matter() -> None:
    with localcontext() as context:
        context.prec = 3
        context.traps[Inexact] = True
        assert Money.parse(Decimal("123456.78"), "EUR").minor_units == 12345678
        assert Money.from_minor_units(12345678, "EUR").to_wire() == "123456.78"
        assert Money(Decimal("9999999.990"), "EUR").minor_units == 999999999


@given(exponent=st.sampled_from(sorted(CURRENCIES)), units=st.integers(min_value=1, max_value=10**14 - 1))
def test_what_is_written_is_read_back(exponent: int, units: int) -> None:
    currency = CURRENCIES[exponent]
    written = Money.from_minor_units(units, currency).to_wire()
    assert parse_amount(written, currency) == units
    assert len(written.partition(".")[2]) == exponent
    assert Money.parse(Decimal(written), currency).to_wire() == written


@given(value=st.text(max_size=30) | st.decimals())
def test_any_text_or_decimal_is_an_exact_amount_or_an_invalid_amount(value: str | Decimal) -> None:
    try:
        parsed = Money.parse(value, "KWD", allow_zero=True)
    except InvalidAmount:
        return
    assert parsed.amount == Decimal(value)
    assert isinstance(value, Decimal) or set(value) <= set("0123456789.")


def test_minor_units_and_decimals_are_counted_both_ways() -> None:
    written = {"0": (0, 0), "0.00": (0, 2), "0.05": (5, 2), "5.00": (500, 2), "0.0007": (7, 4)}
    assert {text: format_units(*units) for text, units in written.items()} == {text: text for text in written}
    counted = {"1": 10000, "0.01": 100, "10.00": 100000, "1.2345": 12345}
    assert {text: scaled_units(text) for text in counted} == counted
    for text in ("0.01", "1", "10.00"):
        assert check_above_zero(text) == text
    for text in ("0", "0.0", "0.0000"):
        with pytest.raises(InvalidAmount, match="is zero"):
            check_above_zero(text)


@every(
    ("value", "text"),
    [
        (Decimal("19.00"), "19.00"),
        (Decimal("2E+1"), "20"),
        (Decimal("1E-2"), "0.01"),
        (Decimal("1E+1000000"), "1E+1000000"),
        (Decimal("NaN"), "NaN"),
        (7, "7"),
        (-7, "-7"),
        *((same, same) for same in (HUGE, True, 1.5, "x", None)),
    ],
    ids=range(12),
)
def test_numbers_are_written_out_and_nothing_else_is_touched(value: object, text: object) -> None:
    assert plain_text(value) == text
    assert type(plain_text(value)) is type(text)


def test_an_amount_too_long_for_any_currency_is_explained_without_one() -> None:
    assert "at most 4 decimals" in explain("10.00000")
    assert "too many digits" in explain("123456789012345")
    assert "too many digits" in explain("1.123456789012345")
