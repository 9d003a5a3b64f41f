"""Orders that are refused: by the path of what is wrong, all of it at once, and nothing is stored."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.money.checkout.parts import BILLING, MUG, create
from tests.support.gateway import record
from tests.support.refusals import refuses
from tests.support.shop import Shop, state
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.payments import BillingAddress, Discount, Money, Shipping, ShippingAddress
from wallet_gateway.payments.errors import ErrorCode, InvalidInput

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def origins(settings: Settings) -> None:
    settings.WALLET_GATEWAY = settings.WALLET_GATEWAY | {
        "PUBLIC_ORIGIN": "https://shop.example",
        "CONTINUE_ORIGINS": ["https://www.shop.example"],
    }


def bad(path: str, message: str = "", /, **details: Any) -> Any:  # noqa: ANN401  a row
    return pytest.param(path, message, details, id=f"{path} {next(iter(details))} {message}"[:70])


def of_amount(message: str, amount: object) -> Any:  # noqa: ANN401
    return bad("amount", message, items=(), amount=amount)


def of_mug(field: str, message: str = "", /, **changes: Any) -> Any:  # noqa: ANN401
    return bad(f"items[0].{field}", message, items=(replace(MUG, **changes),))


PHONES = ["12", "0171 1234567", "030-1234567", "491711234567", "5" * 40, "+999 1234567"]
REFUSED = [
    *(bad("reference", "1 to 64 visible ASCII", reference=wrong) for wrong in ("", "x" * 65, "a b", "ä")),
    bad("reference", "1 to 64 visible ASCII", reference="a\n"),
    bad("reference", "without blanks, not 7", reference=7),
    bad("reference", "without blanks, not None", reference=None),
    *(bad("currency", "no currency", currency=wrong) for wrong in ("XYZ", "", "€")),
    bad("currency", "'Euro' is no currency; give a three-letter ISO 4217 code such as EUR", currency="Euro"),
    bad("currency", "must be a three-letter ISO 4217 code such as EUR, not NoneType", currency=None),
    bad("currency", "not list", currency=["EUR"]),
    *(bad("type", "sale, preauthorization", type=wrong) for wrong in ("authorization", None, ["sale"])),
    bad("amount", "is needed when there are no items", items=()),
    of_amount("the amount is zero; give one above zero", Decimal(0)),
    of_amount("no amount", Decimal(-1)),
    of_amount("finer", Decimal("1.001")),
    of_amount("is no amount", Decimal("NaN")),
    of_amount("is no amount", Decimal("Infinity")),
    of_amount("too many digits", Decimal("1e20")),
    of_amount("too many digits", Decimal("1e1000000")),
    of_amount("a binary floating-point number is not exact; give text or a Dec", 10.0),
    of_amount("is no amount; write digits alone, without leading zeros, with a period", "10,00"),
    of_amount("the amount is in USD; give it in EUR", Money(Decimal(10), "USD")),
    of_amount("a value of type list is no amount; give text such as 10.00", [10]),
    bad("amount", "", discounts=(Discount(name="All of it", amount=Decimal("20.00")),)),
    bad("items", "comes to 20.00, but amount is 19.99; the two must be equal", amount=Decimal("19.99")),
    bad("order_number", "at most 127", order_number="x" * 128),
    bad("order_number", "must be text of at most 127", order_number=1001),
    bad("order_number", "NUL", order_number="A\0"),
    bad("order_number", "half of a surrogate pair", order_number="A\udfff"),
    bad("language", "at most 35", language="x" * 36),
    bad("language", "must be text of at most 35", language=b"de"),
    bad("language", "'klingon' is no language tag; give one such as de or de-AT", language="klingon"),
    bad("language", "no language tag", language="Deutsch (AT)"),
    bad("language", "half of a surrogate pair", language="\udc80"),
    bad("continue_url", "at most 500", continue_url="/" + "x" * 500),
    bad("continue_url", "must be text of at most 500", continue_url=b"/"),
    bad(
        "continue_url", "is needed with redirect_when_paid: the address of the page", redirect_when_paid=True
    ),
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
    *(
        bad("cardholder_mobile_phone", "such as 49-15112345678", cardholder_mobile_phone=wrong)
        for wrong in PHONES
    ),
    bad("cardholder_mobile_phone", "give calling code, hyphen and number", cardholder_mobile_phone="0151 1"),
    bad("cardholder_email", "", cardholder_email=5),
    bad(
        "cardholder_email",
        "is no e-mail address; give one such as ada@shop.example",
        cardholder_email="no-at",
    ),
    bad("cardholder_id", "17 is no text; give text", cardholder_id=17),
    bad("order", "NUL", cardholder_first_name="A\0"),
    bad("skin_id", "", skin_id=7),
    bad("provider_merchant_id", "", provider_merchant_id=""),
    bad("billing_address.street", "", billing_address=BILLING | {"street": ""}),
    *(
        bad(
            "billing_address.country_code",
            "give a three-letter ISO 3166 code such as DEU",
            billing_address=given,
        )
        for given in (BILLING | {"country_code": "GB"}, BillingAddress(**BILLING | {"country_code": "GB"}))
    ),
    bad("billing_address.state", "'DE-BY' does not lie in GBR", billing_address=BILLING | {"state": "DE-BY"}),
    bad(
        "billing_address.town",
        "is unknown; the fields are: house_number",
        billing_address=BILLING | {"town": "London"},
    ),
    bad("billing_address", "must be a BillingAddress or a dict, not str", billing_address="London"),
    bad("shipping_address.country_code", "", shipping_address={"country_code": "XXX"}),
    *(
        bad("shipping_address.email", "is no e-mail address", shipping_address=given)
        for given in ({"email": "no-at"}, ShippingAddress(email="no-at"))
    ),
    of_mug("quantity", "0 is too small; the least is 1", quantity=0),
    of_mug("quantity", "1.25 is no whole number; give one, without quotes", quantity=1.25),
    of_mug("quantity", quantity=10_000),
    of_mug("product_id", product_id=""),
    of_mug("product_id", "17 is no text; give text", product_id=17),
    of_mug("product_name", "is empty; give a text", product_name=""),
    of_mug("product_name", "has 256 characters; at most 255 are allowed", product_name="x" * 256),
    of_mug("product_description", product_description="x" * 2001),
    of_mug("unit_amount", "at most 2 decimals, and nothing is rounded", unit_amount=Decimal("1.005")),
    of_mug("unit_amount", "a binary floating-point number is not exact", unit_amount=9.99),
    of_mug("unit_amount", "'-1' is no amount; write digits", unit_amount=Decimal(-1)),
    of_mug("product_type", "'magic' is not known; give 'physical', 'digital', ", product_type="magic"),
    of_mug("discount_name", "is required where discount_amount is above", discount_amount=Decimal(1)),
    of_mug(
        "discount_amount", "exceeds unit_amount x quantity", discount_amount=Decimal(99), discount_name="x"
    ),
    of_mug("tax_rate", "is required where unit_tax_amount is given", unit_tax_amount=Decimal(1)),
    bad(
        "shipping.name", "required where amount is above zero", shipping=Shipping(name="", amount=Decimal(1))
    ),
    bad("discounts[0].name", "", discounts=(Discount(name="x" * 256, amount=Decimal(1)),)),
    bad(
        "discounts[0].type",
        "'bribe' is not known; give 'discount', 'storecredit' or 'giftcard'",
        discounts=(Discount(name="x", amount=Decimal(1), type="bribe"),),
    ),
    bad(
        "discounts",
        "exceed what the lines and shipping come to",
        discounts=(Discount(name="x", amount=Decimal(21)),),
    ),
]


@every(("path", "message", "details"), REFUSED)
def test_a_bad_order_is_refused_by_the_path_of_what_is_wrong_and_nothing_is_stored(
    path: str, message: str, details: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        create(**details)
    assert path in {error.path for error in refusal.value.errors}
    assert message in next(error.message for error in refusal.value.errors if error.path == path)
    assert refusal.value.message.startswith("The order is not valid. ")
    assert f"{path}: " in refusal.value.message
    assert not PaymentOrder.objects.exists()


def test_a_wrong_reference_is_quoted_without_a_card_number() -> None:
    with pytest.raises(InvalidInput, match="without blanks, not '") as refusal:
        create("4111 1111 1111 1111")
    assert "4111 1111 1111" not in str(refusal.value)


def test_everything_wrong_with_an_order_is_said_at_once() -> None:
    with pytest.raises(InvalidInput) as refusal:
        create(
            items=(replace(MUG, quantity=0), replace(MUG, product_name="")),
            billing_address={"street": "x"},
            cardholder_mobile_phone="?",
        )
    assert len(refusal.value.errors) >= 2
    with pytest.raises(InvalidInput) as refusal:
        create("", language="x" * 99, currency="?")
    assert [error.path for error in refusal.value.errors] == ["reference", "language", "currency"]


def test_the_longest_texts_are_taken() -> None:
    whole = replace(MUG, product_name="x" * 255, product_description="x" * 2000)
    texts = {"order_number": "x" * 127, "language": "de-" + "a" * 8, "continue_url": "/" * 1 + "x" * 499}
    order = create("x" * 64, items=[whole], discounts=[Discount(name="x" * 255, amount=Decimal(1))], **texts)
    order.refresh_from_db()
    assert (len(order.reference), len(order.order_number), len(order.continue_url)) == (64, 127, 500)


def test_a_hundred_lines_are_stored_in_one_statement_more_than_looked_for(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    lines = tuple(replace(MUG, product_id=f"MUG-{n}") for n in range(100))
    with django_assert_num_queries(4 if connection.features.uses_savepoints else 2):
        create(items=lines)


# What a gateway requires of an order

NEEDED = ("house_number", "street", "city", "zip_postal_code", "country_code")


@pytest.mark.parametrize(
    ("addresses", "missing"),
    [
        ({}, NEEDED),
        ({"shipping_address": {"city": "London"}}, NEEDED),
        (
            {"billing_address": {name: BILLING[name] for name in NEEDED if name not in {"street", "city"}}},
            ("street", "city"),
        ),
    ],
)
def test_an_order_without_a_required_address_is_refused_with_each_missing_field(
    addresses: dict[str, Any], missing: tuple[str, ...], shop: Shop
) -> None:
    shop.configure(BILLING_ADDRESS_REQUIRED=True)
    with refuses(InvalidInput, ErrorCode.FIELDS_INVALID) as refused:
        create(**addresses)
    assert isinstance(refused.value, InvalidInput)
    assert [fault.path for fault in refused.value.errors] == [f"billing_address.{name}" for name in missing]
    assert not PaymentOrder.objects.exists()


def test_an_order_made_before_is_returned_and_refused_before_anything_is_stored_or_sent(shop: Shop) -> None:
    made = create()
    shop.configure(BILLING_ADDRESS_REQUIRED=True, CURRENCIES=["USD"])
    assert create() == made, "whatever the settings say by now"
    with refuses(InvalidInput, ErrorCode.FIELDS_INVALID):
        payments.start_checkout(made)
    assert (GatewayTransaction.objects.count(), shop.gateway.opened) == (0, [])
    shop.configure(CURRENCIES=None)
    payment = payments.start_checkout(create("SHOP-2", billing_address=BILLING))
    shop.report(payment, record(payment.reference, transactionAmount=20.0))
    shop.ask(payment)
    assert state(payment)[0] == "PAID"


def test_an_order_in_a_currency_that_is_not_named_is_refused(shop: Shop) -> None:
    shop.configure(CURRENCIES=["EUR", "CHF"])
    told = {"gateway": "default", "currency": "USD", "known": "CHF, EUR"}
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="takes no", **told):
        create(currency="usd")
    assert not PaymentOrder.objects.exists()
    assert create(currency="chf").currency == "CHF"
    shop.configure(CURRENCIES=None)
    assert create("SHOP-2", currency="JPY", items=(), amount=Decimal(7)).currency == "JPY"


def test_an_order_that_a_younger_rule_forbids_opens_no_page_and_says_what_is_wrong(shop: Shop) -> None:
    order = shop.order(billing_address=BILLING)
    order.content["addressDetails"]["billingAddress"]["countryCode"] = "XYZ"
    order.save()
    with refuses(InvalidInput, ErrorCode.FIELDS_INVALID, says="billing_address.country_code"):
        payments.start_checkout(order)
    assert (shop.gateway.opened, order.payments.exists()) == ([], False)
