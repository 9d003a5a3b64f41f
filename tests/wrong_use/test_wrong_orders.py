"""Wrong calls of `create_order`: each is refused whole, by a sentence with the names of its arguments."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.tables import every
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments import Discount, Item, Money, Shipping
from wallet_gateway.payments.errors import IdempotencyConflict, InvalidInput

pytestmark = pytest.mark.django_db

MUG = Item(product_id="MUG", product_name="Mug", unit_amount=Decimal("10.00"))
HOME = {"street": "A", "house_number": "1", "zip_postal_code": "1", "city": "C", "country_code": "DEU"}

NO_TEXT = "characters, none of them NUL or half of a surrogate pair"

WRONG: list[tuple[dict[str, Any], str]] = [
    # The order's own fields
    ({"reference": 17}, "reference: must be 1 to 64 visible ASCII characters without blanks, not 17"),
    ({"reference": None}, "reference: must be 1 to 64 visible ASCII characters without blanks, not None"),
    (
        {"reference": "A 17"},
        "reference: must be 1 to 64 visible ASCII characters without blanks, not 'A 17'",
    ),
    (
        {"order_number": 1001},
        "order_number: must be text of at most 127 characters, none of them NUL or half of a surrogate pair",
    ),
    ({"type": "authorize"}, "type: must be one of sale, preauthorization"),
    (
        {"currency": "Euro"},
        "currency: 'Euro' is no currency; give a three-letter ISO 4217 code such as EUR",
    ),
    ({"currency": 978}, "currency: must be a three-letter ISO 4217 code such as EUR, not int"),
    ({"language": "klingon"}, "language: 'klingon' is no language tag; give one such as de or de-AT"),
    (
        {"language": 49},
        "language: must be text of at most 35 characters, none of them NUL or half of a surrogate pair",
    ),
    (
        {"redirect_when_paid": True},
        (
            "continue_url: is needed with redirect_when_paid: the address of the page to which a "
            "customer is sent"
        ),
    ),
    # Amounts
    ({"items": ()}, "amount: is needed when there are no items"),
    (
        {"items": (), "amount": 9.99},
        "amount: a binary floating-point number is not exact; give text or a Decimal",
    ),
    (
        {"items": (), "amount": "9,99"},
        "amount: '9,99' contains a comma; the decimal separator is a period, as in 1234.50",
    ),
    ({"items": (), "amount": Money(Decimal(10), "USD")}, "amount: the amount is in USD; give it in EUR"),
    ({"items": (), "amount": [10]}, "amount: a value of type list is no amount; give text such as 10.00"),
    ({"items": (), "amount": Decimal(0)}, "amount: the amount is zero; give one above zero"),
    (
        {"amount": Decimal("9.99")},
        "items: comes to 10.00, but amount is 9.99; the two must be equal",
    ),
    # Items
    (
        {"items": [replace(MUG, unit_amount=9.99)]},  # type: ignore[arg-type]
        "items[0].unit_amount: a binary floating-point number is not exact; give text or a Decimal",
    ),
    (
        {"items": [replace(MUG, unit_amount=Decimal("9.999"))]},
        (
            "items[0].unit_amount: '9.999' is finer than the currency; it has at most 2 decimals, and "
            "nothing is rounded"
        ),
    ),
    (
        {"items": [replace(MUG, unit_amount=Decimal(-1))]},
        (
            "items[0].unit_amount: '-1' has a sign; amounts are not negative and written without "
            "one, as in 10.00"
        ),
    ),
    ({"items": [replace(MUG, quantity=0)]}, "items[0].quantity: 0 is too small; the least is 1"),
    (
        {"items": [replace(MUG, quantity=1.25)]},  # type: ignore[arg-type]
        "items[0].quantity: 1.25 is no whole number; give one, without quotes",
    ),
    ({"items": [replace(MUG, product_id=17)]}, "items[0].product_id: 17 is no text; give text"),  # type: ignore[arg-type]
    ({"items": [replace(MUG, product_name="")]}, "items[0].product_name: is empty; give a text"),
    (
        {"items": [replace(MUG, product_name="x" * 3000)]},
        "items[0].product_name: has 3000 characters; at most 255 are allowed",
    ),
    (
        {"items": [replace(MUG, product_type="ebook")]},
        "items[0].product_type: 'ebook' is not known; give 'physical', 'digital', 'giftcard' or 'surcharge'",
    ),
    (
        {"items": [replace(MUG, unit_tax_amount=Decimal(1))]},
        "items[0].tax_rate: is missing; it is required where unit_tax_amount is given",
    ),
    (
        {"items": [replace(MUG, discount_amount=Decimal(1))]},
        "items[0].discount_name: is missing; it is required where discount_amount is above zero",
    ),
    (
        {"items": [replace(MUG, discount_amount=Decimal(11), discount_name="x")]},
        "items[0].discount_amount: exceeds unit_amount x quantity",
    ),
    # Shipping and discounts
    (
        {"shipping": Shipping(name="", amount=Decimal(1))},
        "shipping.name: is missing; it is required where amount is above zero",
    ),
    (
        {"discounts": [Discount(name="x", amount=Decimal(1), type="coupon")]},
        "discounts[0].type: 'coupon' is not known; give 'discount', 'storecredit' or 'giftcard'",
    ),
    (
        {"discounts": [Discount(name="x", amount=Decimal(11))]},
        "discounts: exceed what the lines and shipping come to",
    ),
    # The customer
    (
        {"cardholder_email": "no-at"},
        "cardholder_email: is no e-mail address; give one such as ada@shop.example",
    ),
    (
        {"cardholder_mobile_phone": "0151 1234567"},
        (
            "cardholder_mobile_phone: '0151 1234567' is no mobile number; give calling code, hyphen and "
            "number, such as 49-15112345678"
        ),
    ),
    ({"cardholder_id": 17}, "cardholder_id: 17 is no text; give text"),
    ({"billing_address": "Main Road 1"}, "billing_address: must be a BillingAddress or a dict, not str"),
    (
        {"billing_address": HOME | {"zip": "1"}},
        (
            "billing_address.zip: is unknown; the fields are: house_number, street, city, "
            "zip_postal_code, state, "
            "country_code"
        ),
    ),
    (
        {"billing_address": HOME | {"country_code": "DE"}},
        "billing_address.country_code: 'DE' is no country; give a three-letter ISO 3166 code such as DEU",
    ),
    (
        {"billing_address": payments.BillingAddress(**HOME | {"country_code": "DE"})},
        "billing_address.country_code: 'DE' is no country; give a three-letter ISO 3166 code such as DEU",
    ),
    (
        {"shipping_address": payments.ShippingAddress(email="no-at")},
        "shipping_address.email: is no e-mail address; give one such as ada@shop.example",
    ),
    (
        {"billing_address": HOME | {"state": "GB-ENG"}},
        "billing_address.state: 'GB-ENG' does not lie in DEU; give a state of that country, or leave it out",
    ),
    (
        {"shipping_address": {"email": "no-at"}},
        "shipping_address.email: is no e-mail address; give one such as ada@shop.example",
    ),
]


def create(**given: Any) -> PaymentOrder:
    """Call `create_order` with what is right but for `given`."""
    return payments.create_order(**({"reference": "SHOP-1", "currency": "EUR", "items": [MUG]} | given))


WRONG_TYPE: list[dict[str, Any]] = [
    {"items": MUG},
    {"items": [{"product_id": "MUG"}]},
    {"items": [MUG, SimpleNamespace()]},
    {"items": "mug"},
    {"shipping": Decimal("4.90")},
    {"shipping": {"name": "Parcel"}},
    {"discounts": Discount(name="x", amount=Decimal(1))},
]


@every("given", WRONG_TYPE)
def test_what_is_no_line_is_an_error_before_anything_is_stored(given: dict[str, Any]) -> None:
    with pytest.raises((TypeError, AttributeError)):
        create(**given)
    assert not PaymentOrder.objects.exists()


@every(("given", "sentence"), WRONG)
def test_a_wrong_order_is_refused_with_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        create(**given)
    assert refused.value.message == f"The order is not valid. {sentence}"
    assert not PaymentOrder.objects.exists()


def test_an_unknown_gateway_is_refused_with_those_there_are() -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        create(gateway="second")
    assert str(refused.value) == "WALLET_GATEWAY['GATEWAYS'] has no 'second'; it has: default"


def test_a_reference_is_used_once() -> None:
    create()
    with pytest.raises(IdempotencyConflict) as refused:
        create(order_number="A-2")
    assert refused.value.message == (
        "Reference SHOP-1 belongs to an order with other content (order_number). "
        "An order that has changed needs its own reference."
    )
