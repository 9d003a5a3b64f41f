"""Settings become typed values, lazily and once; nothing wrong is used."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from wallet_gateway import conf


def with_gateway(settings: Settings, **gateway: Any) -> None:
    base = settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": {**base, **gateway}}}


def test_with_debug_and_no_setting_it_is_the_sandbox(settings: Settings) -> None:
    settings.DEBUG = True
    settings.WALLET_GATEWAY = None

    given = conf.gateway_settings("default")

    assert given.base_url == "http://127.0.0.1:8001"
    assert given.account.merchant_id == "SANDBOX-MERCHANT"
    assert conf.settings().public_origin == "http://127.0.0.1:8000"
    assert conf.problems() == ()


def test_without_debug_an_empty_setting_is_refused_and_every_missing_part_named(settings: Settings) -> None:
    settings.WALLET_GATEWAY = None

    with pytest.raises(ImproperlyConfigured, match=r"PUBLIC_ORIGIN.*GATEWAYS"):
        conf.settings()


def test_defaults_are_the_cautious_ones() -> None:
    given = conf.gateway_settings("default")

    assert given.policy.sending
    assert not given.policy.shares_references
    assert given.account.redirect_url_timeout == 900
    assert given.account.profile == "test"
    assert (given.connect_timeout, given.read_timeout, given.total_timeout) == (3.0, 20.0, 30.0)


def test_customers_are_sent_to_the_gateways_own_host_unless_others_are_named(settings: Settings) -> None:
    with_gateway(settings, BASE_URL="https://Gateway.Example")
    assert conf.gateway_settings("default").policy.redirect_hosts == {"gateway.example"}

    with_gateway(settings, BASE_URL="https://gateway.example", REDIRECT_HOSTS=["Pay.Example:8443"])
    assert conf.gateway_settings("default").policy.redirect_hosts == {"pay.example:8443"}


def test_a_page_without_tls_is_accepted_only_from_a_gateway_without_tls(settings: Settings) -> None:
    assert conf.gateway_settings("default").policy.allow_plain_http

    with_gateway(settings, BASE_URL="https://gateway.example")
    assert not conf.gateway_settings("default").policy.allow_plain_http


def test_an_unknown_alias_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ImproperlyConfigured, match="no 'second'; it has: default"):
        conf.gateway_settings("second")


def test_the_origin_ends_without_a_slash(settings: Settings) -> None:
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "PUBLIC_ORIGIN": "https://shop.example/"}

    assert conf.settings().public_origin == "https://shop.example"


def test_limits_for_one_person_are_read_into_minor_units(settings: Settings) -> None:
    limits = {"EUR": "500.00", "JPY": "80000", "KWD": "0"}
    with_gateway(
        settings,
        APPROVAL_LIMITS=limits,
        APPROVAL_DAY_LIMITS={"JPY": "90000"},
        APPROVAL_DAYS=2,
    )

    approval_policy = conf.approval_policy("default")

    assert approval_policy.limits == {"EUR": 50000, "JPY": 80000, "KWD": 0}
    assert (approval_policy.day_limit_for("JPY"), approval_policy.day_limit_for("EUR")) == (90000, 0)
    assert approval_policy.waiting_time == timedelta(days=2)


@pytest.mark.parametrize(
    ("url", "merchant", "command"),
    [
        ("http://127.0.0.1:8001", "SANDBOX-MERCHANT", "python -m wallet_gateway.sandbox"),
        ("http://localhost:8002", "SANDBOX-MERCHANT", "python -m wallet_gateway.sandbox --port 8002"),
        ("http://127.0.0.1:8001", "MERCHANT-7", ""),
        ("https://sandbox.example", "SANDBOX-MERCHANT", ""),
    ],
)
def test_the_sandbox_of_this_machine_has_a_command_that_starts_it(
    settings: Settings, url: str, merchant: str, command: str
) -> None:
    given = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {"BASE_URL": url, "MERCHANT_ID": merchant}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": given}}
    address = conf.gateway_settings("default").policy.address
    assert (str(address), address.start_command) == (url, command)


def test_an_origin_is_assumed_only_where_nothing_is_set_and_debug_is_on(settings: Settings) -> None:
    assert not conf.is_origin_assumed()
    settings.WALLET_GATEWAY = {}
    assert not conf.is_origin_assumed()
    settings.DEBUG = True
    assert conf.is_origin_assumed()
