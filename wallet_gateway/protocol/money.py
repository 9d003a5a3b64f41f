"""Amounts of money: how their text is checked, counted in minor units, and written on the wire.

"The decimal separator is the period character. A comma is not recognised and may cause an unintended amount
to be processed." "Implement tolerant parsing of both string and number, and reject comma separators."
(General conventions)

Every amount of this package passes through here. There is no binary floating point and no rounding. A text
is checked by pattern before a number is made of it, so that no input is slow or surprising.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from wallet_gateway.protocol.codes import check_currency, currency_exponent
from wallet_gateway.protocol.errors import InvalidAmount
from wallet_gateway.protocol.text import quote

MAX_DIGITS: Final = 14
"""Digits of an amount, before and after the period together."""

MAX_EXPONENT: Final = 4
"""The largest number of decimals of a currency in ISO 4217."""

MAX_UNITS: Final = 10**MAX_DIGITS - 1
TOO_LONG: Final = f"the amount has too many digits; at most {MAX_DIGITS} are allowed, decimals included"

_ZERO: Final = "the amount is zero; give one above zero"
_MAX_STORED_UNITS: Final = 2**63 - 1
_MAX_WRITTEN_DIGITS: Final = 28
"""Digits on one side of the period up to which a number is written out; Python writes millions of them."""
_AMOUNT: Final = re.compile(r"(0|[1-9][0-9]*)(?:\.([0-9]+))?")
_NO_AMOUNT: Final = (
    "{} is no amount; write digits alone, without leading zeros, with a period before decimals, as in 1000.00"
)


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in major units and its ISO 4217 currency; never negative, never finer than the currency.

    Raises InvalidAmount or UnknownCode. ``Money(Decimal("10"), "eur")`` holds ``10.00`` and ``EUR``.
    """

    amount: Decimal
    """In major units, with exactly the decimals of the currency: ``Decimal("10.00")``."""
    currency: str
    """ISO 4217, in capitals: "EUR"."""

    def __post_init__(self) -> None:
        exponent = currency_exponent(self.currency)
        if not isinstance(self.amount, Decimal):
            raise InvalidAmount(f"{quote(self.amount)} is no Decimal; give one, or use Money.parse")
        text = format_units(units_of(self.amount, exponent, limit=_MAX_STORED_UNITS), exponent)
        if text != str(self.amount):
            object.__setattr__(self, "amount", Decimal(text))
        object.__setattr__(self, "currency", check_currency(self.currency))

    @classmethod
    def parse(cls, value: object, currency: str, *, allow_zero: bool = False) -> Money:
        """Read text, a whole number, a Decimal or a Money; raises InvalidAmount or UnknownCode."""
        return cls.from_minor_units(parse_amount(value, currency, allow_zero=allow_zero), currency)

    @classmethod
    def from_minor_units(cls, units: int, currency: str) -> Money:
        """Return the money of ``units`` minor units: 1000 of EUR are 10.00."""
        if not 0 <= units <= _MAX_STORED_UNITS:
            raise InvalidAmount(f"{quote(units)} minor units are no amount; give 0 to {_MAX_STORED_UNITS}")
        return cls(Decimal(format_units(units, currency_exponent(currency))), currency)

    @property
    def minor_units(self) -> int:
        """The amount in minor units: 10.00 EUR are 1000, 10 JPY are 10."""
        return int(self.to_wire().replace(".", ""))

    def to_wire(self) -> str:
        """The amount as messages carry it: a period and exactly the currency's decimals."""
        return str(self.amount)

    def __str__(self) -> str:
        """Return the exact amount and its code, in every language the same: for logs and operators."""
        return f"{self.to_wire()} {self.currency}"


def parse_amount(value: object, currency: str, *, allow_zero: bool = False, extra_zeros: bool = False) -> int:
    """Read an amount as a count of minor units; raises InvalidAmount or UnknownCode.

    Text is ``10`` or ``10.00``. A Decimal, an int and a Money of the same currency are accepted, no float is.
    ``extra_zeros`` also accepts zeros beyond the currency's decimals, as answers may carry them.
    """
    exponent = currency_exponent(currency)
    if isinstance(value, Money):
        if value.currency != check_currency(currency):
            raise InvalidAmount(f"the amount is in {value.currency}; give it in {check_currency(currency)}")
        value = value.amount
    units = units_of(value, exponent, extra_zeros=extra_zeros)
    if not units and not allow_zero:
        raise InvalidAmount(_ZERO)
    return units


