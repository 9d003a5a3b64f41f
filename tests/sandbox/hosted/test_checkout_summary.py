"""What a checkout page shows of a request."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.sandbox.hosted.wire import SMALLEST, UNIT, checkout_request
from tests.tables import every
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.hosted.checkout_summary import (
    CartView,
    CheckoutView,
    checkout_view,
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
