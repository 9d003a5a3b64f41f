"""What a shop gives with an order, before anything is sent: prices, notes, where to continue. References."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Final
from urllib.parse import urlsplit

from wallet_gateway.protocol.card_numbers import has_card_number
from wallet_gateway.protocol.cart import MAX_QUANTITY, Item
from wallet_gateway.protocol.codes import currency_exponent
from wallet_gateway.protocol.errors import FieldError, InvalidAmount, InvalidMessage, UnknownCode
from wallet_gateway.protocol.money import MAX_DIGITS, MAX_UNITS, TOO_LONG, Money, format_units
from wallet_gateway.protocol.text import is_storable, quote, visible

# Items of a shop's own prices, without a minor unit more or less. The interface knows gross unit prices of
# the currency's precision and whole quantities: "(unitAmount * productQuantity) - discountAmount". A shop
# may have net prices, prices finer than the currency and quantities such as 1.25 kg. Here they are rounded
# as the shop rounds, and a line that does not multiply out becomes one piece with the quantity in its name.
# Not here: the rules of the cart (`protocol.cart`), shipping and discounts, which need no rounding.


MAX_DECIMALS: Final = 30
"""Of a price or a quantity, more than a division of decimals gives: without a limit, one takes seconds."""
MAX_RATE: Final = 1000
RATE_DECIMALS: Final = 4
ROUND_PER: Final = ("line", "order")
_ROUNDINGS: Final[Mapping[str, Callable[[Fraction], int]]] = {
    ROUND_HALF_UP: lambda value: math.floor(value + Fraction(1, 2)),
    ROUND_HALF_EVEN: round,
}
_NOT_EXACT: Final = "a binary floating-point number is not exact; give a Decimal"
_NEGATIVE: Final = "is negative; give what is taken off as a Discount of the order"


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceLine:
    """One line of an order as a shop has it; `price` is of one unit, in major units, of any precision.

    `quantity` may have decimals, then `unit` names what is counted, such as "kg". `tax_rate` is a percentage;
    None says nothing of tax. `combined_name` replaces the name of a line that is sent as one piece, which is
    otherwise "1.25 kg x Apples".
    """

    product_id: str
    """Article number, as the customer sees it: "APPLES"."""
    product_name: str
    """Name, as the customer sees it."""
    price: Decimal
    """Of one unit in major units, zero or more, of any precision up to 30 decimals."""
    quantity: Decimal | int = 1
    """Above zero, also with decimals: `Decimal("1.25")`."""
    unit: str = ""
    """What is counted, such as "kg"; empty for pieces."""
    tax_rate: Decimal | None = None
    """Percent with at most four decimals: `Decimal("7")`; None says nothing of tax."""
    combined_name: str | None = None
    """Name of a line that is sent as one piece; otherwise "1.25 kg x Apples"."""
    product_description: str | None = None
    """More about it, at most 2,000 characters."""
    product_type: str | None = None
    """One of `physical`, `digital`, `giftcard` and `surcharge`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRules:
    """How a shop calculates: what its prices contain, where it rounds tax, and how."""

    prices_include_tax: bool
    round_per: str = "line"
    """With "line" the tax of each line is rounded, with "order" the sum of each rate (EN 16931)."""
    rounding: str = ROUND_HALF_UP
    """`ROUND_HALF_UP` or `ROUND_HALF_EVEN` of the module `decimal`."""


def items_from(
    lines: Sequence[PriceLine], *, currency: object, total: Decimal | Money, rules: PriceRules
) -> list[Item]:
    """Return one item for each line; together they come to `total`, tax included.

    Raises InvalidMessage with every fault, also if the lines come to another amount.
    """
    faults = []
    if rules.round_per not in ROUND_PER:
        faults.append(FieldError("round_per", f"is {quote(rules.round_per)}; give 'line' or 'order'"))
    if rules.rounding not in tuple(_ROUNDINGS):
        message = f"is {quote(rules.rounding)}; give {' or '.join(map(repr, _ROUNDINGS))}"
        faults.append(FieldError("rounding", message))
    if not isinstance(currency, str):
        message = f"must be a three-letter ISO 4217 code such as EUR, not {type(currency).__name__}"
        raise InvalidMessage([*faults, FieldError("currency", message)])
    try:
        expected = Money.parse(total, currency, allow_zero=True)
    except UnknownCode as fault:
        raise InvalidMessage([*faults, FieldError("currency", str(fault))]) from fault
    except InvalidAmount as fault:
        raise InvalidMessage([*faults, FieldError("total", str(fault))]) from fault
    if faults:
        raise InvalidMessage(faults)
    faults = [fault for index, line in enumerate(lines) for fault in _faults_of(line, f"lines[{index}]")]
    if faults:
        raise InvalidMessage(faults)
    exponent = currency_exponent(currency)
    amounts = _amounts_of(lines, exponent, rules)
    faults = [
        FieldError(f"lines[{index}].price", TOO_LONG)
        for index, amount in enumerate(amounts)
        if amount.gross > MAX_UNITS
    ]
    if faults:
        raise InvalidMessage(faults)
    computed = sum(amount.gross for amount in amounts)
    if computed != expected.minor_units:
        found = f"{computed} minor units"
        if computed <= MAX_UNITS:
            found = str(Money.from_minor_units(computed, expected.currency))
        message = (
            f"is {expected}, but the lines come to {found} "
            f"(prices {'with' if rules.prices_include_tax else 'without'} tax, "
            f"rounded per {rules.round_per}, {rules.rounding}); "
            "give the rules by which the shop calculates, or the amounts it has booked as items of quantity 1"
        )
        raise InvalidMessage([FieldError("total", message)])
    return [_item(line, amount, exponent) for line, amount in zip(lines, amounts, strict=True)]