def units_of(value: object, exponent: int, *, extra_zeros: bool = False, limit: int = MAX_UNITS) -> int:
    """Count minor units of a currency with ``exponent`` decimals, zero included. Raises InvalidAmount."""
    if isinstance(value, Decimal):
        extra_zeros = True  # a DecimalField adds them
        if not value.is_finite():
            raise InvalidAmount(_NO_AMOUNT.format(quote(str(value))))
        if not value:
            return 0  # whatever its sign and exponent
        if abs(value.adjusted()) > _MAX_WRITTEN_DIGITS:
            raise InvalidAmount(TOO_LONG if value.adjusted() > 0 else _too_fine(quote(str(value)), exponent))
    elif isinstance(value, float):
        raise InvalidAmount("a binary floating-point number is not exact; give text or a Decimal")
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_UNITS:
        raise InvalidAmount(TOO_LONG)
    text = plain_text(value)
    if not isinstance(text, str):
        raise InvalidAmount(f"{quote(value)} is no amount; give text such as 10.00")
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise InvalidAmount(explain(text))
    whole, fraction = found[1], found[2] or ""
    if extra_zeros and len(fraction) > exponent:
        fraction = fraction[:exponent] + fraction[exponent:].rstrip("0")
    if len(fraction) > exponent:
        raise InvalidAmount(_too_fine(quote(text), exponent))
    # The length is judged before a number is made of the digits.
    units = int(whole + fraction.ljust(exponent, "0")) if len(whole) <= _MAX_WRITTEN_DIGITS else limit + 1
    if units > limit:
        raise InvalidAmount(TOO_LONG)
    return units


def format_units(units: int, exponent: int) -> str:
    """Write minor units as messages carry them: 1000 with two decimals is ``10.00``, with none ``1000``."""
    if not exponent:
        return str(units)
    digits = str(units)
    if len(digits) <= exponent:
        digits = digits.rjust(exponent + 1, "0")
    return f"{digits[:-exponent]}.{digits[-exponent:]}"


def write_out(value: object) -> object:
    """Write a value as the text of an amount of any currency; text stays as it is. Raises InvalidAmount."""
    if isinstance(value, str):
        return value
    if isinstance(value, Money):
        return value.to_wire()
    units_of(value, MAX_EXPONENT)  # refuses what is no amount in any currency
    return plain_text(value)


def check_above_zero(text: str) -> str:
    """Return the text of an amount above zero; raises InvalidAmount for zero."""
    if not text.strip("0."):
        raise InvalidAmount(_ZERO)
    return text


def scaled_units(text: str | None) -> int:
    """Count a valid amount in units of its fourth decimal, which fits every currency; None is 0."""
    if text is None:
        return 0
    whole, _, fraction = text.partition(".")
    return int(whole + fraction.ljust(MAX_EXPONENT, "0"))


def plain_text(value: object) -> object:
    """Write out a Decimal or whole number, also one in exponent notation; anything else stays as it is.

    The pattern of an amount or a rate judges the text.
    """
    if isinstance(value, Decimal):
        text = str(value)
        return f"{value:f}" if "E" in text and abs(value.adjusted()) <= _MAX_WRITTEN_DIGITS else text
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_UNITS:
        return str(value)
    return value


def explain(text: str) -> str:
    """Say why a text is no amount, and what would be right."""
    if found := _AMOUNT.fullmatch(text):
        is_too_long = len(found[1]) + len(found[2] or "") > MAX_DIGITS
        return TOO_LONG if is_too_long else _too_fine(quote(text), MAX_EXPONENT)
    return _NO_AMOUNT.format(quote(text))


def _too_fine(shown: str, exponent: int) -> str:
    allowed = f"at most {exponent} decimals" if exponent else "no decimals"
    return f"{shown} is finer than the currency; it has {allowed}, and nothing is rounded"
