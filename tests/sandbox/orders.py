"""Checkout requests as a shop puts them on the wire, small and large; the page tests read and post them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from tests.sandbox import merchant
from wallet_gateway.protocol.cart import (
    Discount,
    Item,
    Shipping,
    ShoppingCart,
    build_cart,
    cart_total,
)

SHOP: Final = "http://127.0.0.1:8000"
URLS: Final = {
    "returnUrl": f"{SHOP}/pay/return/",
    "successUrl": f"{SHOP}/pay/success/",
    "pendingUrl": f"{SHOP}/pay/pending/",
    "errorUrl": f"{SHOP}/pay/error/",
    "cancelUrl": f"{SHOP}/pay/cancel/",
    "refusedUrl": f"{SHOP}/pay/refused/",
}

# The same order in three currencies: whole thousands, so that grouping shows, and the smallest unit of each.
UNIT: Final = {"EUR": Decimal("1234.56"), "JPY": Decimal(1234), "KWD": Decimal("1234.567")}
SMALLEST: Final = {"EUR": Decimal("0.01"), "JPY": Decimal(1), "KWD": Decimal("0.001")}


def cart(currency: str) -> ShoppingCart:
    """Two lines, one of them discounted and taxed, shipping, and a discount on the whole order."""
    unit, small = UNIT[currency], SMALLEST[currency]
    return build_cart(
        currency=currency,
        items=(
            Item(
                product_id="MUG-1",
                product_name="Enamel mug",
                product_description="Half a litre",
                unit_amount=unit,
                quantity=2,
                unit_tax_amount=small * 7,
                tax_rate=Decimal("7.7"),
                discount_amount=small * 5,
                discount_name="Autumn sale",
                discount_tax_amount=small,
            ),
            Item(product_id="PDF-1", product_name="Guide", unit_amount=small, product_type="digital"),
        ),
        shipping=Shipping(name="Parcel", amount=small * 600, tax_amount=small * 96, tax_rate=Decimal("19")),
        discounts=(
            Discount(name="Welcome", amount=small * 100),
            Discount(name="Voucher 7", amount=small * 250, type="giftcard"),
        ),
    )


def checkout_body(
    currency: str = "EUR",
    *,
    shopping_cart: ShoppingCart | None = None,
    amount: str | None = None,
    **details: Any,
) -> dict[str, Any]:
    """A valid request body; ``details`` are further fields of ``checkoutDetails``."""
    if amount is None:
        shopping_cart = shopping_cart or cart(currency)
        amount = cart_total(shopping_cart, currency).to_wire()
    body = merchant.checkout_body(
        merchant.new_reference(),
        amount=amount,
        currencyCode=currency,
        providerDiscretionaryData="SO-10431",
        checkoutDetails={"paymentMethod": merchant.PROVIDER, **details},
        redirectDetails=dict(URLS),
    )
    if shopping_cart is not None:
        body["shoppingCartDetails"] = shopping_cart.to_wire()
    return body
