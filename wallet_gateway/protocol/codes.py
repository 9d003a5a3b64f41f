"""ISO codes: currencies with their decimals (4217), countries (3166-1 alpha-3), subdivisions (3166-2).

A new order is in a currency that ``iso4217`` lists. What was paid in one that ISO has withdrawn since is
still captured and refunded: ``iso_4217.txt`` beside this file keeps each code that was ever in use here, and
a stored row its own number of decimals. The countries stand in ``iso_3166.txt``. ``scripts/update-codes``
writes both. All are loaded when the first code is checked, because importing this package must stay cheap.
Codes are compared without letter case and returned in ISO's.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from wallet_gateway.protocol.errors import UnknownCode
from wallet_gateway.protocol.text import quote

if TYPE_CHECKING:
    from collections.abc import Mapping


class Currency(str):
    """A currency's code that knows how many decimals its amounts have; equal to the same code as text."""

    __slots__ = ("exponent",)
    exponent: int

    def __new__(cls, code: str, exponent: int) -> Self:
        """Return the code with its exponent, the word of ISO 4217: 2 for EUR, 0 for JPY, 3 for KWD."""
        currency = super().__new__(cls, code)
        currency.exponent = exponent
        return currency

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        """Return what `__new__` needs, for copies and pickles."""
        return str(self), self.exponent


@cache
def currency_exponents() -> Mapping[str, int]:
    """Return today's currencies with their decimals; codes without decimals, such as gold, are left out."""
    from iso4217 import Currency

    return MappingProxyType(
        {currency.code: currency.exponent for currency in Currency if currency.exponent is not None}
    )


@cache
def _kept_exponents() -> Mapping[str, int]:
    """Return the currencies of any time with their decimals: a line for each number of decimals, from 0."""
    lines = files(__package__).joinpath("iso_4217.txt").read_text(encoding="ascii").splitlines()
    return {code: exponent for exponent, line in enumerate(lines) for code in line.split()}


_BESIDE_ISO = {"ASC": "AC", "TAA": "TA", "XKX": "XK"}
"""Ascension, Tristan da Cunha and Kosovo: not in ISO 3166, but in the addresses that wallets give."""


@cache
def _table() -> list[list[str]]:
    """Return each country: alpha-3, alpha-2, then what follows the hyphen in each of its subdivisions."""
    text = files(__package__).joinpath("iso_3166.txt").read_text(encoding="ascii")
    return [line.split() for line in text.splitlines()]


@cache
def _countries() -> Mapping[str, str]:
    """Return alpha-2 codes by alpha-3 code; subdivision codes begin with alpha-2."""
    return {alpha_3: alpha_2 for alpha_3, alpha_2, *_ in _table()} | _BESIDE_ISO


@cache
def _subdivisions() -> frozenset[str]:
    return frozenset(f"{alpha_2}-{part}" for _, alpha_2, *parts in _table() for part in parts)


def currency_exponent(code: str) -> int:
    """Return the number of decimals of a currency, withdrawn ones included; raises UnknownCode."""
    return check_currency(code).exponent


def check_currency(code: object) -> Currency:
    """Return an ISO 4217 currency in upper case, also a withdrawn one; that of a row is returned as it is.

    Raises UnknownCode, also for a code without decimals.
    """
    if isinstance(code, Currency):
        return code
    # In other scripts there are letters whose capitals are in ASCII.
    upper = code.upper() if isinstance(code, str) and code.isascii() else ""
    exponent = currency_exponents().get(upper, _kept_exponents().get(upper))
    if exponent is None:
        raise UnknownCode(f"{quote(code)} is no currency; give a three-letter ISO 4217 code such as EUR")
    return Currency(upper, exponent)


def stored_currency(code: str, exponent: int | None) -> str:
    """Return the currency of a row by its own exponent; one without is left to the table."""
    return code if exponent is None else Currency(code, exponent)


def check_currency_of_today(code: str) -> Currency:
    """Return a currency for a new order; raises UnknownCode for one that ISO 4217 has withdrawn, too."""
    currency = check_currency(str(code))
    if currency not in currency_exponents():
        raise UnknownCode(f"{quote(code)} is withdrawn from ISO 4217; give the currency that has replaced it")
    return currency


def check_country(code: str) -> str:
    """Return an ISO 3166 alpha-3 country in upper case; raises UnknownCode."""
    if is_country(code):
        return code.upper()
    raise UnknownCode(f"{quote(code)} is no country; give a three-letter ISO 3166 code such as DEU")


def check_country_of_wallet(code: str) -> str:
    """Return an ISO 3166 alpha-2 country in upper case, as wallets write them; raises UnknownCode."""
    if code.isascii() and (upper := code.upper()) in _countries().values():
        return upper
    raise UnknownCode(f"{quote(code)} is no country; give a two-letter ISO 3166 code such as DE")


def alpha_3_country(code: str) -> str:
    """Return the alpha-3 code of a country given by its alpha-2 code; raises UnknownCode."""
    alpha_2 = check_country_of_wallet(code)
    return next(alpha_3 for alpha_3, known in _countries().items() if known == alpha_2)


def alpha_2_country(code: str) -> str:
    """Return the alpha-2 code of a country given by its alpha-3 code; raises UnknownCode."""
    return _countries()[check_country(code)]


def is_country(code: str) -> bool:
    """Return whether a code is a country's alpha-3 code, in any letter case."""
    return code.isascii() and code.upper() in _countries()


def is_subdivision(code: str) -> bool:
    """Return whether a code is a subdivision's, in any letter case."""
    return code.isascii() and code.upper() in _subdivisions()


def check_subdivision(code: str) -> str:
    """Return an ISO 3166-2 subdivision in upper case; raises UnknownCode."""
    if is_subdivision(code):
        return code.upper()
    raise UnknownCode(f"{quote(code)} is no state or region; give an ISO 3166-2 code such as DE-BY")


def subdivision_is_in(subdivision: str, country: str) -> bool:
    """Whether a checked subdivision lies in a checked alpha-3 country."""
    return subdivision[:2] == _countries()[country]
