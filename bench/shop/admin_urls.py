"""Addresses of the measured admin."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

urlpatterns = [path("admin/", admin.site.urls), path("wallet/", include("wallet_gateway.urls"))]
