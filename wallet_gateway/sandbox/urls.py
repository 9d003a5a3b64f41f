"""Every address of the sandbox gateway."""

from __future__ import annotations

from django.contrib.staticfiles.views import serve
from django.urls import path

from wallet_gateway.sandbox.views import console, hosted_page

urlpatterns = [
    path("checkout/<str:token>/", hosted_page.show, name="checkout"),
    path("static/<path:path>", serve, {"insecure": True}),
    path("", console.index, name="console"),
    *console.console_urls,
]
