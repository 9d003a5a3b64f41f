"""ISO tables: what is in them, what is not, and what never gets near them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files

import pycountry
import pytest

from tests.support.tables import every
from wallet_gateway.protocol.codes import (
    alpha_2_country,
    alpha_3_country,
    check_country,
    check_country_of_wallet,
    check_currency,
    check_subdivision,
    currency_exponent,
    is_country,
    subdivision_is_in,
)
from wallet_gateway.protocol.errors import UnknownCode

EXPONENTS = {
    0: "JPY KRW ISK CLP VND UGX XOF XPF",
    2: "EUR USD GBP CHF INR HUF MRU MGA",
    3: "KWD BHD JOD OMR TND IQD LYD",
    4: "CLF UYW",
}


@every(("exponent", "codes"), EXPONENTS.items())
def test_a_currency_has_the_decimals_iso_4217_gives_it(exponent: int, codes: str) -> None:
    for code in codes.split():
        assert (check_currency(code), currency_exponent(code)) == (code, exponent)


WITHOUT_DECIMALS = ("XAU", "XAG", "XPT", "XPD", "XXX", "XTS", "XDR", "XSU", "XUA")
"""One cannot pay in gold or in test codes."""
NOT_CODES = (
    *("", "E", "EU", "EURO", "E R", " EUR", "EUR ", "EUR\n", "978", "€", "\u0415UR", "EUR\0", "ßEU"),
    *("\u017fEK", "\u212aRW", "ZZZ"),
)
NO_SUBDIVISIONS = ("", "BY", "DE", "DE-", "DE-XX", "DEU-BY", "DE BY", "DE-BY ", "DE-BAYE", "\uff24E-BY")
TWO_LETTERS = ("", "DEU", "XX", "D", "\uff24\uff25", "DE ")
REFUSED: list[tuple[Callable[[str], object], str, tuple[str, ...]]] = [
    (check_currency, "ISO 4217 code such as EUR", (*NOT_CODES, *WITHOUT_DECIMALS, "DEU", "BTC")),
    (currency_exponent, "ISO 4217 code such as EUR", ("", "XAU", "EURO")),
    (check_country, "code such as DEU", (*NOT_CODES, "DE", "UK", "ENG", "EUR", "276", "\u017fUR")),
    (check_subdivision, "code such as DE-BY", NO_SUBDIVISIONS),
    (check_country_of_wallet, "two-letter", TWO_LETTERS),
    (alpha_3_country, "two-letter", TWO_LETTERS),
]


@every(("check", "example", "codes"), REFUSED)
def test_what_is_no_code_is_refused_with_an_example(
    check: Callable[[str], object], example: str, codes: tuple[str, ...]
) -> None:
    for code in codes:
        with pytest.raises(UnknownCode, match=example):
            check(code)


@every(
    ("check", "given", "held"),
    [
        (check_currency, "eur", "EUR"),
        (check_currency, "kWd", "KWD"),
        (currency_exponent, "Jpy", 0),
        (check_country, "DEU", "DEU"),
        (check_country, "aut", "AUT"),
        (check_subdivision, "us-ca", "US-CA"),
        (check_subdivision, "AT-9", "AT-9"),
        (check_country_of_wallet, "gB", "GB"),
        (alpha_3_country, "Sx", "SXM"),
        (alpha_2_country, "xkx", "XK"),
    ],
)
def test_a_code_is_read_in_any_letter_case_and_given_back_as_iso_writes_it(
    check: Callable[[str], object], given: str, held: object
) -> None:
    assert check(given) == held


def test_a_subdivision_lies_in_one_country() -> None:
    assert subdivision_is_in("DE-BY", "DEU")
    assert subdivision_is_in("GB-ENG", "GBR")
    assert not subdivision_is_in("DE-BY", "AUT")
    assert not subdivision_is_in("CA-ON", "USA")


def test_the_table_of_countries_is_that_of_iso_3166() -> None:
    lines = files("wallet_gateway.protocol").joinpath("iso_3166.txt").read_text("ascii").splitlines()
    table = {alpha_3: (alpha_2, set(parts)) for alpha_3, alpha_2, *parts in map(str.split, lines)}
    found = {country.alpha_3: (country.alpha_2, set[str]()) for country in pycountry.countries}
    of_two_letters = dict(found.values())
    for subdivision in pycountry.subdivisions:
        of_two_letters[subdivision.country_code].add(subdivision.code.partition("-")[2])
    assert table == found, "scripts/update-codes writes the table anew"
    assert all(map(is_country, found))


@pytest.mark.wire
def test_importing_the_messages_loads_no_framework_and_no_table() -> None:
    code = "import sys, wallet_gateway.protocol.endpoints; print({'iso4217', 'django'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
