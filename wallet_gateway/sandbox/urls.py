"""Every address of the sandbox gateway."""

from __future__ import annotations

from django.urls import include, path, re_path

from wallet_gateway.sandbox.views import (
    api,
    console,
    control,
    hosted_page,
    static_files,
    three_d_secure,
    wallet,
    wallet_sheet,
)

urlpatterns = [
    re_path(r"^api/", api.answer),
    path("_sandbox/", include(control.control_urls)),
    path("checkout/<str:token>/", hosted_page.show, name="checkout"),
    path("three-d-secure/<str:token>/", three_d_secure.show, name="three_d_secure"),
    path("wallet/pay.js", wallet_sheet.script, name="wallet_script"),
    path("wallet/sheet", wallet_sheet.sheet, name="wallet_sheet"),
    path("wallet/keys.json", wallet.root_keys, name="wallet_keys"),
    path("wallet/api/payment-data", wallet.payment_data, name="wallet_payment_data"),
    path("wallet/api/state", wallet.state, name="wallet_state"),
    path("static/<path:path>", static_files.static_file),
    path("", console.index, name="console"),
    *console.console_urls,
]
handler400 = "wallet_gateway.sandbox.views.failures.bad_request"
handler404 = "wallet_gateway.sandbox.views.failures.not_found"
handler500 = "wallet_gateway.sandbox.views.failures.server_error"
