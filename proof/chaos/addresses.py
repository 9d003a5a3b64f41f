"""Addresses of the shop under chaos: the plugin's own."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [path("wallet/", include("wallet_gateway.urls"))]
