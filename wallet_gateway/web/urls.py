"""Addresses of the customer views. The views check the tokens, so that every invalid one is the same 404."""

from __future__ import annotations

from django.urls import path

from wallet_gateway.web import health, views

urlpatterns = [
    path("health/", health.health, name="health"),
    path("pay/<str:token>/", views.pay, name="pay"),
    path("checkout/<str:token>/", views.checkout, name="checkout"),
    path("opening/<str:token>/", views.opening, name="opening"),
    path("return/<str:token>/", views.return_view, name="return"),
    path("result/<str:token>/", views.result, name="result"),
]
