from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from wallet_gateway.contrib.prometheus.views import metrics

urlpatterns = [
    path("admin/", admin.site.urls),
    path("wallet/", include("wallet_gateway.urls")),
    path("metrics/", metrics, name="metrics"),
]
