"""One view for each peer: find the shop's order, open its page in the peer's documented way, redirect."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import stripe
from django.http import HttpResponseRedirect
from django.views.decorators.csrf import csrf_exempt
from djstripe.models import Session
from getpaid.models import Payment
from payments import RedirectNeeded, get_payment_model

from bench.cart import ITEMS
from bench.peers_shop.models import ShopOrder
from bench.peers_shop.settings import STRIPE_TEST_SECRET_KEY
from bench.shop.views import order_reference

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponseBase

RETURN_URL = "http://127.0.0.1:8000/orders/{}/"


def _order(series: str, number: int) -> ShopOrder:
    order: ShopOrder = ShopOrder.objects.get(reference=order_reference(series, number))
    return order


@csrf_exempt
def by_django_payments(request: HttpRequest, series: str, number: int) -> HttpResponseRedirect:
    """Its payment is committed before the request, and the page's address after it."""
    order = _order(series, number)
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
        return HttpResponseRedirect(str(page))
    raise AssertionError("the provider always redirects")


@csrf_exempt
def by_django_getpaid(request: HttpRequest, series: str, number: int) -> HttpResponseBase:
    """Its payment is committed before the request, and after it that the page is open; not the address."""
    order = _order(series, number)
    order.is_ready_for_payment()
    payment = Payment.objects.create(
        order=order,
        backend="bench",
        description=order.get_description(),
        amount_required=order.get_total_amount(),
        currency=order.currency,
    )
    response: HttpResponseBase = payment.prepare_transaction(request=request)
    return response


@csrf_exempt
def by_dj_stripe(request: HttpRequest, series: str, number: int) -> HttpResponseRedirect:
    """Nothing is committed before the request, and the whole session after it."""
    order = _order(series, number)
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
    stored = Session.sync_from_stripe_data(session)
    return HttpResponseRedirect(stored.url)


def make_orders(series: str, lines: int, first: int, count: int) -> None:
    """Write orders of a shop that can be paid."""
    rows: list[dict[str, Any]] = [
        {
            "sku": item.product_id,
            "name": item.product_name,
            "price": str(item.unit_amount),
            "quantity": int(item.quantity),
            "tax_rate": str(item.tax_rate),
        }
        for item in ITEMS[:lines]
    ]
    total = sum((Decimal(row["price"]) * row["quantity"] for row in rows), Decimal(0))
    ShopOrder.objects.bulk_create(
        (
            ShopOrder(reference=order_reference(series, number), total=total, currency="EUR", lines=rows)
            for number in range(first, first + count)
        ),
        batch_size=500,
    )
