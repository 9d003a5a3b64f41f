"""Addresses of the JSON API, which is for customers' browsers: operators use the admin.

No view runs in its request's transaction: a rollback would lose records.

The views, and REST framework with them, are imported by their first request: a shop that uses hosted pages
alone does without both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db import transaction as db_transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import path
from django.urls.resolvers import URLPattern
from django.utils.module_loading import import_string
from django.views.decorators.csrf import csrf_exempt

from wallet_gateway.api.cors import allow_origins


@cache
def load(view: str) -> Callable[..., HttpResponseBase]:
    """Return the view of a class of `views`."""
    loaded: Callable[..., HttpResponseBase] = import_string(f"wallet_gateway.api.views.{view}").as_view()
    return loaded


def _address(route: str, view: str, name: str) -> URLPattern:
    # As REST framework's views are; those that change something check the token themselves.
    @csrf_exempt
    @login_not_required
    @db_transaction.non_atomic_requests
    @allow_origins
    def answer(request: HttpRequest, **arguments: Any) -> HttpResponseBase:
        return load(view)(request, **arguments)

    return path(route, answer, name=name)


urlpatterns = [
    _address("status/<str:token>/", "StatusView", "status"),
    _address("orders/<str:token>/checkout/", "CheckoutView", "wallet_checkout"),
    _address("orders/<str:token>/session/", "WalletSessionView", "wallet_session"),
    _address("orders/<str:token>/reference/", "WalletReferenceView", "wallet_reference"),
    _address("orders/<str:token>/price/", "WalletPriceView", "wallet_price"),
    _address("orders/<str:token>/event/", "WalletEventView", "wallet_event"),
    _address("orders/<str:token>/result/", "WalletResultView", "wallet_result"),
]
