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
    """Return the view of a class in this package, such as ``views.StatusView``."""
    loaded: Callable[..., HttpResponseBase] = import_string(f"wallet_gateway.api.{view}").as_view()
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


ADDRESSES = {
    "status": ("status/<str:token>/", "views.StatusView"),
    "wallet_checkout": ("orders/<str:token>/checkout/", "views.CheckoutView"),
    "wallet_session": ("orders/<str:token>/session/", "views.WalletSessionView"),
    "wallet_reference": ("orders/<str:token>/reference/", "views.WalletReferenceView"),
    "wallet_price": ("orders/<str:token>/price/", "views.WalletPriceView"),
    "wallet_event": ("orders/<str:token>/event/", "views.WalletEventView"),
    "wallet_result": ("orders/<str:token>/result/", "views.WalletResultView"),
}
"""The route and the view of each name."""
urlpatterns = [_address(route, view, name) for name, (route, view) in ADDRESSES.items()]
