"""Orders: what is said of one arrives at the gateway, and what is said again stores no second one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.db import transaction as db_transaction

from tests.money.checkout.parts import BILLING, CARDHOLDER, LAMP, MUG, SHIPPING, create
from tests.support.database_faults import meddling, raising
from tests.support.refusals import refuses
from tests.support.shop import Shop
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments import Discount, Money, Shipping
from wallet_gateway.payments.errors import ErrorCode, IdempotencyConflict, InvalidInput

pytestmark = pytest.mark.django_db

# What is said


def test_an_order_of_items_needs_no_sums() -> None:
    order = create(
        items=(MUG, LAMP),
        shipping=Shipping(name="Post", amount=Decimal("4.90")),
        discounts=(Discount(name="Spring", amount=Decimal("1.00")),),
    )
    assert order.amount == Money(Decimal("131.00"), "EUR")
    assert (order.state, order.version, order.type, order.is_payable) == ("OPEN", 0, "sale", True)
    assert order.cart is not None
    assert [line["totalAmount"] for line in order.cart["itemDetails"]] == ["20.00", "107.10"]
    assert create("SHOP-2", items=(), amount=Decimal("20.00")).cart is None
    for number, amount in enumerate((Decimal("20"), Money(Decimal("20.00"), "EUR"))):
        assert create(f"SAID-{number}", amount=amount).amount_minor == 2000


@pytest.mark.parametrize(
    ("currency", "amount", "minor"),
    [("JPY", "1200", 1200), ("KWD", "1.234", 1234), ("eur", "10.00", 1000), ("CLF", "0.1234", 1234)],
)
def test_an_amount_is_kept_in_the_currencys_own_minor_units(currency: str, amount: str, minor: int) -> None:
    order = create(items=(), amount=Decimal(amount), currency=currency)
    assert (order.amount_minor, order.currency) == (minor, currency.upper())


def test_everything_optional_arrives_in_the_body_of_the_request(shop: Shop) -> None:
    shipping = Shipping(
        name="Post", amount=Decimal("4.90"), tax_amount=Decimal("0.78"), tax_rate=Decimal("19")
    )
    order = create(
        type="preauthorization",
        items=(LAMP,),
        shipping=shipping,
        discounts=(Discount(name="Voucher", amount=Decimal("2.00"), type="giftcard"),),
        order_number="A-1001",
        language="de",
        billing_address=BILLING,
        shipping_address=SHIPPING,
        skin_id="midnight",
        provider_merchant_id="PM-9",
        **CARDHOLDER,
    )
    payment = payments.start_checkout(order)

    (body,) = shop.gateway.opened
    assert (body["type"], body["amount"], body["currencyCode"]) == ("ecom.preAuthorization", "110.00", "EUR")
    assert body["clientSystemTransactionId"] == payment.reference
    assert body["providerDiscretionaryData"] == "A-1001"
    assert body["details"] == {"providerMerchantId": "PM-9"}
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
    own = {"paymentMethod": "ExampleWalletV2", "redirectUrlTimeout": 900}
    assert body["checkoutDetails"] == stored | own
    addresses = body["addressDetails"]
    assert set(addresses["billingAddress"].values()) == set(BILLING.values())
    assert set(addresses["shippingAddress"].values()) == set(SHIPPING.values())
    assert body["shoppingCartDetails"] == order.cart
    assert order.cart is not None
    assert order.cart["totalTaxAmount"] == "17.88"
    assert set(body["redirectDetails"]) == {
        f"{name}Url" for name in ("return", "success", "pending", "error", "cancel", "refused")
    }


def test_what_is_not_said_is_left_out_of_the_body(shop: Shop) -> None:
    payments.start_checkout(create())
    (body,) = shop.gateway.opened
    account = {"merchantId", "storeId", "userId"}
    money = {"type", "amount", "currencyCode", "clientSystemTransactionId", "shoppingCartDetails"}
    assert set(body) == account | money | {"checkoutDetails", "redirectDetails"}
    assert set(body["checkoutDetails"]) == {"paymentMethod", "redirectUrlTimeout"}


def test_an_accounts_skin_and_acquirer_stand_in_where_an_order_has_none_of_its_own(shop: Shop) -> None:
    shop.configure(SKIN_ID="market", PROVIDER_MERCHANT_ID="PM-1")
    payments.start_checkout(create("A"))
    payments.start_checkout(create("B", skin_id="midnight", provider_merchant_id="PM-2"))
    said = [
        (body["checkoutDetails"]["skinId"], body["details"]["providerMerchantId"])
        for body in shop.gateway.opened
    ]
    assert said == [("market", "PM-1"), ("midnight", "PM-2")]


def test_a_path_or_an_origin_of_the_shop_is_where_customers_go_on(shop: Shop) -> None:
    shop.set(CONTINUE_ORIGINS=["https://shop.example", "https://www.shop.example"])
    for number, url in enumerate(("", "/thanks/7/", "/shop/thanks?order=7", "https://www.shop.example/t")):
        order = create(f"SHOP-{number}", continue_url=url, redirect_when_paid=bool(url))
        assert (order.continue_url, order.redirect_when_paid) == (url, bool(url))


def test_metadata_is_kept_with_the_order_and_is_no_part_of_its_content() -> None:
    order = create(metadata={"cart": "17", "note": "", "Straße": "größer"})
    assert PaymentOrder.objects.get().metadata == {"cart": "17", "note": "", "Straße": "größer"}
    assert "17" not in str(order.content)
    again = create(metadata={"cart": "18"})
    assert (again.pk, again.metadata["cart"]) == (order.pk, "17"), "it keeps what it was created with"


def test_an_address_is_the_same_as_a_dict_and_as_its_class_and_a_log_shows_nothing_of_it() -> None:
    billing, shipping = payments.BillingAddress(**BILLING), payments.ShippingAddress(city="Oslo")
    as_dicts = create("A", billing_address=BILLING, shipping_address={"city": "Oslo"})
    as_classes = create("B", billing_address=billing, shipping_address=shipping)
    assert as_classes.content["addressDetails"] == as_dicts.content["addressDetails"]
    assert (repr(billing), repr(shipping)) == ("BillingAddress()", "ShippingAddress()")


# Customers of the whole world

HOME = {"street": "Road", "house_number": "1", "city": "Town", "zip_postal_code": "00000"}
AUSTRIAN, GERMAN = HOME | {"country_code": "AUT"}, HOME | {"country_code": "DEU"}


@pytest.mark.parametrize(
    ("phone", "addresses", "sent"),
    [
        ("0171 1234567", {"billing_address": GERMAN}, "49-1711234567"),
        ("06 12 34 56 78", {"shipping_address": {"country_code": "FRA"}}, "33-612345678"),
        ("0664 123456", {"billing_address": AUSTRIAN, "shipping_address": GERMAN}, "43-664123456"),
    ],
)
def test_a_phone_is_sent_in_the_form_of_the_interface(
    phone: str, addresses: dict[str, Any], sent: str
) -> None:
    order = create(cardholder_mobile_phone=phone, **addresses)
    assert order.content["checkoutDetails"]["cardholderMobilePhone"] == sent


@pytest.mark.parametrize(
    ("country", "state", "sent"),
    [
        ("USA", "us-ca", "US-CA"),
        ("USA", "US-AE", None),
        ("IND", "IN-OR-OLD", None),
        ("DEU", "Bavaria", None),
        ("XKX", "XK-01", None),
        ("HKG", "cn-hk", None),
        ("ASC", None, None),
    ],
)
def test_a_state_that_no_list_knows_stops_no_checkout(
    country: str, state: str | None, sent: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    given = HOME | {"country_code": country} | ({} if state is None else {"state": state})
    for name in ("billing_address", "shipping_address"):
        order = create(name, **{name: given})
        (address,) = order.content["addressDetails"].values()
        assert (address.get("state"), address["countryCode"]) == (sent, country)
        said = f"the state of a {name} is left out" in caplog.text
        assert said is (state is not None and sent is None)


# Repetition


def test_a_repeated_call_brings_the_same_order_even_if_it_spells_it_differently() -> None:
    first = create(amount=Decimal("20"), billing_address=BILLING, **CARDHOLDER)
    again = create(amount=Decimal("20.00"), currency="eur", billing_address=BILLING, **CARDHOLDER)
    assert again == first == PaymentOrder.objects.get()


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
        ({"cardholder_id": "C-1"}, "cardholder_id"),
        ({"shipping": Shipping(name="Post", amount=Decimal("0.00"))}, "shipping"),
        ({"skin_id": "midnight", "provider_merchant_id": "PM-2"}, "provider_merchant_id, skin_id"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_content_under_the_same_reference_is_a_conflict_that_names_what_differs(
    changes: dict[str, Any], fields: str
) -> None:
    first = create()
    with refuses(IdempotencyConflict, ErrorCode.ORDER_CONTENT_DIFFERS, reference="SHOP-1", fields=fields):
        create(**changes)
    first.refresh_from_db()
    assert (PaymentOrder.objects.count(), first.amount_minor) == (1, 2000)


@every(
    ("changes", "fields"),
    [
        ({"currency": "USD"}, {"currency"}),
        ({"cardholder_id": "C-2"}, {"items", "billing_address", "cardholder_id"}),
    ],
)
def test_of_an_erased_order_what_is_left_is_compared_first(
    changes: dict[str, Any], fields: set[str], shop: Shop
) -> None:
    reference, given = min(fields), {"billing_address": BILLING, "cardholder_id": "C-1"}
    payments.maintenance.erase_customer(create(reference, **given), by="anna", reason="asked")
    with refuses(IdempotencyConflict, ErrorCode.ORDER_CONTENT_DIFFERS) as refused:
        create(reference, **given | changes)
    assert set(str(refused.value.params["fields"]).split(", ")) == fields


@pytest.mark.every_database
def test_a_reference_is_taken_byte_for_byte_and_found_by_itself_and_by_its_token() -> None:
    order, other = create("shop-1"), create("SHOP-1")
    assert order != other
    assert payments.get_order("SHOP-1") == other
    assert payments.orders.get_order_by_token(order.token) == order
    with pytest.raises(PaymentOrder.DoesNotExist):
        payments.get_order("Shop-1")


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_an_order_is_stored_within_the_shops_own_transaction_and_undone_with_it() -> None:
    with suppress(ZeroDivisionError), db_transaction.atomic():
        create()
        raise ZeroDivisionError
    assert not PaymentOrder.objects.exists()


# Numberings: a reference is unique at its gateway and in its numbering


def numbered(shop: Shop, **numberings: str | None) -> None:
    """Name gateways of these numberings in the settings."""
    (usual, *_) = shop.settings.WALLET_GATEWAY["GATEWAYS"].values()
    accounts = {
        alias: usual | ({} if numbering is None else {"NUMBERING": numbering})
        for alias, numbering in {"default": None, **numberings}.items()
    }
    shop.set(GATEWAYS=accounts)


def order_at(gateway: str, reference: str = "1001", *, amount: str = "20.00") -> PaymentOrder:
    return create(reference, items=(), amount=Decimal(amount), gateway=gateway)


@pytest.mark.django_db(transaction=True)
def test_an_order_that_is_stored_at_the_second_try_takes_no_other_orders_key() -> None:
    tries = []

    def meet() -> None:
        tries.append(1)
        if len(tries) == 2:
            create("OTHER")

    conflict = raising(OperationalError("database is locked"))
    with (
        meddling("INSERT INTO", "wallet_gateway_ordermetadata", act=conflict),
        meddling("INSERT INTO", "wallet_gateway_paymentorder", act=meet, times=2),
    ):
        order = create("MINE", metadata={"basket": "7"})
    assert order.pk != PaymentOrder.objects.get(reference="OTHER").pk
    assert PaymentOrder.objects.get(reference="MINE").metadata == {"basket": "7"}


def test_an_order_for_a_gateway_that_is_not_configured_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="second"):
        order_at("second")


@pytest.mark.every_database
def test_two_numberings_have_the_same_reference_each_with_its_own_order(shop: Shop) -> None:
    numbered(shop, tenant="tenant")
    first, second = order_at("default"), order_at("tenant", amount="35.00")
    assert first != second
    assert (order_at("default"), order_at("tenant", amount="35.00")) == (first, second)
    assert payments.get_order("1001", gateway="default") == first
    assert payments.get_order("1001", gateway="tenant") == second
    with refuses(IdempotencyConflict, ErrorCode.ORDER_CONTENT_DIFFERS):
        order_at("tenant")
    for nowhere in ("tenant-8", "", "TENANT", "x\0", "\ud800"):
        with pytest.raises(PaymentOrder.DoesNotExist):
            payments.get_order("1001", gateway=nowhere)


@pytest.mark.parametrize("numbering", [None, "outlet"])
def test_gateways_of_one_numbering_never_have_two_orders_of_a_reference(
    numbering: str | None, shop: Shop
) -> None:
    numbered(shop, one=numbering, two=numbering)
    first = order_at("one")
    refused = {"reference": "1001", "gateway": "two", "other": "one"}
    with refuses(IdempotencyConflict, ErrorCode.REFERENCE_AT_OTHER_GATEWAY, **refused):
        order_at("two")
    assert PaymentOrder.objects.get() == first


def test_a_gateway_keeps_its_orders_when_its_numbering_changes(shop: Shop) -> None:
    numbered(shop, outlet="outlet", third=None)
    shared, outlet = order_at("default"), order_at("outlet")
    for numbering in ("brand", None):  # without a name both gateways are of the shared numbering
        numbered(shop, outlet=numbering, third=None)
        assert order_at("outlet") == outlet, "it repeats the order of its own gateway"
    assert order_at("default") == shared
    with refuses(IdempotencyConflict, ErrorCode.REFERENCE_AT_OTHER_GATEWAY, other="default"):
        order_at("third")


def test_a_reference_alone_brings_the_one_order_of_the_shared_numbering_and_no_other(shop: Shop) -> None:
    tenants = {f"tenant-{number}": f"tenant-{number}" for number in range(6)}
    numbered(shop, second=None, **tenants)
    shared = order_at("second")
    assert payments.get_order("1001") == shared
    order_at("tenant-0", "1002")
    with refuses(InvalidInput, ErrorCode.AMBIGUOUS_REFERENCE, reference="1002", gateways="tenant-0"):
        payments.get_order("1002")
    for alias in tenants:
        order_at(alias)
    named = "second, tenant-0, tenant-1, tenant-2, tenant-3"
    with refuses(InvalidInput, ErrorCode.AMBIGUOUS_REFERENCE, says="gateway=", gateways=named):
        payments.get_order("1001")