def _faults_of(line: object, path: str) -> Iterator[FieldError]:
    if not isinstance(line, PriceLine):
        yield FieldError(path, f"is of the type {type(line).__name__}; give a PriceLine")
        return
    if message := _wrong_number(line.price):
        yield FieldError(f"{path}.price", message)
    if message := _wrong_number(line.quantity):
        yield FieldError(f"{path}.quantity", message)
    elif not line.quantity:
        yield FieldError(f"{path}.quantity", "is zero; leave out a line of which nothing is sold")
    unit: object = line.unit
    if not isinstance(unit, str):
        yield FieldError(f"{path}.unit", f"is of the type {type(unit).__name__}; give a text")
    rate = line.tax_rate
    if rate is not None and (
        _wrong_number(rate) or rate >= MAX_RATE or (Fraction(rate) * 10**RATE_DECIMALS).denominator != 1
    ):
        message = f"{_quoted(rate)} is no rate; give a percentage with up to 4 decimals"
        yield FieldError(f"{path}.tax_rate", f"{message} as a Decimal, such as 19 or 7.7")


def _quoted(number: object) -> str:
    # Python refuses to print an integer of thousands of digits.
    return quote(number if isinstance(number, int) else str(number))


def _wrong_number(value: object) -> str:
    """Return why a value is no number of zero or more; empty if it is one."""
    if isinstance(value, float):
        return _NOT_EXACT
    if not isinstance(value, Decimal | int) or isinstance(value, bool):
        return f"{quote(value)} is no Decimal"
    number = Decimal(value) if isinstance(value, int) and abs(value) <= MAX_UNITS else value
    if isinstance(number, int):
        return TOO_LONG
    if not number.is_finite():
        return f"{quote(str(number))} is no finite number"
    if number < 0:
        return _NEGATIVE
    # The size is judged before anything is calculated: a Decimal may stand for a million digits.
    if number and number.adjusted() >= MAX_DIGITS:
        return TOO_LONG
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > MAX_DECIMALS:
        return f"has more than {MAX_DECIMALS} decimals"
    return ""


# The sums


@dataclass(frozen=True, slots=True, kw_only=True)
class _Amount:
    """What a line comes to in minor units; the tax is None where the line says nothing of it."""

    gross: int
    tax: int | None


def _amounts_of(lines: Sequence[PriceLine], exponent: int, rules: PriceRules) -> list[_Amount]:
    """Round each line to the currency, and its tax as the rules say."""
    rounded = _ROUNDINGS[rules.rounding]
    stated = [rounded(Fraction(line.price) * Fraction(line.quantity) * 10**exponent) for line in lines]
    taxes: list[Fraction | None] = []
    for amount, line in zip(stated, lines, strict=True):
        if line.tax_rate is None:
            taxes.append(None)
        else:
            percent = Fraction(line.tax_rate)
            taxes.append(amount * percent / (100 + percent if rules.prices_include_tax else 100))
    booked = (
        [None if tax is None else rounded(tax) for tax in taxes]
        if rules.round_per == "line"
        else _apportioned(taxes, [line.tax_rate for line in lines], rounded)
    )
    return [
        _Amount(gross=amount if rules.prices_include_tax else amount + (tax or 0), tax=tax)
        for amount, tax in zip(stated, booked, strict=True)
    ]


