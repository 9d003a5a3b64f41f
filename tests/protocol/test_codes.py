"""ISO tables: what is in them, what is not, and what never gets near them."""

from __future__ import annotations

import subprocess
import sys

import pycountry
import pytest

from tests.tables import every
from wallet_gateway.protocol import codes
from wallet_gateway.protocol.codes import (
    alpha_3_country,
    check_country,
    check_country_of_wallet,
    check_currency,
    check_subdivision,
    currency_exponent,
    subdivision_is_in,
)
from wallet_gateway.protocol.errors import UnknownCode


@every(
    ("code", "exponent"),
    [
        ("EUR", 2), ("USD", 2), ("GBP", 2), ("CHF", 2), ("INR", 2), ("HUF", 2), ("MRU", 2), ("MGA", 2),
        ("JPY", 0), ("KRW", 0), ("ISK", 0), ("CLP", 0), ("VND", 0), ("UGX", 0), ("XOF", 0), ("XPF", 0),
        ("KWD", 3), ("BHD", 3), ("JOD", 3), ("OMR", 3), ("TND", 3), ("IQD", 3), ("LYD", 3),
        ("CLF", 4), ("UYW", 4),
    ],
)  # fmt: skip
def test_a_currency_has_the_decimals_iso_4217_gives_it(code: str, exponent: int) -> None:
    assert currency_exponent(code) == exponent
    assert check_currency(code) == code


@every("code", ["XAU", "XAG", "XPT", "XPD", "XXX", "XTS", "XDR", "XSU", "XUA"])
def test_one_cannot_pay_in_gold_or_in_test_codes(code: str) -> None:
    with pytest.raises(UnknownCode, match="ISO 4217"):
        check_currency(code)


NOT_CODES = [
    "",
    "E",
    "EU",
    "EURO",
    "E R",
    " EUR",
    "EUR ",
    "EUR\n",
    "978",
    "€",
    "\u0415UR",
    "EUR\0",
    "ßEU",
    "\u017fEK",
    "\u212aRW",
]


@every("code", [*NOT_CODES, "ZZZ", "DEM", "BTC"], ids=ascii)
def test_what_is_no_currency_is_refused_with_an_example(code: str) -> None:
    with pytest.raises(UnknownCode, match="EUR"):
        check_currency(code)
    with pytest.raises(UnknownCode):
        currency_exponent(code)


@pytest.mark.parametrize(("given", "held"), [("eur", "EUR"), ("Jpy", "JPY"), ("kWd", "KWD")])
def test_a_currency_is_given_back_in_upper_case(given: str, held: str) -> None:
    assert check_currency(given) == held
    assert currency_exponent(given) == currency_exponent(held)


@pytest.mark.parametrize(("given", "held"), [("DEU", "DEU"), ("aut", "AUT"), ("Gbr", "GBR"), ("usa", "USA")])
def test_a_country_is_given_back_as_iso_writes_it(given: str, held: str) -> None:
    assert check_country(given) == held


@every("code", [*NOT_CODES, "DE", "GB", "UK", "ENG", "EUR", "276", "\u017fUR"], ids=ascii)
def test_what_is_no_alpha_3_country_is_refused_with_an_example(code: str) -> None:
    with pytest.raises(UnknownCode, match="DEU"):
        check_country(code)


@pytest.mark.parametrize(
    ("given", "held"), [("DE-BY", "DE-BY"), ("us-ca", "US-CA"), ("AT-9", "AT-9"), ("fr-idf", "FR-IDF")]
)
def test_a_subdivision_is_given_back_as_iso_writes_it(given: str, held: str) -> None:
    assert check_subdivision(given) == held


@every(
    "code", ["", "BY", "DE", "DE-", "DE-XX", "DEU-BY", "DE BY", "DE-BY ", "DE-BAYE", "\uff24E-BY"], ids=ascii
)
def test_what_is_no_subdivision_is_refused_with_an_example(code: str) -> None:
    with pytest.raises(UnknownCode, match="DE-BY"):
        check_subdivision(code)


@pytest.mark.parametrize(
    ("subdivision", "country", "inside"),
    [
        ("DE-BY", "DEU", True),
        ("DE-BY", "AUT", False),
        ("US-CA", "USA", True),
        ("GB-ENG", "GBR", True),
        ("CA-ON", "USA", False),
    ],
)
def test_a_subdivision_lies_in_one_country(subdivision: str, country: str, inside: bool) -> None:
    assert subdivision_is_in(subdivision, country) is inside


@pytest.mark.wire
def test_importing_the_messages_loads_no_table_and_no_framework() -> None:
    code = (
        "import sys, wallet_gateway.protocol.endpoints, wallet_gateway.protocol.codes as codes;"
        "print(sorted({'iso4217', 'django'} & set(sys.modules)), codes._countries.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] 0"


def test_the_table_of_countries_is_that_of_iso_3166() -> None:
    assert codes._countries() == {country.alpha_3: country.alpha_2 for country in pycountry.countries}
    assert codes._subdivisions() == {subdivision.code for subdivision in pycountry.subdivisions}, (
        "scripts/update-codes writes the table anew"
    )


@pytest.mark.parametrize("code", ["DE", "de", "gB"])
def test_a_country_of_a_wallet_has_two_letters_in_any_case(code: str) -> None:
    assert check_country_of_wallet(code) == code.upper()


@every("code", ["", "DEU", "XX", "D", "\uff24\uff25", "DE "])
def test_what_is_no_country_of_a_wallet_is_refused(code: str) -> None:
    with pytest.raises(UnknownCode, match="two-letter"):
        check_country_of_wallet(code)


@every(("code", "alpha_3"), [("DE", "DEU"), ("gb", "GBR"), ("Sx", "SXM")])
def test_a_country_is_found_by_its_two_letters(code: str, alpha_3: str) -> None:
    assert alpha_3_country(code) == alpha_3


@every("code", ["", "DEU", "XX", "DE "])
def test_no_other_letters_find_a_country(code: str) -> None:
    with pytest.raises(UnknownCode, match="two-letter"):
        alpha_3_country(code)
