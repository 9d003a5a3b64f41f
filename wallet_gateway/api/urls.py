"""Addresses of the JSON door."""

from __future__ import annotations

from django.db import transaction
from django.urls import path

from wallet_gateway.api.views import StatusView

urlpatterns = [
    path("status/<str:token>/", transaction.non_atomic_requests(StatusView.as_view()), name="status"),
]
