"""Orders that are refused: by the path of what is wrong, all of it at once, and nothing is stored."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet
from django.db import connection
from django.db import transaction as db_transaction
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.operations.checkout.conftest import Create
from tests.operations.checkout.order_parts import BILLING
from tests.operations.conftest import MUG
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.checkout import order_fields
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.protocol.cart import Discount, Shipping
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db


def bad(path: str, message: str = "", /, **details: Any) -> ParameterSet:
    return pytest.param(path, message, details, id=f"{path} {next(iter(details))} {message}"[:70])


REFUSED = [
    bad("reference", "1 to 64 visible ASCII", reference=""),
    bad("reference", "1 to 64 visible ASCII", reference="x" * 65),
    bad("reference", "1 to 64 visible ASCII", reference="a b"),
    bad("reference", "1 to 64 visible ASCII", reference="a\n"),
    bad("reference", "1 to 64 visible ASCII", reference="ä"),
    bad("reference", "without blanks, not 7", reference=7),
    bad("reference", "without blanks, not None", reference=None),
    bad("currency", "no currency", currency="XYZ"),
    bad("currency", "no currency", currency=""),
    bad("currency", "no currency", currency="€"),
    bad("currency", "not NoneType", currency=None),
    bad("currency", "not list", currency=["EUR"]),
    bad("type", "sale, preauthorization", type="authorization"),
    bad("type", "sale, preauthorization", type=None),
    bad("type", "sale, preauthorization", type=["sale"]),
    bad("amount", "needed when there are no items", items=()),
    bad("amount", "zero", items=(), amount=Decimal(0)),
    bad("amount", "sign", items=(), amount=Decimal(-1)),
    bad("amount", "finer", items=(), amount=Decimal("1.001")),
    bad("amount", "no finite number", items=(), amount=Decimal("NaN")),
    bad("amount", "no finite number", items=(), amount=Decimal("Infinity")),
    bad("amount", "too many digits", items=(), amount=Decimal("1e20")),
    bad("amount", "too many digits", items=(), amount=Decimal("1e1000000")),
    bad("amount", "floating-point", items=(), amount=10.0),
    bad("amount", "comma", items=(), amount="10,00"),
    bad("amount", "USD", items=(), amount=Money(Decimal(10), "USD")),
    bad("items", "19.99", amount=Decimal("19.99")),
    bad("order_number", "at most 127", order_number="x" * 128),
    bad("order_number", "must be text of at most 127", order_number=1001),
    bad("order_number", "NUL", order_number="A\0"),
    bad("language", "at most 35", language="x" * 36),
    bad("language", "must be text of at most 35", language=b"de"),
    bad("language", "no language tag", language="klingon"),
    bad("language", "no language tag", language="Deutsch (AT)"),
    bad("continue_url", "at most 500", continue_url="/" + "x" * 500),
    bad("continue_url", "must be text of at most 500", continue_url=b"/"),
    bad("continue_url", "needed with redirect_when_paid", redirect_when_paid=True),
    bad("continue_url", "half of a surrogate pair", continue_url="/\ud800"),
    bad("continue_url", "https://shop.example or https://www.shop.example", continue_url="thanks/7"),
    bad("continue_url", "a path of this site", continue_url="https://evil.example/"),
    bad("continue_url", "a path of this site", continue_url="//shop.example/"),
    bad("continue_url", "a path of this site", continue_url="http://shop.example/"),
    bad("metadata", "not be of type list", metadata=["a"]),
    bad("metadata", "at most 50", metadata={f"key-{number}": "" for number in range(51)}),
    bad("metadata", "at most 40", metadata={"k" * 41: ""}),
    bad("metadata", "a name is empty", metadata={"": "x"}),
    bad("metadata", "must be text, not int", metadata={7: "x"}),
    bad("metadata.cart", "must be text, not int", metadata={"cart": 7}),
    bad("metadata.cart", "at most 500", metadata={"cart": "x" * 501}),
    bad("metadata.cart", "NUL", metadata={"cart": "a\0"}),
    bad("metadata.card", "form of a card number", metadata={"card": "4111 1111 1111 1111"}),
    bad("metadata", "form of a card number", metadata={"4111111111111111": "x"}),
    bad("order_number", "half of a surrogate pair", order_number="A\udfff"),
    bad("language", "half of a surrogate pair", language="\udc80"),
    bad("cardholder_mobile_phone", "calling code", cardholder={"cardholder_mobile_phone": "12"}),
    bad("cardholder_email", "", cardholder={"cardholder_email": 5}),
    bad("skin_id", "", skin_id=7),
    bad("provider_merchant_id", "", provider_merchant_id=""),
    bad("billing_address.street", "", billing_address=BILLING | {"street": ""}),
    bad("billing_address.country_code", "", billing_address=BILLING | {"country_code": "GB"}),
    bad("billing_address.state", "", billing_address=BILLING | {"state": "DE-BY"}),
    bad("shipping_address.country_code", "", shipping_address={"country_code": "XXX"}),
    bad("items[0].quantity", "", items=(replace(MUG, quantity=0),)),
    bad("items[0].quantity", "", items=(replace(MUG, quantity=10_000),)),
    bad("items[0].product_id", "", items=(replace(MUG, product_id=""),)),
    bad(
        "items[0].unit_amount",
        "",
        items=(replace(MUG, unit_amount=Decimal("1.005")),),
    ),
    bad("items[0].product_type", "", items=(replace(MUG, product_type="magic"),)),
    bad(
        "items[0].discount_name",
        "",
        items=(replace(MUG, discount_amount=Decimal(1)),),
    ),
    bad("items[0].tax_rate", "", items=(replace(MUG, unit_tax_amount=Decimal(1)),)),
    bad("shipping.name", "", shipping=Shipping(name="", amount=Decimal(1))),
    bad(
        "discounts[0].type",
        "",
        discounts=(Discount(name="x", amount=Decimal(1), type="bribe"),),
    ),
    bad("discounts", "", discounts=(Discount(name="x", amount=Decimal(21)),)),
]


@pytest.mark.parametrize(("path", "message", "details"), REFUSED)
def test_a_bad_order_is_refused_by_the_path_of_what_is_wrong_and_nothing_is_stored(
    path: str, message: str, details: dict[str, Any], create: Create
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        create(**details)

    assert path in {error.path for error in refusal.value.errors}
    assert message in next(error.message for error in refusal.value.errors if error.path == path)
    assert path in str(refusal.value)
    assert not PaymentOrder.objects.exists()


def test_an_order_of_nothing_is_refused(create: Create) -> None:
    free = (Discount(name="All of it", amount=Decimal("20.00")),)
    with pytest.raises(InvalidInput) as refusal:
        create(discounts=free)
    assert [error.path for error in refusal.value.errors] == ["amount"]


def test_everything_wrong_with_an_order_is_said_at_once(create: Create) -> None:
    with pytest.raises(InvalidInput) as refusal:
        create(
            items=(replace(MUG, quantity=0), replace(MUG, product_name="")),
            billing_address={"street": "x"},
            cardholder={"cardholder_mobile_phone": "?"},
        )
    assert len(refusal.value.errors) >= 2
    with pytest.raises(InvalidInput) as refusal:
        create(reference="", language="x" * 99, currency="?")
    assert [error.path for error in refusal.value.errors] == ["reference", "language", "currency"]


def test_a_hundred_lines_are_stored_in_one_statement_more_than_looked_for(
    create: Create, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    lines = tuple(replace(MUG, product_id=f"MUG-{n}") for n in range(100))
    with django_assert_num_queries(4 if connection.features.uses_savepoints else 2):
        create(items=lines)


def test_the_limits_of_own_fields_are_those_of_the_columns() -> None:
    columns = {column.name: column for column in PaymentOrder._meta.fields}
    assert {name: columns[name].max_length for name in order_fields.LONGEST} == order_fields.LONGEST


def test_a_text_with_nul_is_refused_wherever_it_stands(create: Create) -> None:
    with pytest.raises(InvalidInput, match="NUL"):
        create(cardholder={"cardholder_first_name": "A\0"})
    assert not PaymentOrder.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_order_is_stored_within_the_shops_own_transaction_and_undone_with_it() -> None:
    with contextlib.suppress(ZeroDivisionError), db_transaction.atomic():
        payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal("10.00"))
        raise ZeroDivisionError

    assert not PaymentOrder.objects.filter(reference="SHOP-1").exists()
