"""A shop of a few lines for the browser: pages with the pay form and the wallet's button, and this app's."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template import RequestContext, Template
from django.urls import include, path
from django.views.decorators.clickjacking import xframe_options_sameorigin

from wallet_gateway.models import PaymentOrder

PAGE = """{% load wallet_gateway %}<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Checkout</title>{% wallet_stylesheet %}</head>
<body><h1>Checkout</h1>{% wallet_checkout order %}</body></html>"""

BUTTON_PAGE = """{% load wallet_gateway %}<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Checkout</title>
{% wallet_stylesheet %}{% wallet_scripts %}</head>
<body><main><h1>Checkout</h1>{% wallet_button order %}</main></body></html>"""


FRONT_PAGE = """{% load wallet_gateway %}<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop</title>
{% wallet_stylesheet %}{% wallet_scripts %}</head>
<body><main><h1>The shop</h1></main></body></html>"""


def checkout_page(request: HttpRequest, reference: str) -> HttpResponse:
    """Show the pay form of an order."""
    order = get_object_or_404(PaymentOrder, reference=reference)
    return HttpResponse(Template(PAGE).render(RequestContext(request, {"order": order})))


@xframe_options_sameorigin
def button_page(request: HttpRequest, reference: str) -> HttpResponse:
    """Show both ways to pay an order."""
    order = get_object_or_404(PaymentOrder, reference=reference)
    return HttpResponse(Template(BUTTON_PAGE).render(RequestContext(request, {"order": order})))


def front_page(request: HttpRequest) -> HttpResponse:
    """Stand where "back to the shop" leads."""
    return HttpResponse(Template(FRONT_PAGE).render(RequestContext(request)))


def no_picture(request: HttpRequest) -> HttpResponse:
    """Answer every browser's question for an icon."""
    return HttpResponse(status=204)


urlpatterns = [
    path("favicon.ico", no_picture),
    path("", front_page),
    path("buy/<str:reference>/", checkout_page),
    path("button/<str:reference>/", button_page),
    path("wallet/", include("wallet_gateway.urls")),
]
