"""Whether two texts are one e-mail address."""

from __future__ import annotations

import pytest

from wallet_gateway.domain.customers import is_same_email


def test_an_address_is_the_same_in_any_letter_case_and_composition() -> None:
    assert is_same_email("J\u00dcRGEN@example.com", "j\u00fcrgen@EXAMPLE.com")
    assert is_same_email("JU\u0308RGEN@example.com", "j\u00fcrgen@example.com")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("jose@example.com", "jos\u00e9@example.com"),
        ("k@example.com", "\u212a@example.com"),
        ("i@example.com", "\u0131@example.com"),
        ("strasse@example.com", "stra\u00dfe@example.com"),
        ("ada@example.com", "ada@example.org"),
    ],
)
def test_letters_that_only_look_alike_are_of_another_address(one: str, other: str) -> None:
    assert not is_same_email(one, other)
    assert not is_same_email(other, one.upper())
