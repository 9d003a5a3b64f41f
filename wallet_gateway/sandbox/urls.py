"""All URL patterns of the sandbox gateway."""

from __future__ import annotations

from django.urls import include, path, re_path

from wallet_gateway.sandbox import api, hosted, pages, wallet
from wallet_gateway.sandbox.console import console_urls
from wallet_gateway.sandbox.control import control_urls

urlpatterns = [
    re_path(r"^api/", api.answer),
    path("_sandbox/", include(control_urls)),
    path("checkout/<str:token>/", hosted.show_checkout, name="checkout"),
    path("three-d-secure/<str:token>/", hosted.show_authentication, name="three_d_secure"),
    path("wallet.js", wallet.service_script, name="service_script"),
    re_path(r"^wallet/(?P<version>[0-9a-f]{12})/(?P<name>[a-z_]+)\.js$", wallet.service_script_module),
    path("wallet/pay.js", wallet.script, name="wallet_script"),
    path("wallet/sheet", wallet.sheet, name="wallet_sheet"),
    path("wallet/keys.json", wallet.root_keys, name="wallet_keys"),
    path("wallet/api/payment-data", wallet.payment_data, name="wallet_payment_data"),
    path("wallet/api/price-texts", wallet.price_texts, name="wallet_price_texts"),
    path("wallet/api/state", wallet.state, name="wallet_state"),
    path("static/<path:path>", pages.static_file),
    *console_urls,
]
handler400 = "wallet_gateway.sandbox.pages.bad_request"
handler404 = "wallet_gateway.sandbox.pages.not_found"
handler500 = "wallet_gateway.sandbox.pages.server_error"
