"""Wrong settings: `manage.py check` and every call tell each with its full name and what to write."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from tests.tables import every
from wallet_gateway import payments
from wallet_gateway.checks import check_default_gateway, check_settings, check_urls
from wallet_gateway.conf.django_tests import HOW_TO_TEST
from wallet_gateway.documentation import address_of

NAMES = (
    "BASE_URL, MERCHANT_ID, STORE_ID, USER_ID, PROVIDER, PROFILE, SKIN_ID, PROVIDER_MERCHANT_ID, "
    "REDIRECT_URL_TIMEOUT, "
)
"""How the list of known names of a gateway begins."""

WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"STORE_ID": 1}, "['STORE_ID']", "a text that is not empty; it is a number (int): write '1'"),
    ({"MERCHANT_ID": None}, "['MERCHANT_ID']", "a text that is not empty, not NoneType"),
    ({"USER_ID": " "}, "['USER_ID']", "a text that is not empty; it is empty"),
    ({"PROFILE": "production", "BASE_URL": "https://gateway.example"}, "['PROFILE']", "'test' or 'prod'"),
    ({"BASE_URL": "gateway.example"}, "['BASE_URL']", "an absolute https URL"),
    (
        {"BASE_URL": "http://gateway.example"},
        "['BASE_URL']",
        "https; plain http only for a loopback address in profile 'test'",
    ),
    (
        {"AUTH": "shop.signing.sign"},
        "['AUTH']",
        (
            "the dotted path of a callable, such as 'shop.payments.sign'; 'shop.signing.sign' cannot be "
            "imported: No module named 'shop'"
        ),
    ),
    (
        {"AUTH": "wallet_gateway.gateways.sing"},
        "['AUTH']",
        (
            "the dotted path of a callable, such as 'shop.payments.sign'; 'wallet_gateway.gateways.sing' "
            'cannot be imported: Module "wallet_gateway.gateways" does not define a "sing" attribute/class'
        ),
    ),
    (
        {"AUTH": "wallet_gateway.conf.SETTING"},
        "['AUTH']",
        (
            "the dotted path of a callable, such as 'shop.payments.sign'; 'wallet_gateway.conf.SETTING' is "
            "of type str"
        ),
    ),
    (
        {"CLIENT_CLASS": "shop.Client"},
        "['CLIENT_CLASS']",
        (
            "the dotted path of a subclass of wallet_gateway.client.gateway.Gateway; 'shop.Client' cannot be "
            "imported: No module named 'shop'"
        ),
    ),
    ({"CURRENCIES": "EUR"}, "['CURRENCIES']", "a list, tuple or set, or None, not str"),
    ({"CURRENCIES": ["eur"]}, "['CURRENCIES']", "ISO 4217 codes such as ['EUR'], or None for all"),
    ({"READ_TIMEOUT": "20"}, "['READ_TIMEOUT']", "a number, not str"),
    (
        {"TOTAL_TIMEOUT": 0},
        "['TOTAL_TIMEOUT']",
        "seconds above zero, at most 120: a sender that takes longer counts as dead",
    ),
    (
        {"REDIRECT_URL_TIMEOUT": 3600},
        "['REDIRECT_URL_TIMEOUT']",
        "60 to 900 seconds: an order must not stay payable for ever",
    ),
    (
        {"REDIRECT_HOSTS": ["https://pay.example"]},
        "['REDIRECT_HOSTS']",
        "hosts without scheme and path, such as 'pay.example' or 'pay.example:8443'",
    ),
    (
        {"APPROVAL_LIMITS": {"EUR": 500}},
        "['APPROVAL_LIMITS']['EUR']",
        "a currency's code and an amount of it as text, such as 'EUR': '500.00'",
    ),
    (
        {"CA_FILE": "/no/such/file.pem"},
        "['CA_FILE']",
        "a PEM file of the authorities to trust; /no/such/file.pem: No such file or directory",
    ),
    (
        {"WALLET": {"COUNTRY": "DEU"}},
        "['WALLET']['COUNTRY']",
        "the two letters of an ISO 3166 country, such as 'DE'",
    ),
]
OF_SHOP: list[tuple[dict[str, Any], str, str]] = [
    (
        {"PUBLIC_ORIGIN": None},
        "['PUBLIC_ORIGIN']",
        "scheme and host of the shop, such as 'https://shop.example'",
    ),
    (
        {"PUBLIC_ORIGIN": "http://shop.example"},
        "['PUBLIC_ORIGIN']",
        "https, because payment results come back to it",
    ),
    ({"GATEWAYS": []}, "['GATEWAYS']", "a dict with a gateway under 'default'"),
    ({"GATEWAYS": {"default": "https://gateway.example"}}, "['GATEWAYS']['default']", "a dict"),
    (
        {"HEALTH_TOKEN": "secret"},
        "['HEALTH_TOKEN']",
        "a random text of 20 or more characters, or nothing",
    ),
    ({"RETENTION_DAYS": "400"}, "['RETENTION_DAYS']", "a whole number of days above zero, at most 36500"),
]
ADDRESS = address_of("reference/checks", "wallet_gateway.E001")
HINT = f"See the settings reference in the documentation. See {ADDRESS}"


def is_told(settings: Settings, setting: str, expected: str) -> None:
    """See that the check names exactly this setting, and that a call raises the same words."""
    found = [message for message in check_settings() if message.is_serious()]
    assert [(message.msg, message.hint) for message in found] == [(f"{setting}: {expected}", HINT)]
    with pytest.raises(ImproperlyConfigured) as refused:
        payments.create_order(reference="SHOP-1", currency="EUR", amount=Decimal(1))
    told, _, how_to_test = str(refused.value).partition(f"; {HOW_TO_TEST}")
    assert (told, how_to_test) == (f"{setting}: {expected}", "")


@every(("changed", "setting", "expected"), WRONG)
def test_a_wrong_setting_of_a_gateway_is_told(
    changed: dict[str, Any], setting: str, expected: str, settings: Settings
) -> None:
    right = settings.WALLET_GATEWAY
    gateway = right["GATEWAYS"]["default"] | changed
    settings.WALLET_GATEWAY = {**right, "GATEWAYS": {"default": gateway}}
    try:
        is_told(settings, f"WALLET_GATEWAY['GATEWAYS']['default']{setting}", expected)
    finally:
        settings.WALLET_GATEWAY = right


@pytest.mark.usefixtures("outside_tests")
@every(("changed", "setting", "expected"), OF_SHOP)
def test_a_wrong_setting_of_the_shop_is_told(
    changed: dict[str, Any], setting: str, expected: str, settings: Settings
) -> None:
    right = settings.WALLET_GATEWAY
    settings.WALLET_GATEWAY = {**right, **changed}
    try:
        is_told(settings, f"WALLET_GATEWAY{setting}", expected)
    finally:
        settings.WALLET_GATEWAY = right


def test_a_name_that_is_no_setting_is_told_with_all_that_are(settings: Settings) -> None:
    gateway = settings.WALLET_GATEWAY["GATEWAYS"]["default"] | {"TIMEOUT": 3}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": {"default": gateway}}
    (message,) = check_settings()
    start = f"WALLET_GATEWAY['GATEWAYS']['default']['TIMEOUT']: unknown name; known: {NAMES}"
    assert message.msg.startswith(start)


def test_gateways_without_a_default_one_are_told(settings: Settings) -> None:
    gateways = {"shop-a": settings.WALLET_GATEWAY["GATEWAYS"]["default"]}
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY, "GATEWAYS": gateways}
    (message,) = check_default_gateway()
    assert message.msg == (
        "WALLET_GATEWAY['GATEWAYS'] has no gateway 'default': create_order, refund_migrated and the "
        "{% wallet_scripts %} tag fail where they are not given gateway='…' (known: shop-a)"
    )
    assert message.hint == (
        "Call one of them 'default', or name the gateway in every call and add wallet_gateway.W013 to "
        f"SILENCED_SYSTEM_CHECKS. See {address_of('reference/checks', 'wallet_gateway.W013')}"
    )


@pytest.fixture
def outside_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the checks judge as outside Django's test environment."""
    monkeypatch.setattr("wallet_gateway.checks.is_test_run", bool)


@pytest.mark.usefixtures("outside_tests")
def test_a_missing_setting_says_why_the_sandbox_is_not_taken(settings: Settings) -> None:
    del settings.WALLET_GATEWAY
    told = [message.msg for message in check_settings()]
    assert told == [
        "WALLET_GATEWAY['PUBLIC_ORIGIN']: scheme and host of the shop, such as 'https://shop.example'",
        (
            "WALLET_GATEWAY['GATEWAYS']: a dict with a gateway under 'default'; only with DEBUG on, an empty "
            "setting means the sandbox"
        ),
    ]


def test_urls_that_are_not_included_are_told(settings: Settings) -> None:
    settings.ROOT_URLCONF = "django.contrib.auth.urls"
    (message,) = check_urls()
    assert message.msg == "the URLs of wallet_gateway are not included, so customers could not come back"
    assert message.hint == (
        "Add path('wallet/', include('wallet_gateway.urls')) to the root URLconf. "
        f"See {address_of('reference/checks', 'wallet_gateway.E002')}"
    )


def test_there_are_twenty() -> None:
    assert len(WRONG) + len(OF_SHOP) >= 20
