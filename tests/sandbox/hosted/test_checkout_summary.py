"""What a checkout page shows of a request."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.sandbox.hosted.wire import SMALLEST, UNIT, checkout_request
from tests.tables import every
from wallet_gateway.protocol.cart import build_cart
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.checkout import CheckoutRequest
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.hosted.checkout_summary import (
    CartView,
    CheckoutView,
    checkout_view,
    page_skin,
    wallet_name,
)
from wallet_gateway.sandbox.pages.localization import LANGUAGES, amount_text

CURRENCIES = ("EUR", "JPY", "KWD")


def view_of(*arguments: Any, language: str = "en", **details: Any) -> CheckoutView:
    return checkout_view(checkout_request(*arguments, **details), language=language)


def cart_of(view: CheckoutView) -> CartView:
    assert view.cart is not None
    return view.cart


@every("language", LANGUAGES)
@every("currency", CURRENCIES)
def test_every_amount_of_the_cart_is_shown_to_the_last_unit(language: str, currency: str) -> None:
    unit, small = UNIT[currency], SMALLEST[currency]

    def text(amount: Decimal, *, negative: bool = False) -> str:
        return amount_text(Money.parse(amount, currency), language, negative=negative)

    view = view_of(currency, language=language)
    cart = cart_of(view)
    mug, guide = cart.lines
    lines = 2 * unit - 5 * small + small

    assert (mug.unit, mug.total, guide.total) == (text(unit), text(2 * unit - 5 * small), text(small))
    assert mug.discount is not None
    assert mug.discount.amount == text(5 * small, negative=True)
    assert mug.tax is not None
    assert mug.tax.amount == text(13 * small)
    assert cart.subtotal == text(lines)
    assert cart.shipping is not None
    assert cart.shipping.amount == text(600 * small)
    assert cart.shipping.tax is not None
    assert cart.shipping.tax.amount == text(96 * small)
    assert [row.amount for row in cart.discounts] == [
        text(100 * small, negative=True),
        text(250 * small, negative=True),
    ]
    assert cart.tax == text(109 * small)
    assert view.amount == text(lines + 250 * small)


def test_the_words_of_the_shop_come_through_as_they_are() -> None:
    cart = cart_of(view_of())
    mug, guide = cart.lines
    assert (mug.name, mug.description, mug.quantity, guide.kind) == (
        "Enamel mug",
        "Half a litre",
        "2",
        "digital",
    )
    assert cart.shipping is not None
    assert cart.shipping.name == "Parcel"
    assert [(row.name, row.kind) for row in cart.discounts] == [
        ("Welcome", "discount"),
        ("Voucher 7", "giftcard"),
    ]
    assert (cart.pieces, cart.pieces_text) == (3, "3")


def test_a_rate_is_shown_beside_its_tax() -> None:
    mug = cart_of(view_of(language="de")).lines[0]
    assert mug.tax is not None
    assert mug.tax.rate == "7,7\u00a0%"


def test_the_plain_amount_is_the_one_of_the_wire() -> None:
    request = checkout_request("KWD")
    assert checkout_view(request, language="ar").plain_amount == request.amount


def test_without_a_cart_there_are_no_rows_but_an_amount() -> None:
    view = view_of(amount="10.00")
    assert view.cart is None
    assert view.amount == "€10.00"


def test_an_untaxed_undiscounted_line_has_neither_row() -> None:
    plain = build_cart(
        currency="EUR", items=[Item(product_id="1", product_name="A", unit_amount=Decimal("2.00"))]
    )
    cart = cart_of(view_of(shopping_cart=plain))
    assert (cart.lines[0].discount, cart.lines[0].tax, cart.shipping, cart.discounts, cart.tax) == (
        None,
        None,
        None,
        (),
        "",
    )


def test_a_free_shipping_is_shown_as_free_rather_than_left_out() -> None:
    body = checkout_request(amount="2.00").to_wire()
    body["shoppingCartDetails"] = {
        "itemDetails": [
            {
                "productId": "1",
                "productName": "A",
                "productQuantity": 1,
                "unitAmount": "2.00",
                "totalAmount": "2.00",
            }
        ],
        "shippingDetails": {"shippingName": "Pick-up", "shippingAmount": "0.00"},
    }
    cart = cart_of(checkout_view(CheckoutRequest.from_wire(body), language="en"))
    assert cart.shipping is not None
    assert (cart.shipping.name, cart.shipping.amount) == ("Pick-up", "€0.00")


def test_a_hundred_lines_are_a_hundred_rows() -> None:
    items = [
        Item(product_id=str(n), product_name=f"Article {n}", unit_amount=Decimal("1.10")) for n in range(100)
    ]
    cart = cart_of(view_of(shopping_cart=build_cart(currency="EUR", items=items)))
    assert [line.name for line in cart.lines] == [f"Article {n}" for n in range(100)]
    assert cart.subtotal == "€110.00"


def test_an_authorization_is_told_from_a_payment() -> None:
    body = checkout_request().to_wire()
    assert not checkout_view(CheckoutRequest.from_wire(body), language="en").reserves
    body["type"] = "ecom.preauthorization"
    assert checkout_view(CheckoutRequest.from_wire(body), language="en").reserves


def test_who_pays_is_shown_as_far_as_the_shop_said() -> None:
    body = checkout_request(
        cardholderFirstName="Grace", cardholderLastName="Hopper", cardholderEmail="g@example.com"
    ).to_wire()
    body["addressDetails"] = {
        "billingAddress": {
            "houseNumber": "12a",
            "street": "Lindenstraße",
            "city": "Köln",
            "zipPostalCode": "50674",
            "countryCode": "DEU",
        },
        "shippingAddress": {"firstName": "Ada", "city": "Bonn"},
    }
    payer = checkout_view(CheckoutRequest.from_wire(body), language="en").payer
    assert payer is not None
    assert (payer.name, payer.email, payer.phone) == ("Grace Hopper", "g@example.com", "")
    assert payer.billing_address == ("Lindenstraße 12a", "50674 Köln", "DEU")
    assert payer.shipping_address == ("Ada", "Bonn")


def test_a_payer_nobody_named_takes_no_room() -> None:
    assert view_of().payer is None


@pytest.mark.parametrize("details", [{"cardholderHomePhone": "030 1"}, {"cardholderWorkPhone": "030 1"}])
def test_one_telephone_number_is_enough_to_show_the_payer(details: dict[str, str]) -> None:
    payer = view_of(**details).payer
    assert payer is not None
    assert payer.phone == "030 1"


@every(
    ("asked", "skin"),
    [
        ("default", "default"),
        ("midnight", "midnight"),
        ("Midnight", "midnight"),
        (" market ", "market"),
        ("", "default"),
        (None, "default"),
        ("../../secret", "default"),
        ("unheard-of", "default"),
    ],
)
def test_a_skin_is_one_of_ours_or_the_default(asked: str | None, skin: str) -> None:
    assert page_skin(asked) == skin


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        ("ExampleWalletV2", "Example Wallet"),
        ("AcmeV2", "Acme"),
        ("acme", "acme"),
        ("V2", "V2"),
        ("PayPalV12", "Pay Pal"),
    ],
)
def test_a_payer_reads_the_wallets_name_and_not_its_constant(provider: str, name: str) -> None:
    assert wallet_name(provider) == name
