"""Every address of the sandbox gateway."""

from __future__ import annotations

from django.urls import include, path, re_path

from wallet_gateway.sandbox.views import api, console, control, hosted_page, static_files

urlpatterns = [
    re_path(r"^api/", api.answer),
    path("_sandbox/", include(control.control_urls)),
    path("checkout/<str:token>/", hosted_page.show, name="checkout"),
    path("static/<path:path>", static_files.static_file),
    path("", console.index, name="console"),
    *console.console_urls,
]
handler400 = "wallet_gateway.sandbox.views.failures.bad_request"
handler404 = "wallet_gateway.sandbox.views.failures.not_found"
handler500 = "wallet_gateway.sandbox.views.failures.server_error"
