"""Orders: what may be said of one arrives at the gateway, what may not be said is refused by its path."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet
from django.db import connection
from django.db import transaction as db_transaction
from pytest_django.fixtures import DjangoAssertNumQueries

from tests.operations.conftest import MUG, VirtualClock
from tests.refusals import refuses
from wallet_gateway import payments
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.checkout import order_fields
from wallet_gateway.operations.checkout.orders import OrderDetails, create_order
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import IdempotencyConflict, InvalidInput
from wallet_gateway.protocol.cart import Discount, Shipping
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db

Create = Callable[..., PaymentOrder]

BILLING = {
    "house_number": "12b",
    "street": "Analytical Road",
    "city": "London",
    "zip_postal_code": "W1",
    "state": "GB-LND",
    "country_code": "GBR",
}
SHIPPING = BILLING | {
    "first_name": "Ada",
    "last_name": "Lovelace",
    "telephone_number": "44-20123456",
    "email": "ada@example.com",
    "delivery_method": "courier",
}
CARDHOLDER = {
    "cardholder_id": "C-77",
    "cardholder_first_name": "Ada",
    "cardholder_last_name": "Lovelace",
    "cardholder_email": "ada@example.com",
    "cardholder_mobile_phone": "44-7700900123",
    "cardholder_home_phone": "44 20 7946 0001",
    "cardholder_work_phone": "44 20 7946 0002",
    "cardholder_national_identification_number": "QQ123456C",
}
LAMP = Item(
    product_id="LAMP-2",
    product_name="Lamp",
    product_description="Brass, green shade",
    product_type="physical",
    unit_amount=Decimal("59.50"),
    quantity=2,
    unit_tax_amount=Decimal("9.50"),
    tax_rate=Decimal("19"),
    discount_amount=Decimal("11.90"),
    discount_name="Second one cheaper",
    discount_tax_amount=Decimal("1.90"),
)


@pytest.fixture
def create(clock: VirtualClock) -> Create:
    def make(
        reference: str = "SHOP-1",
        continue_url: str = "",
        *,
        redirect_when_paid: bool = False,
        policy: GatewayPolicy = GatewayPolicy(),  # noqa: B008 - frozen
        metadata: Any = None,  # noqa: ANN401 - right or wrong
        **details: Any,
    ) -> PaymentOrder:
        given = OrderDetails(**{"currency": "EUR", "items": (MUG,)} | details)
        return create_order(
            reference=reference,
            details=given,
            gateway="default",
            policy=policy,
            clock=clock,
            continue_url=continue_url,
            redirect_when_paid=redirect_when_paid,
            shop_origins=("https://shop.example", "https://www.shop.example"),
            metadata=metadata,
        )

    return make


# What is said


def test_an_order_of_items_needs_no_sums(create: Create) -> None:
    order = create(
        items=(MUG, LAMP),
        shipping=Shipping(name="Post", amount=Decimal("4.90")),
        discounts=(Discount(name="Spring", amount=Decimal("1.00")),),
    )
    assert order.amount == Money(Decimal("131.00"), "EUR")
    assert (order.state, order.version, order.type) == (OrderState.OPEN, 0, "sale")
    assert order.is_payable
    assert order.cart is not None
    assert [line["totalAmount"] for line in order.cart["itemDetails"]] == ["20.00", "107.10"]


def test_an_order_may_be_a_bare_amount(create: Create) -> None:
    order = create(items=(), amount=Decimal("12.30"))
    assert (order.amount_minor, order.cart) == (1230, None)


@pytest.mark.parametrize(
    ("currency", "amount", "minor"),
    [("JPY", "1200", 1200), ("KWD", "1.234", 1234), ("eur", "10.00", 1000), ("CLF", "0.1234", 1234)],
)
def test_an_amount_is_kept_in_the_currencys_own_minor_units(
    currency: str, amount: str, minor: int, create: Create
) -> None:
    order = create(items=(), amount=Decimal(amount), currency=currency)
    assert (order.amount_minor, order.currency) == (minor, currency.upper())


@pytest.mark.parametrize("amount", [Decimal("20.00"), Decimal("20"), Money(Decimal("20.00"), "EUR")])
def test_an_amount_beside_items_may_be_said_when_it_is_right(amount: Decimal | Money, create: Create) -> None:
    assert create(amount=amount).amount_minor == 2000


def test_everything_optional_arrives_in_the_body_of_the_request(
    create: Create, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    order = create(
        type="preauthorization",
        items=(LAMP,),
        shipping=Shipping(
            name="Post", amount=Decimal("4.90"), tax_amount=Decimal("0.78"), tax_rate=Decimal("19")
        ),
        discounts=(Discount(name="Voucher", amount=Decimal("2.00"), type="giftcard"),),
        order_number="A-1001",
        language="de",
        billing_address=BILLING,
        shipping_address=SHIPPING,
        cardholder=CARDHOLDER,
        skin_id="midnight",
        provider_merchant_id="PM-9",
    )
    payment = start_checkout(order=order, context=context, return_urls=return_urls)

    body = wallet_sandbox.journal()[-1]["body"]
    assert body["type"] == "ecom.preAuthorization"
    assert (body["amount"], body["currencyCode"]) == ("110.00", "EUR")
    assert body["clientSystemTransactionId"] == payment.reference
    assert body["providerDiscretionaryData"] == "A-1001"
    assert body["details"] == {"providerMerchantId": "PM-9"}
    details = body["checkoutDetails"]
    assert details["paymentMethod"] == "ExampleWalletV2"
    assert (details["skinId"], details["language"]) == ("midnight", "de")
    assert details["redirectUrlTimeout"] == 900
    stored = order.content["checkoutDetails"]
    assert stored == {
        "skinId": "midnight",
        "language": "de",
        "cardholderId": "C-77",
        "cardholderFirstName": "Ada",
        "cardholderLastName": "Lovelace",
        "cardholderEmail": "ada@example.com",
        "cardholderMobilePhone": "44-7700900123",
        "cardholderHomePhone": "44 20 7946 0001",
        "cardholderWorkPhone": "44 20 7946 0002",
        "cardholderNationalIdentificationNumber": "QQ123456C",
    }
    assert set(details) == set(stored) | {"paymentMethod", "redirectUrlTimeout"}
    assert set(body["addressDetails"]["billingAddress"]) == {
        "houseNumber",
        "street",
        "city",
        "zipPostalCode",
        "state",
        "countryCode",
    }
    assert len(body["addressDetails"]["shippingAddress"]) == 11
    assert body["addressDetails"]["shippingAddress"]["deliveryMethod"] == "courier"
    assert body["shoppingCartDetails"] == order.cart
    assert order.cart is not None
    assert order.cart["totalTaxAmount"] == "17.88"
    assert set(body["redirectDetails"]) == {
        f"{name}Url" for name in ("return", "success", "pending", "error", "cancel", "refused")
    }


def test_what_is_not_said_is_left_out_of_the_body(
    create: Create, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    start_checkout(order=create(), context=context, return_urls=return_urls)
    body = wallet_sandbox.journal()[-1]["body"]
    assert set(body) == {
        "merchantId",
        "storeId",
        "userId",
        "type",
        "amount",
        "currencyCode",
        "clientSystemTransactionId",
        "checkoutDetails",
        "redirectDetails",
        "shoppingCartDetails",
    }
    assert set(body["checkoutDetails"]) == {"paymentMethod", "redirectUrlTimeout"}


def test_an_accounts_skin_and_acquirer_stand_in_where_an_order_has_none_of_its_own(
    create: Create, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    account = replace(context.gateway.account, skin_id="market", provider_merchant_id="PM-1")
    context.gateway.account = account
    start_checkout(order=create("A"), context=context, return_urls=return_urls)
    own = create("B", skin_id="midnight", provider_merchant_id="PM-2")
    start_checkout(order=own, context=context, return_urls=return_urls)

    first, second = (entry["body"] for entry in wallet_sandbox.journal())
    assert first["checkoutDetails"]["skinId"] == "market"
    assert first["details"]["providerMerchantId"] == "PM-1"
    assert second["checkoutDetails"]["skinId"] == "midnight"
    assert second["details"]["providerMerchantId"] == "PM-2"


def test_nothing_of_an_attempt_is_kept_with_the_order(create: Create) -> None:
    kept = create().content
    assert not {"merchantId", "storeId", "userId", "clientSystemTransactionId", "redirectDetails"} & set(kept)
    assert "paymentMethod" not in kept.get("checkoutDetails", {})


# Repetition


def test_a_repeated_call_brings_the_same_order(create: Create) -> None:
    first = create(cardholder=CARDHOLDER, billing_address=BILLING)
    assert create(cardholder=CARDHOLDER, billing_address=BILLING) == first
    assert PaymentOrder.objects.count() == 1


def test_a_repeated_call_may_spell_the_same_differently(create: Create) -> None:
    first = create(amount=Decimal("20"))
    assert create(amount=Decimal("20.00"), currency="eur", cardholder={"cardholder_id": None}) == first


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"currency": "USD"}, "currency"),
        ({"type": "preauthorization"}, "type"),
        ({"items": (replace(MUG, quantity=3),)}, "amount, items"),
        ({"items": (replace(MUG, product_name="Cup"),)}, "items"),
        ({"items": (), "amount": Decimal("20.00")}, "items"),
        ({"order_number": "A-2"}, "order_number"),
        ({"language": "de"}, "language"),
        ({"billing_address": BILLING}, "billing_address"),
        ({"cardholder": {"cardholder_id": "C-1"}}, "cardholder_id"),
        ({"shipping": Shipping(name="Post", amount=Decimal("0.00"))}, "shipping"),
        ({"skin_id": "midnight", "provider_merchant_id": "PM-2"}, "provider_merchant_id, skin_id"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_content_under_the_same_reference_is_a_conflict_that_names_what_differs(
    changes: dict[str, Any], fields: str, create: Create
) -> None:
    first = create()
    with refuses(IdempotencyConflict, ErrorCode.ORDER_CONTENT_DIFFERS, reference="SHOP-1", fields=fields):
        create(**changes)
    first.refresh_from_db()
    assert (PaymentOrder.objects.count(), first.amount_minor) == (1, 2000)


def test_a_reference_is_taken_byte_for_byte(create: Create) -> None:
    assert create("shop-1") != create("SHOP-1")


def test_a_call_that_comes_second_by_a_hair_brings_the_firsts_order(
    create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = create()
    with monkeypatch.context() as patch:
        # What the second saw before the first had committed.
        patch.setattr(PaymentOrder.objects, "all", PaymentOrder.objects.none)
        assert create() == first
        with pytest.raises(IdempotencyConflict):
            create(order_number="A-2")


def test_two_orders_have_tokens_that_nobody_can_guess(create: Create) -> None:
    tokens = {create(f"SHOP-{n}").token for n in range(20)}
    assert len(tokens) == 20
    assert all(22 <= len(token) <= 32 for token in tokens)


# What is refused


def bad(path: str, message: str = "", /, **details: Any) -> ParameterSet:
    return pytest.param(path, message, details, id=f"{path} {next(iter(details))} {message}"[:70])


REFUSED = [
    bad("reference", "1 to 64 visible ASCII", reference=""),
    bad("reference", "1 to 64 visible ASCII", reference="x" * 65),
    bad("reference", "1 to 64 visible ASCII", reference="a b"),
    bad("reference", "1 to 64 visible ASCII", reference="a\n"),
    bad("reference", "1 to 64 visible ASCII", reference="ä"),
    bad("reference", "is no text, but int; write str(7)", reference=7),
    bad("reference", "is no text, but None; give one", reference=None),
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
    bad("order_number", "write str(1001)", order_number=1001),
    bad("order_number", "NUL", order_number="A\0"),
    bad("language", "at most 35", language="x" * 36),
    bad("language", "is no text, but bytes", language=b"de"),
    bad("language", "no language tag", language="klingon"),
    bad("language", "no language tag", language="Deutsch (AT)"),
    bad("continue_url", "at most 500", continue_url="/" + "x" * 500),
    bad("continue_url", "is no text, but bytes", continue_url=b"/"),
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


# What the gateway is not sent


def test_a_path_or_an_origin_of_the_shop_is_where_customers_go_on(create: Create) -> None:
    for number, url in enumerate(
        ("", "/thanks/7/", "/shop/thanks?order=7", "https://shop.example/t", "https://www.shop.example/t")
    ):
        assert create(f"SHOP-{number}", continue_url=url).continue_url == url


def test_metadata_is_kept_with_the_order_and_is_no_part_of_its_content(create: Create) -> None:
    order = create(metadata={"cart": "17", "note": "", "Straße": "größer"})
    assert PaymentOrder.objects.get().metadata == {"cart": "17", "note": "", "Straße": "größer"}
    assert "17" not in str(order.content)

    again = create(metadata={"cart": "18"})
    assert (again.pk, again.metadata["cart"]) == (order.pk, "17"), "it keeps what it was created with"
