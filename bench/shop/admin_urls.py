"""Addresses of the measured pages: the admin, the customer's, and one line."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from bench.shop import views

urlpatterns = [
    path("admin/", admin.site.urls),
    path("line/", views.one_line),
    path("wallet/", include("wallet_gateway.urls")),
]
