"""Addresses of the shop with peers: where the gateway would send customers and messages."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [path("payments/", include("payments.urls")), path("", include("bench.shop.urls"))]
