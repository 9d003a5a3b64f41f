"""What an order's arguments may be where the protocol has no rule of its own."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from tests.operations.conftest import MUG
from tests.tables import every
from wallet_gateway import payments
from wallet_gateway.operations.checkout.order_fields import (
    too_long_names,
    wrong_addresses,
    wrong_language,
    wrong_reference,
    wrong_texts,
)
from wallet_gateway.protocol.cart import Discount, Shipping
from wallet_gateway.protocol.errors import FieldError

LANGUAGES = ["de", "de-AT", "de_AT", "DE", "zh-Hant-TW", "es-419", "gsw", "sl-IT-nedis", "", None]


@every("language", LANGUAGES)
def test_a_language_is_a_tag(language: str | None) -> None:
    assert list(wrong_language(language)) == []


@every("language", ["klingon", "d", "deutsch", "de-", "de--AT", "de AT", "1a", "de-ABCDEFGHI", "d\u00e9"])
def test_another_word_is_no_language(language: str) -> None:
    (fault,) = wrong_language(language)
    assert fault.path == "language"
    assert fault.message.endswith("is no language tag; give one such as de or de-AT")


@every("reference", ["1", "A-17", "x" * 64, "#2024/17~!"])
def test_a_reference_is_visible_ascii(reference: str) -> None:
    assert list(wrong_reference(reference)) == []


def test_a_wrong_reference_is_quoted_without_a_card_number() -> None:
    (fault,) = wrong_reference("4111 1111 1111 1111")
    assert "4111 1111 1111" not in fault.message
    assert fault.message.startswith("must be 1 to 64 visible ASCII characters without blanks, not '")


def test_texts_are_limited_as_their_columns() -> None:
    assert list(wrong_texts(order_number="x" * 127, language=None, continue_url="/" * 500)) == []
    faults = list(wrong_texts(order_number="x" * 128, language=7, continue_url="a\0"))
    assert [fault.path for fault in faults] == ["order_number", "language", "continue_url"]


HOME = {"street": "A", "house_number": "1", "zip_postal_code": "1", "city": "C", "country_code": "DEU"}


@every("address", [None, {}, HOME, payments.BillingAddress(**HOME)])
def test_an_address_is_its_class_or_a_dict_of_its_fields(address: object) -> None:
    assert list(wrong_addresses(billing_address=address)) == []


@every(
    ("address", "path", "message"),
    [
        ("Main Road 1", "billing_address", "must be a BillingAddress or a dict, not str"),
        ([HOME], "billing_address", "must be a BillingAddress or a dict, not list"),
        ({"zip": "1"}, "billing_address.zip", "is unknown; the fields are: house_number, street, city,"),
        ({"countryCode": "DEU"}, "billing_address.countryCode", "zip_postal_code, state, country_code"),
    ],
)
def test_another_address_is_refused_by_name(address: object, path: str, message: str) -> None:
    (fault,) = wrong_addresses(billing_address=address)
    assert fault.path == path
    assert message in fault.message


def lines(**given: Any) -> list[FieldError]:
    return list(too_long_names(given.get("items", ()), given.get("shipping"), given.get("discounts", ())))


LONG = "x" * 256


@every(
    ("given", "path"),
    [
        ({"items": [replace(MUG, product_id=LONG)]}, "items[0].product_id"),
        ({"items": [MUG, replace(MUG, product_name=LONG)]}, "items[1].product_name"),
        ({"items": [replace(MUG, discount_name=LONG)]}, "items[0].discount_name"),
        ({"items": [replace(MUG, product_description="x" * 2001)]}, "items[0].product_description"),
        ({"shipping": Shipping(name=LONG, amount=Decimal(1))}, "shipping.name"),
        ({"discounts": [Discount(name=LONG, amount=Decimal(1))]}, "discounts[0].name"),
    ],
)
def test_a_text_of_a_line_that_is_too_long_is_refused_with_its_length(
    given: dict[str, Any], path: str
) -> None:
    (fault,) = lines(**given)
    most = 2000 if path.endswith("description") else 255
    assert fault == FieldError(path, f"has {most + 1} characters; at most {most} are allowed")


def test_the_longest_texts_are_taken() -> None:
    whole = replace(MUG, product_name="x" * 255, product_description="x" * 2000)
    assert lines(items=[whole], discounts=[Discount(name="x" * 255, amount=Decimal(1))]) == []
