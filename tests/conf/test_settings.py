"""Right settings become typed values, lazily and once; nothing wrong is used."""

from __future__ import annotations

import pickle
import subprocess
import sys
from copy import deepcopy
from datetime import timedelta
from operator import attrgetter
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from tests.conf.table import ACCOUNT, ACCOUNTS, settings_of
from tests.tables import every
from wallet_gateway import conf
from wallet_gateway.conf.django_tests import HOW_TO_TEST, SetByTests, is_set_by_tests, is_test_run
from wallet_gateway.domain.wallet_limits import WalletLimits


def with_gateway(settings: Settings, **gateway: Any) -> None:
    base = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": {**base, **gateway}}}


LIVE: dict[str, Any] = {
    "BASE_URL": "https://Gateway.Example",
    "MERCHANT_ID": "M-100",
    "WALLET": {"COUNTRY": "DE", "MERCHANT_NO": "1" * 12, "LIMITS": {"AUTHORIZATIONS": 5}},
}
OWN = {
    "BASE_URL": "https://own.example",
    "QUERY_RATE": 2,
    "CURRENCIES": ["EUR"],
    "WALLET": {"PRICING": "builtins.repr", "ALLOW_CREDIT": False},
}
LIMITS = {
    "APPROVAL_LIMITS": {"EUR": "500.00", "JPY": "80000", "KWD": "0"},
    "APPROVAL_DAY_LIMITS": {"JPY": "90000"},
    "APPROVAL_DAYS": 2,
}
READ: list[tuple[dict[str, Any], dict[str, object]]] = [
    (
        {},
        {
            "policy.sending": True,
            "policy.shares_references": False,
            "account.redirect_url_timeout": 900,
            "account.profile": "test",
            "connect_timeout": 3.0,
            "read_timeout": 20.0,
            "total_timeout": 30.0,
            # A page without TLS is accepted only from a gateway without TLS.
            "policy.allow_plain_http": True,
            "policy.address.start_command": "python -m wallet_gateway.sandbox",
            "public_origin": "https://shop.example",
        },
    ),
    (
        LIVE,
        {
            "policy.redirect_hosts": {"gateway.example"},
            "policy.allow_plain_http": False,
            "wallet.limits": WalletLimits(authorizations=5),
            "wallet.pay_js_url": "https://Gateway.Example/wallet/pay.js",
        },
    ),
    (LIVE | {"PROFILE": "prod"}, {"wallet.pay_js_url": "https://pay.google.com/gp/p/js/pay.js"}),
    (LIVE | {"REDIRECT_HOSTS": ["Pay.Example:8443"]}, {"policy.redirect_hosts": {"pay.example:8443"}}),
    ({"PUBLIC_ORIGIN": "https://seven.example/"}, {"public_origin": "https://seven.example"}),
    ({"BASE_URL": "http://127.0.0.1:8001", "MERCHANT_ID": "M-7"}, {"policy.address.start_command": ""}),
    ({"BASE_URL": "https://sandbox.example"}, {"policy.address.start_command": ""}),
    (
        {"BASE_URL": "http://localhost:8002"},
        {"policy.address.start_command": "python -m wallet_gateway.sandbox --port 8002"},
    ),
    (
        LIMITS,
        {
            "policy.approval_policy.limits": {"EUR": 50000, "JPY": 80000, "KWD": 0},
            "policy.approval_policy.waiting_time": timedelta(days=2),
        },
    ),
    # An account has what belongs to the address that it names, and its own goes first.
    (
        {"BASE_URL": "own", "QUERY_RATE": 1, "WALLET": {"COUNTRY": "DE", "ALLOW_CREDIT": True}},
        {
            "base_url": "https://own.example",
            "policy.query_rate": 1.0,
            "policy.currencies": {"EUR"},
            "pricing": "builtins.repr",
            "wallet.allow_credit": True,
        },
    ),
    # A button is the account's decision.
    ({"BASE_URL": "own", "WALLET": None}, {"wallet": None, "pricing": ""}),
]


@every(("given", "expected"), READ)
def test_settings_are_read_with_cautious_defaults(
    given: dict[str, Any], expected: dict[str, object], settings: Settings
) -> None:
    before = settings.WALLET_GATEWAY
    shop = {"PUBLIC_ORIGIN": "https://shop.example/", "BASE_URLS": {"own": OWN}}
    settings.WALLET_GATEWAY = before | shop
    with_gateway(settings, **given)
    read = conf.gateway_settings("default")
    settings.WALLET_GATEWAY = before
    assert {name: attrgetter(name)(read) for name in expected} == expected


