"""Addresses of the JSON API. No view runs in its request's transaction: a rollback would lose records."""

from __future__ import annotations

from django.db import transaction as db_transaction
from django.urls import path
from django.urls.resolvers import URLPattern

from wallet_gateway.api import wallet_views
from wallet_gateway.api.base import JSONView
from wallet_gateway.api.cors import allow_origins
from wallet_gateway.api.views import CheckoutView, StatusView


def _address(route: str, view: type[JSONView], name: str) -> URLPattern:
    return path(route, db_transaction.non_atomic_requests(allow_origins(view.as_view())), name=name)


urlpatterns = [
    _address("status/<str:token>/", StatusView, "status"),
    _address("orders/<str:token>/checkout/", CheckoutView, "wallet_checkout"),
    _address("orders/<str:token>/session/", wallet_views.WalletSessionView, "wallet_session"),
    _address("orders/<str:token>/reference/", wallet_views.WalletReferenceView, "wallet_reference"),
    _address("orders/<str:token>/price/", wallet_views.WalletPriceView, "wallet_price"),
    _address("orders/<str:token>/event/", wallet_views.WalletEventView, "wallet_event"),
    _address("orders/<str:token>/result/", wallet_views.WalletResultView, "wallet_result"),
]
