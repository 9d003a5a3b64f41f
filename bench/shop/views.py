"""The views that are compared: a bare call with a row around it, the whole checkout, a page of one line."""

from __future__ import annotations

import json
import os
import threading
import uuid
from typing import TYPE_CHECKING

import requests
from django.http import HttpResponse, HttpResponseRedirect
from django.template import RequestContext, Template
from django.views.decorators.csrf import csrf_exempt

from bench.cart import ITEMS, SHIPPING
from bench.shop.models import BarePayment
from wallet_gateway import payments

if TYPE_CHECKING:
    from django.http import HttpRequest

# A session is not safe to share; each thread of the server keeps its own connection.
THREAD = threading.local()
JSON = {"Content-Type": "application/json"}
LINES = 3
BODY = json.dumps({"shoppingCartDetails": [str(item) for item in ITEMS[:LINES]]}).encode()
"""About as many bytes as the plugin sends for an order of as many lines."""
CHECKOUT_URL = os.environ["BENCH_GATEWAY_URL"] + "/api/v5/checkout"


def session() -> requests.Session:
    """Return this thread's own connections, which stay open."""
    if not hasattr(THREAD, "session"):
        THREAD.session = requests.Session()
    kept: requests.Session = THREAD.session
    return kept


@csrf_exempt
def bare(request: HttpRequest) -> HttpResponseRedirect:
    """One INSERT, one pooled POST, one UPDATE, a redirect."""
    payment = BarePayment(reference=uuid.uuid4().hex, amount_minor=1000)
    payment.save(force_insert=True)
    answer = session().post(CHECKOUT_URL, data=BODY, headers=JSON, timeout=30)
    payment.redirect_url = str(answer.json()["redirectUrl"])
    payment.save(update_fields=["redirect_url"])
    return HttpResponseRedirect(payment.redirect_url)


@csrf_exempt
def whole(request: HttpRequest, series: str, number: int) -> HttpResponseRedirect:
    """What a shop's view does: find the order, open its checkout, redirect."""
    order = payments.get_order(order_reference(series, number))
    return HttpResponseRedirect(payments.start_checkout(order).redirect_url)


@csrf_exempt
def new(request: HttpRequest) -> HttpResponseRedirect:
    """Create the order as well, in the same view."""
    order = payments.create_order(
        reference=uuid.uuid4().hex, currency="EUR", items=ITEMS[:LINES], shipping=SHIPPING
    )
    return HttpResponseRedirect(payments.start_checkout(order).redirect_url)


def one_line(request: HttpRequest) -> HttpResponse:
    """Show a page of one line, as little as a view with a template can do."""
    return HttpResponse(Template("<p>{{ word }}</p>").render(RequestContext(request, {"word": "Thanks"})))


def order_reference(series: str, number: int) -> str:
    """Return the reference of an order of a series; each view that is measured has one of its own."""
    return f"BENCH-{series}-{number}"


def make_orders(series: str, lines: int, first: int, count: int) -> None:
    """Write orders that can be paid: one by the plugin, the others as copies of its row."""
    made = payments.create_order(
        reference=order_reference(series, first), currency="EUR", items=ITEMS[:lines], shipping=SHIPPING
    )
    model = type(made)
    values = {field.attname: getattr(made, field.attname) for field in model._meta.concrete_fields}
    del values["id"], values["token"]
    numbers = range(first + 1, first + count)
    model.objects.bulk_create(
        (model(**{**values, "reference": order_reference(series, number)}) for number in numbers),
        batch_size=500,
    )
