"""Columns of amounts: the quick way and the careful way come to the same."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wallet_gateway.protocol.cart_lines import read_column, write_column, write_rates
from wallet_gateway.protocol.errors import InvalidAmount
from wallet_gateway.protocol.money import format_units, units_of


def decimals(*texts: str) -> list[Decimal]:
    return [Decimal(text) for text in texts]


@pytest.mark.parametrize(
    ("exponent", "texts"),
    [
        (0, ["10", "0", "99999999999999"]),
        (2, ["10.00", "0.05", "0.00", "999999999999.99"]),
        (3, ["10.000", "0.001"]),
        (4, ["10.0000", "0.0001"]),
    ],
)
def test_a_column_of_canonical_amounts_is_read_as_it_is_written(exponent: int, texts: list[str]) -> None:
    column = read_column(decimals(*texts), exponent)
    assert list(column.texts) == texts
    assert list(column.amounts) == decimals(*texts)
    assert not column.faults


def test_amounts_written_otherwise_come_out_canonical() -> None:
    column = read_column(decimals("10", "10.5", "1E+2", "10.5000"), 2)
    assert list(column.texts) == ["10.00", "10.50", "100.00", "10.50"]
    assert list(map(str, column.amounts)) == column.texts


def test_what_is_not_given_stays_so_and_counts_nothing() -> None:
    column = read_column([Decimal("1.00"), None, Decimal(2)], 2)
    assert list(column.texts) == ["1.00", None, "2.00"]
    assert list(column.amounts) == [1, 0, 2]


def test_every_fault_is_told_with_its_place() -> None:
    values: list[Any] = [Decimal("1.00"), Decimal("-1"), Decimal("0.001"), 1.5, "1,50", Decimal("NaN")]
    column = read_column(values, 2)
    assert [index for index, _ in column.faults] == [1, 2, 3, 4, 5]
    assert ["sign" in message for _, message in column.faults] == [True, False, False, False, False]
    assert list(column.amounts) == [1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "value",
    ["1E+1000000", "1E-1000000", "9" * 5000, "1000000000000.00"],
    ids=["huge", "tiny", "digits", "13 digits"],
)
def test_no_amount_is_too_large_to_be_refused(value: str) -> None:
    assert read_column([Decimal("1.00"), Decimal(value)], 2).faults


def test_an_empty_column_is_empty() -> None:
    column = read_column([], 2)
    assert (list(column.texts), list(column.amounts), list(column.faults)) == ([], [], [])


@pytest.mark.parametrize("exponent", [0, 2, 3, 4])
@given(values=st.lists(st.decimals(min_value=0, max_value=10**15, places=None), max_size=5))
def test_a_column_is_read_as_its_amounts_are_one_by_one(exponent: int, values: list[Decimal]) -> None:
    column = read_column(values, exponent)
    faults = dict(column.faults)
    for index, value in enumerate(values):
        try:
            units = units_of(value, exponent)
        except InvalidAmount as error:
            expected = str(error)
            assert faults.pop(index) == expected
        else:
            assert column.texts[index] == str(column.amounts[index]) == format_units(units, exponent)
    assert not faults


def test_a_column_is_written_with_the_decimals_it_was_read_with() -> None:
    amounts = [None, *decimals("0.00", "0.05", "1234.50", "0.0001", "7")]
    assert write_column(amounts) == [None, "0.00", "0.05", "1234.50", "0.0001", "7"]


def test_rates_are_written_out() -> None:
    rates: list[Any] = [Decimal("19"), Decimal("2E+1"), None, Decimal("7.7"), "x"]
    assert write_rates(rates) == ["19", "20", None, "7.7", "x"]
