"""How each package opens the page of a shop's order in its documented way; beside it the plugin."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import stripe
from djstripe.models import Session
from payments import RedirectNeeded, get_payment_model

from bench.peers_shop.models import ShopOrder
from bench.peers_shop.settings import STRIPE_TEST_SECRET_KEY
from bench.shop import hand
from bench.shop.cart import ITEMS, SHIPPING
from wallet_gateway import payments

if TYPE_CHECKING:
    from collections.abc import Callable

RETURN_URL = "http://127.0.0.1:8000/orders/{}/"


def shop_order(reference: str) -> ShopOrder:
    """Write an order as a shop keeps it."""
    lines: list[dict[str, Any]] = [
        {
            "sku": item.product_id,
            "name": item.product_name,
            "price": str(item.unit_amount),
            "quantity": int(item.quantity),
            "tax_rate": str(item.tax_rate),
        }
        for item in ITEMS
    ]
    total = sum((Decimal(line["price"]) * line["quantity"] for line in lines), Decimal(0))
    order: ShopOrder = ShopOrder._default_manager.create(
        reference=reference, total=total, currency="EUR", lines=lines
    )
    return order


def by_django_payments(order: ShopOrder) -> str:
    """Its payment is committed before the request, and the page's address after it."""
    payment = get_payment_model().objects.create(
        variant="default",
        order=order,
        description=order.reference,
        total=order.total,
        currency=order.currency,
    )
    try:
        payment.get_form()
    except RedirectNeeded as page:
        return str(page)
    raise AssertionError("the provider always redirects")


def by_dj_stripe(order: ShopOrder) -> str:
    """Nothing is committed before the request, and the whole session after it."""
    session = stripe.checkout.Session.create(
        api_key=STRIPE_TEST_SECRET_KEY,
        mode="payment",
        client_reference_id=order.reference,
        success_url=RETURN_URL.format(order.reference),
        cancel_url=RETURN_URL.format(order.reference),
        line_items=[
            {
                "quantity": line["quantity"],
                "price_data": {
                    "currency": order.currency.lower(),
                    "unit_amount": int(Decimal(line["price"]) * 100),
                    "product_data": {"name": line["name"], "metadata": {"sku": line["sku"]}},
                },
            }
            for line in order.lines
        ],
    )
    return str(Session.sync_from_stripe_data(session).url)


def plugin_order(reference: str) -> Any:  # noqa: ANN401 - an order of the plugin
    """Write an order of the plugin."""
    return payments.create_order(reference=reference, currency="EUR", items=ITEMS, shipping=SHIPPING)


OPENERS: dict[str, tuple[Callable[[str], Any], Callable[[Any], str]]] = {
    "hand": (hand.create, hand.pay),
    "plugin": (plugin_order, lambda order: payments.start_checkout(order).redirect_url),
    "django-payments": (shop_order, by_django_payments),
    "dj-stripe": (shop_order, by_dj_stripe),
}
