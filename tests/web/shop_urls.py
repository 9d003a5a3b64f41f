"""A shop of two lines for the browser: one page with the pay form, and the addresses of this app."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template import RequestContext, Template
from django.urls import include, path

from wallet_gateway.models import PaymentOrder

PAGE = """{% load wallet_gateway %}<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Checkout</title>{% wallet_stylesheet %}</head>
<body><h1>Checkout</h1>{% wallet_checkout order %}</body></html>"""


def checkout_page(request: HttpRequest, reference: str) -> HttpResponse:
    """Show the pay form of an order."""
    order = get_object_or_404(PaymentOrder, reference=reference)
    return HttpResponse(Template(PAGE).render(RequestContext(request, {"order": order})))


def front_page(request: HttpRequest) -> HttpResponse:
    """Stand where "back to the shop" leads."""
    return HttpResponse("<!doctype html><title>Shop</title><h1>The shop</h1>")


urlpatterns = [
    path("", front_page),
    path("buy/<str:reference>/", checkout_page),
    path("wallet/", include("wallet_gateway.urls")),
]
