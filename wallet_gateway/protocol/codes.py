"""ISO codes: currencies with their decimals (4217), countries (3166-1 alpha-3), subdivisions (3166-2).

The currencies are those of ``iso4217``, the countries stand in ``iso_3166.txt`` beside this file, which
``scripts/update-countries`` writes. Both are loaded when the first code is checked, because importing this
package must stay cheap. Codes are compared without letter case and returned in ISO's.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

from wallet_gateway.protocol.errors import UnknownCode
from wallet_gateway.protocol.text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_THREE_LETTERS = re.compile(r"[A-Za-z]{3}")
_SUBDIVISION = re.compile(r"[A-Za-z]{2}-[A-Za-z0-9]{1,3}")


@cache
def currency_exponents() -> Mapping[str, int]:
    """Return the currencies with their decimals; codes without decimals, such as gold, are left out."""
    from iso4217 import Currency

    return MappingProxyType(
        {currency.code: currency.exponent for currency in Currency if currency.exponent is not None}
    )


@cache
def _countries() -> Mapping[str, str]:
    """Return alpha-2 codes by alpha-3 code; subdivision codes begin with alpha-2."""
    return {alpha_3: alpha_2 for alpha_3, alpha_2, *_ in _table()}


@cache
def _subdivisions() -> frozenset[str]:
    return frozenset(f"{alpha_2}-{part}" for _, alpha_2, *parts in _table() for part in parts)


def _table() -> Iterator[list[str]]:
    """Yield each country: alpha-3, alpha-2, then what follows the hyphen in each of its subdivisions."""
    text = files(__package__).joinpath("iso_3166.txt").read_text(encoding="ascii")
    return map(str.split, text.splitlines())


def currency_exponent(code: str) -> int:
    """Return the number of decimals of a currency: 2 for EUR, 0 for JPY, 3 for KWD; raises UnknownCode."""
    exponents = currency_exponents()
    return exponents[code if code in exponents else check_currency(code)]


def check_currency(code: str) -> str:
    """Return an ISO 4217 currency in upper case; raises UnknownCode for one without decimals."""
    if code in currency_exponents():
        return code
    is_text = isinstance(code, str)
    if is_text and _THREE_LETTERS.fullmatch(code) and (upper := code.upper()) in currency_exponents():
        return upper
    raise UnknownCode(f"{quote(code)} is no currency; give a three-letter ISO 4217 code such as EUR")


def check_country(code: str) -> str:
    """Return an ISO 3166 alpha-3 country in upper case; raises UnknownCode."""
    if _THREE_LETTERS.fullmatch(code) and (upper := code.upper()) in _countries():
        return upper
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


def check_subdivision(code: str) -> str:
    """Return an ISO 3166-2 subdivision in upper case; raises UnknownCode."""
    if _SUBDIVISION.fullmatch(code) and (upper := code.upper()) in _subdivisions():
        return upper
    raise UnknownCode(f"{quote(code)} is no state or region; give an ISO 3166-2 code such as DE-BY")


def subdivision_is_in(subdivision: str, country: str) -> bool:
    """Whether a checked subdivision lies in a checked alpha-3 country."""
    return subdivision[:2] == _countries()[country]