def _apportioned(
    taxes: Sequence[Fraction | None], rates: Sequence[Decimal | None], rounded: Callable[[Fraction], int]
) -> list[int | None]:
    """Round the sum of the taxes of each rate, and give each line its share in minor units.

    The shares are rounded down; what is left goes to the lines that lost most by it, the first ones first.
    """
    shares = [None if tax is None else math.floor(tax) for tax in taxes]
    by_rate: dict[Decimal, dict[int, Fraction]] = defaultdict(dict)
    for index, (rate, tax) in enumerate(zip(rates, taxes, strict=True)):
        if rate is not None and tax is not None:
            by_rate[rate][index] = tax
    for exact in by_rate.values():
        left = rounded(sum(exact.values(), Fraction(0))) - sum(map(math.floor, exact.values()))
        by_loss = sorted(exact, key=lambda index: math.floor(exact[index]) - exact[index])
        for index in by_loss[:left]:
            shares[index] = math.floor(exact[index]) + 1
    return shares


# The items


def _item(line: PriceLine, amount: _Amount, exponent: int) -> Item:
    # Its quantity if a price of the currency multiplies out with it, or else 1.
    whole = int(line.quantity)
    fits = whole == line.quantity and whole <= MAX_QUANTITY and amount.gross % whole == 0
    pieces = whole if fits else 1
    name, tax, rate = line.product_name, amount.tax, line.tax_rate
    if pieces != line.quantity:
        quantity = _without_zeros(f"{Decimal(line.quantity):f}")
        name = line.combined_name or " ".join(filter(None, (quantity, line.unit, "x", line.product_name)))
    if rate is not None:
        # With at most four decimals, as the interface carries it.
        rate = Decimal(_without_zeros(format_units(int(Fraction(rate) * 10**RATE_DECIMALS), RATE_DECIMALS)))
    return Item(
        product_id=line.product_id,
        product_name=name,
        product_description=line.product_description,
        product_type=line.product_type,
        quantity=pieces,
        unit_amount=_major(amount.gross // pieces, exponent),
        tax_rate=rate,
        unit_tax_amount=None if tax is None or tax % pieces else _major(tax // pieces, exponent),
        total_tax_amount=None if tax is None else _major(tax, exponent),
    )


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _major(units: int, exponent: int) -> Decimal:
    # Made of text: arithmetic with decimals would round as the shop's context says.
    return Decimal(format_units(units, exponent))


# What a shop may note on an order for itself: its limits are those that the field uses


MAX_METADATA = 50
MAX_METADATA_KEY_LENGTH = 40
MAX_METADATA_VALUE_LENGTH = 500


def metadata_errors(metadata: object) -> Iterator[FieldError]:
    """Yield everything that is wrong with the metadata of an order; None means that it has no metadata."""
    if metadata is None:
        return
    if not isinstance(metadata, Mapping):
        yield FieldError("metadata", f"must map texts to texts, not be of type {type(metadata).__name__}")
        return
    if len(metadata) > MAX_METADATA:
        yield FieldError("metadata", f"has {len(metadata)} entries; at most {MAX_METADATA} are stored")
        return
    for key, value in metadata.items():
        if problem := _problem_of(key, MAX_METADATA_KEY_LENGTH):
            yield FieldError("metadata", f"the name {quote(key)} {problem}")
        elif not key:
            yield FieldError("metadata", "a name is empty")
        elif problem := _problem_of(value, MAX_METADATA_VALUE_LENGTH):
            yield FieldError(f"metadata.{visible(key)}", problem)


def _problem_of(text: object, longest: int) -> str:
    """Return what is wrong with a name or a value; empty if nothing is."""
    if not isinstance(text, str):
        return f"must be text, not {type(text).__name__}"
    if not is_storable(text):
        return "contains NUL or half of a surrogate pair, which cannot be stored"
    if len(text) > longest:
        return f"has {len(text)} characters; at most {longest} are stored"
    return "has the form of a card number, which is not stored" if has_card_number(text) else ""


# The merchant's own references (clientSystemTransactionId): created once per transaction, never used again,
# sortable by time so that an index stays compact, and unguessable


ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no two letters are confused when read aloud."""

REFERENCE_LENGTH = 26
_RANDOM_BITS = 80


def new_reference(*, now: datetime, randomness: int) -> str:
    """Return a reference of 26 characters from an aware instant and 80 random bits.

    The first ten characters are the milliseconds since 1970, so later references sort after earlier ones.
    """
    number = int(now.timestamp() * 1000) << _RANDOM_BITS | randomness
    return "".join(ALPHABET[number >> bits & 31] for bits in range(5 * (REFERENCE_LENGTH - 1), -1, -5))


# Where a customer may be led from our pages: to a path of this site, or to an origin of the shop


def is_continue_url(url: str, origins: Collection[str]) -> bool:
    """Return whether an address is a whole path of this site, or absolute with one of the shop's origins.

    Two slashes would name a host, browsers take a backslash for a slash, and skip white space and controls.
    """
    if not url.isprintable() or set(url) & set(" \\"):
        return False
    if url.startswith("/"):
        return not url.startswith("//")
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return f"{parts.scheme}://{parts.netloc}".lower() in {origin.lower() for origin in origins}
