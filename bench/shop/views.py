"""The two views that are compared: what a checkout cannot do without, and the whole of it."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING

import urllib3
from django.conf import settings
from django.http import HttpResponseRedirect

from bench.cart import ITEMS, SHIPPING
from bench.client_call import request as checkout_request
from bench.shop.models import BarePayment
from wallet_gateway import payments

if TYPE_CHECKING:
    from django.http import HttpRequest

POOL = urllib3.PoolManager(maxsize=16)
BODY = checkout_request().to_json()
LINES = 3


def bare(request: HttpRequest) -> HttpResponseRedirect:
    """One INSERT, one pooled POST, one UPDATE, a redirect."""
    payment = BarePayment.objects.create(reference=uuid.uuid4().hex, amount_minor=1000)
    headers = {"Content-Type": "application/json"}
    answer = POOL.request("POST", f"{settings.GATEWAY_URL}/api/v5/checkout", body=BODY, headers=headers)
    payment.redirect_url = json.loads(answer.data)["redirectUrl"]
    payment.save(update_fields=["redirect_url"])
    return HttpResponseRedirect(payment.redirect_url)


def whole(request: HttpRequest, number: int) -> HttpResponseRedirect:
    """What a shop's view does: find the order, open its checkout, redirect."""
    order = payments.get_order(f"BENCH-{number}")
    return HttpResponseRedirect(payments.start_checkout(order).redirect_url)


def make_orders(count: int) -> None:
    """Write orders that can be paid: the first by the plugin, the others as copies of its row."""
    first = payments.create_order(reference="BENCH-0", currency="EUR", items=ITEMS[:LINES], shipping=SHIPPING)
    model = type(first)
    values = {field.attname: getattr(first, field.attname) for field in model._meta.concrete_fields}
    del values["id"], values["token"]
    model.objects.bulk_create(
        [model(**{**values, "reference": f"BENCH-{number}"}) for number in range(1, count)], batch_size=500
    )
