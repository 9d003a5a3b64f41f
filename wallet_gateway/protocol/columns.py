"""Reads and writes the amounts of many lines at once, column by column.

An order of a hundred lines has hundreds of amounts: what is done to each of them is what the order costs. A
column is checked by one pattern and converted by one call. What does not pass the pattern is read value by
value: that tells what is wrong where, and what is right comes out the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from wallet_gateway.protocol.errors import InvalidAmount
from wallet_gateway.protocol.money import MAX_DIGITS, format_units, plain_text, units_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One amount of every line: its wire text, None where not given; its minor units, 0 there; its faults."""

    texts: Sequence[str | None]
    units: Sequence[int]
    faults: Sequence[tuple[int, str]] = ()


def read_column(values: Sequence[Decimal | None], exponent: int) -> Column:
    """Read a column in a currency with ``exponent`` decimals; a fault is an index and what is wrong there."""
    if set(map(type, values)) == {Decimal}:
        texts = list(map(str, values))
        lines = "\n".join(texts)
        if _canonical(exponent).fullmatch(lines + "\n"):
            return Column(texts=texts, units=list(map(int, lines.replace(".", "").split("\n"))))
    return _read_each(values, exponent)


def write_column(units: Sequence[int | None], exponent: int) -> list[str | None]:
    """Write minor units as wire text; None stays None."""
    return [None if each is None else format_units(each, exponent) for each in units]


def write_rates(rates: Sequence[Decimal | None]) -> list[object]:
    """Write a column of rates as wire text; what is no rate stays, for the rules to refuse."""
    if set(map(type, rates)) == {Decimal} and "E" not in "".join(texts := list(map(str, rates))):
        return [*texts]
    return [None if rate is None else plain_text(rate) for rate in rates]


def _read_each(values: Sequence[Decimal | None], exponent: int) -> Column:
    texts: list[str | None] = []
    units: list[int] = []
    faults: list[tuple[int, str]] = []
    for index, value in enumerate(values):
        try:
            count = 0 if value is None else units_of(value, exponent)
        except InvalidAmount as error:
            faults.append((index, str(error)))
            count = 0
        units.append(count)
        texts.append(None if value is None else format_units(count, exponent))
    return Column(texts=texts, units=units, faults=faults)


@cache
def _canonical(exponent: int) -> re.Pattern[str]:
    """What a column looks like whose amounts are written as the wire wants them, one on each line."""
    # Text made of a Decimal has no leading zeros, and possessive repeats try nothing twice.
    fraction = r"\." + "[0-9]" * exponent if exponent else ""
    return re.compile(rf"(?:[0-9]{{1,{MAX_DIGITS - exponent}}}+{fraction}\n)*+")
