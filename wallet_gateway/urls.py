"""All addresses of this app: ``path("wallet/", include("wallet_gateway.urls"))`` in a shop's own URLconf."""

from __future__ import annotations

from django.urls import include, path

app_name = "wallet_gateway"
urlpatterns = [
    path("", include("wallet_gateway.web.urls")),
    path("api/", include("wallet_gateway.api.urls")),
]
