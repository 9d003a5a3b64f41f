"""The fixtures a shop gets: a sandbox as new, and settings that point at it for one test."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.core.signals import setting_changed
from pytest_django import Settings
from requests import PreparedRequest

from tests.client.applications import Application
from tests.sandbox.merchant import Merchant
from wallet_gateway import conf, gateways, payments
from wallet_gateway.protocol.status import StatusAnswer
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.plugin import WalletApplication
from wallet_gateway.testing.sandbox import SandboxServer

pytest_plugins = ["pytester"]


def default_gateway() -> dict[str, str]:
    configuration: dict[str, Any] = django_settings.WALLET_GATEWAY
    gateway: dict[str, str] = configuration["GATEWAYS"]["default"]
    return gateway


def test_the_default_gateway_points_at_the_sandbox(
    wallet_sandbox: SandboxControl, wallet_sandbox_server: SandboxServer
) -> None:
    gateway = default_gateway()
    assert gateway["BASE_URL"] == wallet_sandbox_server.base_url == wallet_sandbox.base_url
    assert gateway["MERCHANT_ID"] == "SANDBOX-MERCHANT"


def test_the_next_test_has_the_settings_of_the_shop(wallet_sandbox_server: SandboxServer) -> None:
    assert default_gateway()["BASE_URL"] != wallet_sandbox_server.base_url


@pytest.mark.parametrize("run", [1, 2])
def test_every_test_finds_a_sandbox_as_new(wallet_sandbox: SandboxControl, run: int) -> None:
    assert wallet_sandbox.journal() == []
    with Merchant(wallet_sandbox.base_url) as merchant:
        assert merchant.checkout("THE-SAME").status == 200


def test_who_keeps_what_was_made_of_the_settings_is_told(request: pytest.FixtureRequest) -> None:
    told: list[Any] = []

    def listen(*, setting: str, value: Any, **_: object) -> None:  # noqa: ANN401
        if setting == "WALLET_GATEWAY":
            told.append(value)

    setting_changed.connect(listen)
    try:
        control: SandboxControl = request.getfixturevalue("wallet_sandbox")
    finally:
        setting_changed.disconnect(listen)
    assert [value["GATEWAYS"]["default"]["BASE_URL"] for value in told] == [control.base_url]


@pytest.fixture
def shops_own_merchant(settings: Any) -> None:  # noqa: ANN401
    account = {"MERCHANT_ID": "SHOP", "STORE_ID": "S", "USER_ID": "u", "PROVIDER": "OtherV2"}
    settings.WALLET_GATEWAY = {"GATEWAYS": {"default": account}}


def test_a_merchant_of_the_shops_own_is_known_to_the_sandbox(
    shops_own_merchant: None, wallet_sandbox: SandboxControl
) -> None:
    ids = {"merchantId": "SHOP", "storeId": "S", "userId": "u"}
    with Merchant(wallet_sandbox.base_url, ids=ids) as merchant:
        details = {"paymentMethod": "OtherV2"}
        assert merchant.checkout("A", checkoutDetails=details).status == 200


def signs(request: PreparedRequest) -> PreparedRequest:
    request.headers["X-Signed"] = "yes"
    return request


def test_an_application_answers_as_the_gateway_of_the_settings(
    settings: Settings, wallet_application: WalletApplication
) -> None:
    given = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    own = {"BASE_URL": "https://gateway.example/v5", "AUTH": "tests.testing.test_plugin.signs"}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": {**given, **own}}}
    application = Application(b"[]")
    wallet_application(application)

    assert gateways.gateway("default").status("A").message == StatusAnswer()
    (environ,) = application.requests
    assert (environ["HTTP_HOST"], environ["HTTP_X_SIGNED"]) == ("gateway.example", "yes")
    assert environ["PATH_INFO"].startswith("/v5/")


def test_a_checkout_is_opened_by_an_application(
    transactional_db: None, wallet_application: WalletApplication
) -> None:
    host = urlsplit(conf.gateway_settings("default").base_url).netloc
    wallet_application(Application(f'{{"redirectUrl": "http://{host}/page"}}'.encode()))
    order = payments.create_order(reference="T-1", currency="EUR", amount=Decimal("10.00"))

    assert payments.start_checkout(order).redirect_url == f"http://{host}/page"


def test_an_application_that_fails_opens_no_page(
    transactional_db: None, wallet_application: WalletApplication
) -> None:
    application = Application(error=ZeroDivisionError())
    wallet_application(application)
    order = payments.create_order(reference="T-1", currency="EUR", amount=Decimal("10.00"))

    with pytest.raises(payments.errors.GatewayUnreachable):
        payments.start_checkout(order)
    assert len(application.requests) == 1


def test_a_shop_outside_this_repository_can_use_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        shop_settings="SECRET_KEY = 'x'\nUSE_TZ = True\n",
        conftest="pytest_plugins = ['wallet_gateway.testing.plugin']\n",
        test_shop="""
            from django.conf import settings

            def test_pays(wallet_sandbox):
                gateway = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
                assert gateway["BASE_URL"] == wallet_sandbox.base_url
                assert gateway["MERCHANT_ID"] == "SANDBOX-MERCHANT"

            def test_does_not_ask_for_it():
                assert not hasattr(settings, "WALLET_GATEWAY")
        """,
    )
    result = pytester.runpytest_subprocess("--ds=shop_settings", "-p", "no:randomly", "-W", "error")
    result.assert_outcomes(passed=2)
