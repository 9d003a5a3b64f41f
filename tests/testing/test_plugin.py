"""The fixtures a shop gets: a sandbox as new, and settings that point at it for one test."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from django.conf import settings as django_settings
from django.core.signals import setting_changed
from django.db import connection
from django.urls import reverse
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from requests import PreparedRequest

from tests.client.applications import Application
from tests.sandbox.merchant import Merchant
from wallet_gateway import conf, gateways, payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.status import StatusAnswer
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.orders import create_order
from wallet_gateway.testing.plugin import WalletApplication
from wallet_gateway.testing.sandbox import SandboxServer
from wallet_gateway.testing.wallet_sheet import WalletSheet

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


def test_a_payment_needs_no_transaction_of_its_own(paid_order: PaymentOrder) -> None:
    assert connection.in_atomic_block
    assert paid_order.is_paid
    assert payments.refund(paid_order).state == "APPROVED"


def test_the_customer_comes_back_to_the_live_server(
    wallet_live: LiveServer, wallet_sandbox: SandboxControl
) -> None:
    attempt = payments.start_checkout(create_order())
    address = wallet_sandbox.complete_checkout(attempt.reference, "success")
    with urlopen(address) as page:
        assert page.url.startswith(wallet_live.url)
        assert b"Your payment went through" in page.read()


@pytest.fixture
def brand_with_an_origin(settings: Settings) -> None:
    account = {"STORE_ID": "S", "USER_ID": "u", "PROVIDER": "OtherV2", "BASE_URL": "https://gateway.example"}
    brand = account | {"MERCHANT_ID": "BRAND", "PUBLIC_ORIGIN": "https://brand.example", "PROFILE": "prod"}
    gateways = {"default": account | {"MERCHANT_ID": "SHOP"}, "brand": brand}
    settings.WALLET_GATEWAY = {"PUBLIC_ORIGIN": "https://shop.example", "GATEWAYS": gateways}


def test_customers_of_a_gateway_with_an_origin_of_its_own_come_back_to_the_live_server(
    brand_with_an_origin: None, wallet_live: LiveServer, wallet_sandbox: SandboxControl
) -> None:
    attempt = payments.start_checkout(create_order(gateway="brand"))
    address = wallet_sandbox.complete_checkout(
        attempt.reference, "success", merchant_id="BRAND", store_id="S"
    )
    assert address.startswith(wallet_live.url)


def test_a_shop_without_settings_names_its_fixtures_in_any_order(shop: pytest.Pytester) -> None:
    shop.makepyfile(
        # Named as well as found by its entry point: it is loaded once.
        conftest="pytest_plugins = ['wallet_gateway.testing.plugin']",
        test_shop="""
            from decimal import Decimal
            from urllib.request import urlopen

            import pytest
            from django.conf import settings
            from wallet_gateway import conf, payments
            from wallet_gateway.testing.orders import create_order

            @pytest.fixture
            def order():
                return payments.create_order(reference="T-1", currency="EUR", amount=Decimal("10.00"))

            @pytest.fixture
            def own_merchant(settings):
                account = {"MERCHANT_ID": "M", "STORE_ID": "S", "USER_ID": "u", "PROVIDER": "P"}
                gateway = account | {"BASE_URL": "https://gateway.example"}
                settings.WALLET_GATEWAY = {"GATEWAYS": {"default": gateway}}

            @pytest.mark.django_db
            def test_the_order_first(order, wallet_sandbox):
                assert payments.start_checkout(order).redirect_url.startswith(wallet_sandbox.base_url)

            @pytest.mark.django_db
            def test_the_sandbox_first(wallet_sandbox, order, wallet_pay):
                assert wallet_pay(order).is_paid

            @pytest.mark.django_db
            def test_an_application_last(order, wallet_application):
                wallet_application(lambda environ, start: start("503 Busy", []) or [])
                with pytest.raises(payments.errors.GatewayUnreachable):
                    payments.start_checkout(order)

            def test_gateways_of_a_fixture_are_the_sandbox_too(own_merchant, wallet_sandbox):
                given = conf.gateway_settings("default")
                assert (given.base_url, given.account.merchant_id) == (wallet_sandbox.base_url, "M")

            def test_it_has_a_wallet_button(wallet_sandbox):
                assert conf.gateway_settings("default").wallet is not None

            def test_the_customer_comes_back_to_a_server_on_every_address(wallet_live, wallet_sandbox):
                attempt = payments.start_checkout(create_order())
                address = wallet_sandbox.complete_checkout(attempt.reference, "success")
                assert address.startswith("http://0.0.0.0:")
                with urlopen(address) as page:
                    assert b"Your payment went through" in page.read()

            def test_it_does_not_ask_for_it():
                assert not hasattr(settings, "WALLET_GATEWAY")
                assert "testserver" in settings.ALLOWED_HOSTS
        """,
    )
    options = ("--ds=shop_settings", "--liveserver=0.0.0.0", "-p", "no:randomly", "-W", "error")
    shop.runpytest_subprocess(*options).assert_outcomes(passed=7)


@pytest.mark.wire
def test_who_does_not_use_it_imports_next_to_nothing() -> None:
    code = """
import sys, pytest
before = set(sys.modules)
import wallet_gateway.testing.plugin
print(*{name.partition(".")[0] for name in set(sys.modules) - before if "." not in name})
print(*sorted(name for name in set(sys.modules) - before if name.startswith("wallet_gateway")))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    top, ours = ran.stdout.splitlines()
    assert set(top.split()) - {"wallet_gateway"} <= set(sys.stdlib_module_names)
    assert ours.split() == ["wallet_gateway", "wallet_gateway.testing", "wallet_gateway.testing.plugin"]


@pytest.mark.browser
@pytest.mark.usefixtures("browser_of_another")
def test_the_customer_pays_with_the_wallets_sheet(wallet_sheet: WalletSheet) -> None:
    order = create_order()
    wallet_sheet.visit(reverse("wallet_gateway:pay", args=[order.token]))
    wallet_sheet.open()
    wallet_sheet.close()
    wallet_sheet.open()
    wallet_sheet.choose("card", "Mastercard •••• 4444")
    wallet_sheet.approve()
    wallet_sheet.page.get_by_text("Your payment went through").wait_for()
    assert payments.get_order(order.reference).is_paid
