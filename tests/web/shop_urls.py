"""A shop of a few lines for the browser: pages with the pay form and the wallet's button, and this app's."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template import RequestContext, Template
from django.urls import include, path
from django.views.decorators.clickjacking import xframe_options_sameorigin

from wallet_gateway.models import PaymentOrder

PAGE = """{% load wallet_gateway %}<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop</title>{% wallet_stylesheet %}SCRIPTS</head>
<body><main>CONTENT</main></body></html>"""


def drawn(request: HttpRequest, content: str, *, scripts: str = "", reference: str = "") -> HttpResponse:
    order = get_object_or_404(PaymentOrder, reference=reference) if reference else None
    source = PAGE.replace("SCRIPTS", scripts).replace("CONTENT", content)
    return HttpResponse(Template(source).render(RequestContext(request, {"order": order})))


def checkout_page(request: HttpRequest, reference: str) -> HttpResponse:
    """Show the pay form of an order."""
    return drawn(request, "<h1>Checkout</h1>{% wallet_checkout order %}", reference=reference)


@xframe_options_sameorigin
def button_page(request: HttpRequest, reference: str) -> HttpResponse:
    """Show both ways to pay an order."""
    content = "<h1>Checkout</h1>{% wallet_button order %}"
    return drawn(request, content, scripts="{% wallet_scripts %}", reference=reference)


def front_page(request: HttpRequest) -> HttpResponse:
    """Stand where "back to the shop" leads."""
    return drawn(request, "<h1>The shop</h1>", scripts="{% wallet_scripts %}")


urlpatterns = [
    path("favicon.ico", lambda _: HttpResponse(status=204)),
    path("", front_page),
    path("buy/<str:reference>/", checkout_page),
    path("button/<str:reference>/", button_page),
    path("wallet/", include("wallet_gateway.urls")),
]
