"""The same order by the plain ORM, as a shop would write it in an afternoon, with the same steps.

It commits before and after each call as the plugin does. It keeps no bodies and no events, signs no
addresses, checks no sums, and knows no unknown.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import requests
from django.conf import settings
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template import RequestContext, Template

from bench.shop.cart import ITEMS, SHIPPING
from bench.shop.models import HandLine, HandOrder, HandPayment

if TYPE_CHECKING:
    from django.http import HttpRequest

GATEWAY: dict[str, str] = getattr(settings, "WALLET_GATEWAY")["GATEWAYS"]["default"]  # noqa: B009
IDS = {"merchantId": GATEWAY["MERCHANT_ID"], "storeId": GATEWAY["STORE_ID"]}
SESSION = requests.Session()
PAGE = """<!DOCTYPE html>
<html lang="en"><title>{{ order.reference }}</title><h1>Thank you</h1><table>
{% for line in order.lines.all %}<tr><td>{{ line.name }}<td>{{ line.quantity }}<td>{{ line.unit_minor }}
{% endfor %}</table><p>{{ order.total_minor }} {{ order.currency }}{% if order.is_paid %}: paid{% endif %}
"""
TEMPLATE = Template(PAGE)


@transaction.atomic
def create(reference: str) -> HandOrder:
    """Write the order with its lines."""
    lines = [(item.product_name, int(item.unit_amount * 100), int(item.quantity)) for item in ITEMS]
    total = sum(unit * quantity for _, unit, quantity in lines) + int(SHIPPING.amount * 100)
    order = HandOrder.objects.create(reference=reference, total_minor=total, currency="EUR")
    HandLine.objects.bulk_create(
        HandLine(order=order, name=name, unit_minor=unit, quantity=quantity) for name, unit, quantity in lines
    )
    return order


def pay(order: HandOrder) -> str:
    """Open the page of the gateway."""
    payment = HandPayment.objects.create(order=order, reference=uuid.uuid4().hex)
    body = IDS | {
        "type": "ecom.sale",
        "amount": f"{order.total_minor // 100}.{order.total_minor % 100:02}",
        "currencyCode": order.currency,
        "clientSystemTransactionId": payment.reference,
        "lines": [{"name": line.name, "quantity": line.quantity} for line in order.lines.all()],
    }
    answer = SESSION.post(f"{GATEWAY['BASE_URL']}/api/v5/checkout", json=body, timeout=30)
    answer.raise_for_status()
    payment.redirect_url, payment.state = answer.json()["redirectUrl"], "OPEN"
    payment.save(update_fields=["redirect_url", "state"])
    return str(payment.redirect_url)


def back(request: HttpRequest, reference: str) -> HttpResponseRedirect:
    """Ask whether it is paid, and write that down."""
    payment = get_object_or_404(HandPayment.objects.select_related("order"), order__reference=reference)
    query = IDS | {"clientSystemTransactionId": payment.reference}
    answer = SESSION.get(f"{GATEWAY['BASE_URL']}/api/v5/apmTransactions", params=query, timeout=30)
    [record] = answer.json()
    if (
        record["state"] == "Approved"
        and round(record["transactionAmount"] * 100) == payment.order.total_minor
    ):
        with transaction.atomic():
            HandPayment.objects.filter(pk=payment.pk, state="OPEN").update(state="PAID")
            HandOrder.objects.filter(pk=payment.order_id).update(is_paid=True)
    return HttpResponseRedirect(f"/hand/{reference}/")


def page(request: HttpRequest, reference: str) -> HttpResponse:
    """Show the order."""
    order = get_object_or_404(HandOrder, reference=reference)
    return HttpResponse(TEMPLATE.render(RequestContext(request, {"order": order})))
