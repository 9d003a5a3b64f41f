"""Addresses of a project with two admin sites."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from tests.admin import urls
from wallet_gateway.admin import register

ops = admin.AdminSite(name="ops")
register(ops)

urlpatterns = [*urls.urlpatterns, path("ops/", ops.urls)]
