"""Addresses of the shop's pages."""

from __future__ import annotations

from django.urls import path

from example_project.shop.views import cart as cart_views
from example_project.shop.views import catalogue, checkout, orders

app_name = "shop"

urlpatterns = [
    path("", catalogue.shelf, name="shelf"),
    path("favicon.ico", catalogue.favicon),
    path("products/<slug:slug>/", catalogue.product, name="product"),
    path("currency/", catalogue.currency, name="currency"),
    path("cart/", cart_views.cart, name="cart"),
    path("cart/<slug:slug>/", cart_views.line, name="cart-line"),
    path("checkout/address/", checkout.address, name="address"),
    path("checkout/", checkout.review, name="review"),
    path("orders/back/<slug:number>/", orders.back, name="order-back"),
    path("orders/<slug:key>/", orders.order, name="order"),
    path("orders/<slug:key>/sheet/", orders.sheet, name="sheet"),
]
