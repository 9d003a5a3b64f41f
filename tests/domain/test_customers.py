"""Whether two orders are of two customers: both are known, and nothing of them is the same."""

from __future__ import annotations

from typing import Any

import pytest

from wallet_gateway.domain.customers import are_two_customers, identifiers_of, is_same_email

ADA = {"cardholderEmail": "ada@example.com", "cardholderMobilePhone": "49-301234"}


@pytest.mark.parametrize(
    "other",
    [
        {"cardholderEmail": "bob@example.com"},
        {"cardholderId": "C-7"},
        {"cardholderNationalIdentificationNumber": "850101-1234"},
        {"cardholderHomePhone": "49-309999"},
    ],
)
def test_who_shares_nothing_is_another_customer(other: dict[str, Any]) -> None:
    assert are_two_customers(identifiers_of(ADA), identifiers_of(other))


@pytest.mark.parametrize(
    "other",
    [
        {"cardholderEmail": "ada@example.com"},
        {"cardholderEmail": " Ada+second@Example.com"},
        {"cardholderEmail": "bob@example.com", "cardholderWorkPhone": "(49) 30 1234"},
    ],
)
def test_who_shares_anything_is_the_same(other: dict[str, Any]) -> None:
    assert not are_two_customers(identifiers_of(ADA), identifiers_of(other))


@pytest.mark.parametrize("nobody", [{}, {"language": "de", "cardholderEmail": None}])
def test_of_whom_nothing_is_known_may_be_any_other(nobody: dict[str, Any]) -> None:
    assert not are_two_customers(identifiers_of(ADA), identifiers_of(nobody))
    assert not are_two_customers(identifiers_of(nobody), identifiers_of(nobody))


def test_a_session_and_an_account_make_one_customer_of_two_and_never_two_of_one() -> None:
    bob = {"cardholderEmail": "bob@example.com"}
    assert not are_two_customers(
        identifiers_of(ADA, sessions=["s"]), identifiers_of(bob, sessions=["s", "t"])
    )
    assert not are_two_customers(identifiers_of(ADA, accounts=["a"]), identifiers_of(bob, accounts=["a"]))
    assert not are_two_customers(identifiers_of({}, sessions=["s"]), identifiers_of({}, sessions=["t"]))
    assert not are_two_customers(identifiers_of({}, accounts=["a"]), identifiers_of({}, accounts=["b"]))


def test_the_address_that_a_wallet_gave_counts_as_the_shops_own() -> None:
    assert are_two_customers(identifiers_of(ADA), identifiers_of({}, emails=["bob@example.com"]))
    assert not are_two_customers(identifiers_of(ADA), identifiers_of({}, emails=["ADA@example.com"]))


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
