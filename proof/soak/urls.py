"""The addresses of the shop that is soaked: the plugin's."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [path("wallet/", include("wallet_gateway.urls"))]
