"""A shop's settings for tests: every gateway is the sandbox, and what is missing is there."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography.fernet import Fernet
from pytest_django import Settings

from tests.sandbox.merchant import Merchant
from tests.support.tables import every
from wallet_gateway import conf
from wallet_gateway.testing.accounts import LOCAL_ORIGIN
from wallet_gateway.testing.configuration import BUILT_IN_MERCHANT, point_at, use_sandbox
from wallet_gateway.testing.control import SandboxControl

URL = "http://127.0.0.1:1"
LIVE: dict[str, Any] = {
    "PUBLIC_ORIGIN": "https://shop.example",
    "GATEWAYS": {
        "default": {
            "BASE_URL": "https://gateway.example/v5",
            "MERCHANT_ID": "M-100",
            "STORE_ID": "S-1",
            "USER_ID": "shop",
            "PROVIDER": "OtherV2",
            "PROFILE": "prod",
            "SKIN_ID": "dark",
            "REDIRECT_HOSTS": ["pages.gateway.example"],
            "PATHS": {"checkout": "/checkouts"},
            "CA_FILE": "/etc/only/in/production.pem",
            "WALLET": {
                "COUNTRY": "DE",
                "MERCHANT_NAME": "Shop",
                "PAY_JS_URL": "https://pay.example/pay.js",
                "WALLET_JS": {"URL": "https://gateway.example/wallet.js", "INTEGRITY": "sha384-abc"},
            },
        },
        "outlet": {
            "BASE_URL": "https://gateway.example",
            "MERCHANT_ID": "M-200",
            "STORE_ID": "S-1",
            "USER_ID": "outlet",
            "PROVIDER": "OtherV2",
            "PROFILE": "prod",
        },
    },
}


def test_nothing_configured_becomes_the_built_in_merchant_with_a_wallet_button(settings: Settings) -> None:
    settings.WALLET_GATEWAY = point_at(URL, None)
    given = conf.gateway_settings("default")
    assert (given.base_url, given.account.merchant_id) == (URL, BUILT_IN_MERCHANT["MERCHANT_ID"])
    assert given.wallet is not None
    assert conf.settings().public_origin == LOCAL_ORIGIN
    (key,) = conf.settings().fernet_keys
    Fernet(key)  # raises where it is no key


def test_settings_of_production_are_valid_in_tests_and_name_no_host_but_the_sandbox(
    settings: Settings,
) -> None:
    settings.WALLET_GATEWAY = point_at(URL, LIVE)
    assert conf.problems() == ()
    assert conf.live_gateways() == []
    assert {gateway.base_url for gateway in conf.settings().gateways.values()} == {URL}
    assert str(settings.WALLET_GATEWAY).count("gateway.example") == 0
    assert conf.gateway_settings("default").account.skin_id == "dark"
    assert conf.settings().public_origin == "https://shop.example"


@every(
    ("given", "live_server", "used"),
    [
        ("https://shop.example", "http://0.0.0.0:1", "http://0.0.0.0:1"),
        ("https://shop.example", "", "https://shop.example"),
        ("http://localhost:9000", "", "http://localhost:9000"),
        ("http://shop.test", "", LOCAL_ORIGIN),
        (17, "", LOCAL_ORIGIN),
    ],
)
def test_the_shops_origin_gives_way_to_a_live_server_and_where_a_test_cannot_have_it(
    given: object, live_server: str, used: str
) -> None:
    made = point_at(URL, LIVE | {"PUBLIC_ORIGIN": given}, public_origin=live_server)
    assert made["PUBLIC_ORIGIN"] == used


@pytest.mark.parametrize("alias", ["default", "outlet"])
def test_the_sandbox_knows_the_merchants_of_all_gateways(wallet_sandbox: SandboxControl, alias: str) -> None:
    given = use_sandbox(wallet_sandbox, LIVE)["GATEWAYS"][alias]
    ids = {"merchantId": given["MERCHANT_ID"], "storeId": given["STORE_ID"], "userId": given["USER_ID"]}
    with Merchant(wallet_sandbox.base_url, ids=ids) as merchant:
        details = {"paymentMethod": "OtherV2"}
        assert merchant.checkout("A", checkoutDetails=details).status == 200


def test_a_gateway_keeps_what_the_address_that_it_names_says(settings: Settings) -> None:
    ids = {"BASE_URL": "live", "MERCHANT_ID": "M", "STORE_ID": "S", "USER_ID": "u", "WALLET": {}}
    address: dict[str, Any] = {
        "BASE_URL": "https://gateway.example",
        "PROFILE": "prod",
        "PROVIDER": "OtherV2",
    }
    address["WALLET"] = {"COUNTRY": "FR", "PAY_JS_URL": "https://pay.example/pay.js"}
    settings.WALLET_GATEWAY = point_at(URL, {"GATEWAYS": {"default": ids}, "BASE_URLS": {"live": address}})

    used = conf.gateway_settings("default")

    assert (used.base_url, used.account.provider, used.account.profile) == (URL, "OtherV2", "test")
    assert used.wallet is not None
    assert (used.wallet.country, used.wallet.pay_js_url) == ("FR", f"{URL}/wallet/pay.js")


@every(
    ("origin", "live_server", "used"),
    [
        ("https://brand.example", "", "https://brand.example"),
        ("http://localhost:9000", "", "http://localhost:9000"),
        ("http://brand.localhost:8000", "", "https://shop.example"),
        (17, "", "https://shop.example"),
        ("https://brand.example", "http://localhost:1", "http://localhost:1"),
        ("http://brand.localhost:8000", "http://0.0.0.0:1", "http://0.0.0.0:1"),
    ],
)
def test_a_gateways_own_origin_gives_way_where_a_test_cannot_have_it(
    origin: object, live_server: str, used: str, settings: Settings
) -> None:
    outlet = LIVE["GATEWAYS"]["outlet"] | {"PUBLIC_ORIGIN": origin}
    given = LIVE | {"GATEWAYS": {"default": LIVE["GATEWAYS"]["default"], "outlet": outlet}}
    settings.WALLET_GATEWAY = point_at(URL, given, public_origin=live_server)
    assert conf.gateway_settings("outlet").public_origin == used
    # A fixture and a live server's each do it: what was right for a test stays so.
    assert point_at(URL, settings.WALLET_GATEWAY) == settings.WALLET_GATEWAY
