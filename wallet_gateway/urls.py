"""All addresses of this app: ``path("wallet/", include("wallet_gateway.urls"))`` in a shop's own URLconf."""

from __future__ import annotations

from django.urls import include, path

from wallet_gateway.web import health, views

app_name = "wallet_gateway"
urlpatterns = [
    # The views check the tokens, so that every invalid one is the same 404.
    path("health/", health.health, name="health"),
    path("pay/<str:token>/", views.pay, name="pay"),
    path("checkout/<str:token>/", views.checkout, name="checkout"),
    path("opening/<str:token>/", views.opening, name="opening"),
    path("return/<str:token>/", views.return_view, name="return"),
    path("result/<str:token>/", views.result, name="result"),
    path("api/", include("wallet_gateway.api.urls")),
]