def test_who_has_no_limit_of_a_currency_in_a_day_decides_nothing_alone(settings: Settings) -> None:
    with_gateway(settings, **LIMITS)
    policy = conf.approval_policy("default")
    assert (policy.day_limit_for("JPY"), policy.day_limit_for("EUR")) == (90000, 0)


def test_no_settings_show_a_secret(settings: Settings) -> None:
    key = Fernet.generate_key().decode()
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "FERNET_KEYS": [key]}
    with_gateway(settings, AUTH_SECRETS={"token": "canary-1"}, FERNET_KEYS=[key])
    read = conf.gateway_settings("default")
    assert (read.auth_secrets, read.fernet_keys) == ({"token": "canary-1"}, (key,))
    for shown in (repr(read), repr(conf.settings())):
        assert "canary" not in shown
        assert key not in shown


def test_with_debug_and_no_setting_it_is_the_sandbox_with_a_key_of_the_process(settings: Settings) -> None:
    assert not conf.is_origin_assumed()
    nothings: tuple[dict[str, object] | None, ...] = (None, {})
    for nothing in nothings:
        settings.DEBUG, settings.WALLET_GATEWAY = True, nothing
        given = conf.gateway_settings("default")
        assert (given.base_url, given.account.merchant_id) == ("http://127.0.0.1:8001", "SANDBOX-MERCHANT")
        assert conf.settings().public_origin == "http://127.0.0.1:8000"
        assert conf.is_origin_assumed()
        (key,) = conf.settings().fernet_keys
        Fernet(key)
        assert key not in repr(conf.settings())
        settings.DEBUG = False
        assert not conf.is_origin_assumed()
        with pytest.raises(ImproperlyConfigured, match=r"PUBLIC_ORIGIN.*GATEWAYS"):
            conf.settings()


def test_an_unknown_alias_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ImproperlyConfigured, match="no 'second'; it has: default"):
        conf.gateway_settings("second")


# Django's test environment, and nowhere else

OUTSIDE = """
from django.conf import settings
settings.configure()
from wallet_gateway.conf.django_tests import is_test_run
from django.test.utils import setup_test_environment, teardown_test_environment
found = [is_test_run()]
setup_test_environment()
found.append(is_test_run())
teardown_test_environment()
found.append(is_test_run())
print(found)
"""
LIVE_SERVER = "http://shop-in-a-container:8081"
REFUSED = "WALLET_GATEWAY['PUBLIC_ORIGIN']: https, because payment results come back to it"


@pytest.mark.wire
def test_a_process_is_a_test_while_djangos_runner_has_set_its_environment_up() -> None:
    assert is_test_run()
    ran = subprocess.run([sys.executable, "-c", OUTSIDE], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[False, True, False]"


def test_the_origin_of_a_live_server_may_be_any_host_over_http_in_a_test_without_real_money(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": SetByTests(LIVE_SERVER)}
    assert conf.gateway_settings("default").public_origin == LIVE_SERVER
    assert type(conf.settings().public_origin) is str

    addresses = {"sandbox": "http://127.0.0.1:8001", "live": "https://gateway.example"}
    live = ACCOUNT | {"BASE_URL": "live", "PROFILE": "prod", "MERCHANT_ID": "M"}
    with monkeypatch.context() as table:
        table.setattr(ACCOUNTS, "rows", {"one": ACCOUNT, "live": live})
        settings.WALLET_GATEWAY, in_settings = (
            settings_of(PUBLIC_ORIGIN=SetByTests(LIVE_SERVER), BASE_URLS=addresses),
            settings.WALLET_GATEWAY,
        )
        assert conf.gateway_settings("one").public_origin == LIVE_SERVER
        assert "live" not in conf.settings().gateways

    settings.WALLET_GATEWAY = in_settings
    with monkeypatch.context() as outside:
        outside.delattr(mail, "outbox")
        conf.settings.cache_clear()
        with pytest.raises(ImproperlyConfigured, match="https, because payment results"):
            conf.settings()
    with_gateway(settings, PROFILE="prod", BASE_URL="https://gateway.example", MERCHANT_ID="M")
    with pytest.raises(ImproperlyConfigured, match="https and a host that customers reach"):
        conf.settings()


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
        conf.settings()
    assert str(refused.value) == told


@pytest.mark.parametrize("copied", [deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_copy_of_the_settings_is_set_by_tests_as_well(copied: Any) -> None:  # noqa: ANN401
    given = {"GATEWAYS": {"default": {"BASE_URL": SetByTests("http://127.0.0.1:1")}}}
    assert is_set_by_tests(copied(given))
