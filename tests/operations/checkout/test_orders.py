"""Orders: what is said of one arrives at the gateway, and what is said again stores no second one."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.operations.checkout.conftest import Create
from tests.operations.checkout.order_parts import BILLING, CARDHOLDER, LAMP, SHIPPING
from tests.operations.conftest import MUG
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import IdempotencyConflict
from wallet_gateway.protocol.cart import Discount, Shipping
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


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
