"""One line of street and house number, as many shops keep it, and the address that the interface wants."""

from __future__ import annotations

from tests.support.tables import every
from wallet_gateway.contrib.bridges import postal_address

REST = {"city": "Hamburg", "postcode": "20095", "country": "DE"}


@every(
    ("line", "street", "number"),
    [
        ("Lerchenweg 7", "Lerchenweg", "7"),
        ("Lerchenweg  7b ", "Lerchenweg", "7b"),
        ("7 High Street", "High Street", "7"),
        ("Straße des 17. Juni 135", "Straße des 17. Juni", "135"),
        ("7 High Street 7", "7 High Street", "7"),
        ("221B Baker Street", "Baker Street", "221B"),
    ],
)
def test_the_house_number_is_the_last_or_first_word_with_a_digit(line: str, street: str, number: str) -> None:
    assert postal_address(line=line, **REST) == {
        "street": street,
        "house_number": number,
        "city": "Hamburg",
        "zip_postal_code": "20095",
        "country_code": "DEU",
    }


@every(
    "missing",
    [
        {"line": "High Street"},
        {"line": "7"},
        {"line": ""},
        {"city": " "},
        {"postcode": ""},
        {"country": ""},
        {"country": "XX"},
        {"country": "DEU"},
    ],
)
def test_an_address_that_lacks_a_part_is_none(missing: dict[str, str]) -> None:
    assert postal_address(**({"line": "Lerchenweg 7"} | REST | missing)) is None
