"""Right settings are used with cautious defaults, lazily and once; nothing wrong is used."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from tests.conf.table import ACCOUNT, ACCOUNTS, settings_of
from tests.support.tables import every
from wallet_gateway import conf, gateways, payments
from wallet_gateway.conf.django_tests import HOW_TO_TEST, SetByTests
from wallet_gateway.models import PaymentOrder
from wallet_gateway.payments.errors import OperationError

gateway_aliases = payments.maintenance.gateway_aliases


def with_gateway(settings: Settings, **gateway: Any) -> None:
    base = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": {**base, **gateway}}}


def return_address() -> str:
    """Return where a customer comes back to after a payment."""
    return gateways.return_urls("R-1").success_url


def test_what_is_not_set_is_cautious(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": "https://shop.example/"}
    account = asdict(gateways.gateway("default").account)
    assert (account["profile"], account["redirect_url_timeout"]) == ("test", 900)
    assert return_address().startswith("https://shop.example/")
    assert gateways.is_test("default")


def is_taken(currency: str) -> bool:
    try:
        payments.create_order(reference=currency, currency=currency, amount=Decimal("5.00"))
    except OperationError:
        return False
    return True


@pytest.mark.django_db
@every(
    ("given", "taken", "base_url"),
    [
        ({"BASE_URL": "own"}, ["EUR"], "https://own.example"),
        ({"BASE_URL": "own", "CURRENCIES": ["CHF"]}, ["CHF"], "https://own.example"),
        ({"BASE_URL": "https://elsewhere.example"}, ["CHF", "EUR"], "https://elsewhere.example"),
    ],
)
def test_an_account_has_what_its_address_says_and_its_own_goes_first(
    given: dict[str, Any], taken: list[str], base_url: str, settings: Settings
) -> None:
    before = settings.WALLET_GATEWAY
    own = {"BASE_URL": "https://own.example", "CURRENCIES": ["EUR"], "WALLET": {"CARDS": {"CREDIT": False}}}
    settings.WALLET_GATEWAY = before | {"BASE_URLS": {"own": own}}
    with_gateway(settings, **given)
    PaymentOrder.objects.all().delete()
    assert [currency for currency in ("CHF", "EUR") if is_taken(currency)] == taken
    assert gateways.wallet_script_settings("default")["payJsUrl"] == f"{base_url}/wallet/pay.js"
    # A button is the account's decision.
    with_gateway(settings, WALLET=None)
    with pytest.raises(ImproperlyConfigured, match="has no WALLET"):
        gateways.wallet_script_settings("default")
    settings.WALLET_GATEWAY = before


def test_who_has_no_limit_of_a_currency_in_a_day_decides_nothing_alone(settings: Settings) -> None:
    with_gateway(settings, APPROVALS={"LIMITS": {"EUR": "500.00"}, "DAY_LIMITS": {"JPY": "90000"}})
    policy = conf.approval_policy("default")
    assert (policy.day_limit_for("JPY"), policy.day_limit_for("EUR")) == (90000, 0)


def test_no_settings_show_a_secret(settings: Settings) -> None:
    key = Fernet.generate_key().decode()
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "FERNET_KEYS": [key]}
    with_gateway(settings, AUTH_SECRETS={"token": "canary-1"}, FERNET_KEYS=[key])
    for shown in (repr(conf.gateway_settings("default")), repr(conf.settings())):
        assert "canary" not in shown
        assert key not in shown


@pytest.mark.parametrize("nothing", [None, {}])
def test_with_debug_and_no_setting_it_is_the_sandbox_with_a_key_of_the_process(
    nothing: dict[str, object] | None, settings: Settings
) -> None:
    settings.DEBUG, settings.WALLET_GATEWAY = True, nothing
    assert gateways.gateway("default").account.merchant_id == "SANDBOX-MERCHANT"
    assert gateways.wallet_script_settings("default")["gatewayUrl"] == "http://127.0.0.1:8001"
    assert return_address().startswith("http://127.0.0.1:8000/")
    sealed = gateways.cipher()
    assert sealed is not None
    assert sealed.unseal(sealed.seal("a secret")) == "a secret"
    settings.DEBUG = False
    with pytest.raises(ImproperlyConfigured, match=r"PUBLIC_ORIGIN.*GATEWAYS"):
        gateway_aliases()


def test_an_unknown_alias_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ImproperlyConfigured, match="no 'second'; it has: default"):
        gateways.gateway("second")


# Django's test environment, and nowhere else

LIVE_SERVER = "http://shop-in-a-container:8081"
REFUSED = "WALLET_GATEWAY['PUBLIC_ORIGIN']: https, because payment results come back to it"


def test_the_origin_of_a_live_server_may_be_any_host_over_http_in_a_test_without_real_money(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_settings = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": SetByTests(LIVE_SERVER)}
    settings.WALLET_GATEWAY = in_settings
    assert return_address().startswith(f"{LIVE_SERVER}/")

    addresses = {"sandbox": "http://127.0.0.1:8001", "live": "https://gateway.example"}
    live = ACCOUNT | {"BASE_URL": "live", "PROFILE": "prod", "MERCHANT_ID": "M"}
    with monkeypatch.context() as table:
        table.setattr(ACCOUNTS, "rows", {"one": ACCOUNT, "live": live})
        settings.WALLET_GATEWAY = settings_of(PUBLIC_ORIGIN=SetByTests(LIVE_SERVER), BASE_URLS=addresses)
        assert gateway_aliases() == ("one",)

    with monkeypatch.context() as outside:
        outside.delattr(mail, "outbox")
        settings.WALLET_GATEWAY = dict(in_settings)
        with pytest.raises(ImproperlyConfigured, match="https, because payment results"):
            gateway_aliases()
    with_gateway(settings, PROFILE="prod", BASE_URL="https://gateway.example", MERCHANT_ID="M")
    with pytest.raises(ImproperlyConfigured, match="https and a host that customers reach"):
        gateway_aliases()


@every(
    ("sandbox", "told"),
    [
        ("http://127.0.0.1:1", f"{REFUSED}; {HOW_TO_TEST}"),
        (SetByTests("http://127.0.0.1:1"), REFUSED),
    ],
)
def test_the_fixtures_are_named_only_to_a_test_that_uses_none_of_them(
    sandbox: str, told: str, settings: Settings
) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": LIVE_SERVER}
    with_gateway(settings, BASE_URL=sandbox)
    with pytest.raises(ImproperlyConfigured) as refused:
        gateway_aliases()
    assert str(refused.value) == told
