"""The addresses of the simulated shop, by which its customers come back, and of the gateway's pages."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("pay/", include("wallet_gateway.urls")),
    path("", include("wallet_gateway.sandbox.urls")),
]
