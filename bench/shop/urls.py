"""Addresses of the measured shop: the admin, the plugin's pages, and those that are written by hand."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from bench.shop import hand

urlpatterns = [
    path("admin/", admin.site.urls),
    path("wallet/", include("wallet_gateway.urls")),
    path("hand/return/<str:reference>/", hand.back),
    path("hand/<str:reference>/", hand.page),
]
