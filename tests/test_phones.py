"""Mobile numbers as people and browsers write them, with the library and without it."""

from __future__ import annotations

import sys
from importlib.resources import files

import phonenumbers
import pytest

from tests.support.tables import every
from wallet_gateway.phones import read_mobile_phone


@pytest.fixture(params=["phonenumbers", "the list"], autouse=True)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "the list":
        monkeypatch.setitem(sys.modules, "phonenumbers", None)
    return str(request.param)


@every(
    ("text", "country", "read"),
    [
        *(
            (text, None, read)
            for text, read in {
                "+491711234567": "49-1711234567",
                "+44 (0)7700 900123": "44-7700900123",
                "+46 ( 0 ) 70-123 45 67": "46-701234567",
                "0043 664 1234567": "43-6641234567",
                "+(353) 86 123.4567": "353-861234567",
                "+1 (212) 555-0123": "1-2125550123",
                "+7/912/345-67-89": "7-9123456789",
                "+39 06 698 12345": "39-0669812345",
                "+39 (0)6 698 12345": "39-0669812345",
                "+225 07 01 02 03 04": "225-0701020304",
                "\u202a+383\u00a044\u2011123\u2011456\u202c": "383-44123456",
                " 49-1711234567 ": "49-1711234567",
            }.items()
        ),
        ("0171 1234567", "DEU", "49-1711234567"),
        ("030-1234567", "deu", "49-301234567"),
        ("06 698 12345", "ITA", "39-0669812345"),
        ("(212) 555-0123", "USA", "1-2125550123"),
        ("1 604 555 0123", "CAN", "1-6045550123"),
        ("8 (912) 345-67-89", "RUS", "7-9123456789"),
        ("06 20 123 4567", "HUN", "36-201234567"),
        ("612 345 678", "ESP", "34-612345678"),
        ("044 123 456", "XKX", "383-44123456"),
        ("+43 664 1234567", "DEU", "43-6641234567"),
    ],
)
def test_a_number_is_brought_into_the_form_by_its_calling_code_or_by_the_country(
    text: str, country: str | None, read: str
) -> None:
    assert read_mobile_phone(text, country) == read


DOUBTFUL = [
    *(
        "",
        "?",
        "0171 1234567",
        "491711234567",
        "+999 1234567",
        "+49",
        "+49 171 CALL",
        "+49 171 1234567 ext. 5",
    ),
    *("4" * 40, "+" + "4" * 40, "+\u0669\u0667\u0661 50 123 4567", "\uff0b81 90 1234 5678"),
    *("++49 171 1234567", "+49 171 +1234567", "+44 20 7946 0958 / 59 60 61"),
]


@every("text", DOUBTFUL)
def test_what_is_doubtful_stays_as_it_is(text: str) -> None:
    assert read_mobile_phone(text) == text
    assert read_mobile_phone(text, "ATA") == text


def test_the_list_is_that_of_the_library() -> None:
    regions = {
        str(code): [region for region in found if region != "001"]
        for code, found in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()
    }
    lines = files("wallet_gateway.protocol").joinpath("calling_codes.txt").read_text("ascii").splitlines()
    found = {code: regions for code, _, *regions in map(str.split, lines)}
    assert found == regions, "scripts/update-codes writes the list anew"
