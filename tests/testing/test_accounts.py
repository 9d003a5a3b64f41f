"""A shop's accounts outside the settings, in tests: the same accounts, each at the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from tests.conf.table import ACCOUNT, ACCOUNTS, UNVERSIONED, Table, settings_of
from tests.support.tables import every
from wallet_gateway import conf, payments
from wallet_gateway.testing.configuration import point_at, use_sandbox
from wallet_gateway.testing.control import SandboxControl
from wallet_gateway.testing.orders import create_order, pay

URL = "http://127.0.0.1:1"
LIVE: dict[str, Any] = {
    "PUBLIC_ORIGIN": "https://shop.example",
    "BASE_URLS": {"sandbox": "https://gateway.example"},
}


@pytest.fixture
def rows(settings: Settings) -> Iterator[Table]:
    """The table of a shop in production, whose settings are those for tests."""
    settings.ALLOWED_HOSTS = [".example", "testserver"]
    settings.WALLET_GATEWAY = point_at(URL, settings_of(**LIVE))
    ACCOUNTS.__init__()  # type: ignore[misc]
    yield ACCOUNTS
    ACCOUNTS.__init__()  # type: ignore[misc]
    UNVERSIONED.clear()


def test_an_account_with_the_profile_of_real_money_is_one_for_tests(rows: Table) -> None:
    rows.write(1, live=ACCOUNT | {"PROFILE": "prod"}, plain=ACCOUNT)
    found = {alias: one.account.profile for alias, one in conf.settings().gateways.items()}
    assert found == {"live": "test", "plain": "test"}
    assert conf.gateway_settings("live").base_url == URL
    assert rows.rows["live"]["PROFILE"] == "prod", "the shop's own row stays as it is"


def test_a_profile_beside_that_of_the_address_is_refused_as_in_production(
    rows: Table, settings: Settings
) -> None:
    address = {"BASE_URL": "https://gateway.example", "PROFILE": "prod"}
    given = settings_of(**LIVE | {"BASE_URLS": {"sandbox": address}})
    settings.WALLET_GATEWAY = point_at(URL, given)
    rows.write(1, right=ACCOUNT, wrong=ACCOUNT | {"PROFILE": "prod"})
    assert conf.gateway_settings("right").account.profile == "test"
    with pytest.raises(ImproperlyConfigured, match="belongs to the address"):
        conf.gateway_settings("wrong")


@every(
    ("origin", "live_server", "used"),
    [
        ("https://brand.example", "", "https://brand.example"),
        ("http://brand.localhost:8000", "", "https://shop.example"),
        ("https://brand.example", "http://0.0.0.0:1", "http://0.0.0.0:1"),
    ],
)
def test_an_accounts_own_origin_gives_way_where_a_test_cannot_have_it(
    origin: str, live_server: str, used: str, rows: Table, settings: Settings
) -> None:
    rows.write(1, brand=ACCOUNT | {"PUBLIC_ORIGIN": origin})
    settings.WALLET_GATEWAY = point_at(URL, settings_of(**LIVE), public_origin=live_server)
    assert conf.gateway_settings("brand").public_origin == used


def test_a_change_of_the_shops_version_is_seen(rows: Table) -> None:
    rows.write(1, one=ACCOUNT)
    assert list(conf.settings().gateways) == ["one"]
    rows.write(2, two=ACCOUNT)
    conf.forget_accounts()
    assert list(conf.settings().gateways) == ["two"]


@every(
    "path", ["tests.conf.table.NOWHERE", "tests.conf.nowhere.ACCOUNTS", "tests.conf.table.PATH", "nowhere"]
)
def test_a_path_that_leads_to_no_accounts_is_told_as_in_production(path: str, settings: Settings) -> None:
    given = settings_of(path, **LIVE)
    settings.WALLET_GATEWAY = given
    told = conf.problems()
    settings.WALLET_GATEWAY = point_at(URL, given)
    assert conf.problems() == told != ()


def test_what_is_called_and_gives_no_mapping_is_told_at_its_use(settings: Settings) -> None:
    settings.WALLET_GATEWAY = point_at(URL, settings_of("tests.conf.table.no_mapping", **LIVE))
    with pytest.raises(ImproperlyConfigured, match="cannot be read: TypeError"):
        conf.gateway_settings("one")


@pytest.mark.django_db
def test_an_account_of_production_is_paid_and_refunded_in_a_test(
    rows: Table, wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    given: dict[str, Any] = settings_of(**LIVE)
    settings.WALLET_GATEWAY = use_sandbox(wallet_sandbox, given)
    own = {"MERCHANT_ID": "M-7", "STORE_ID": "S-7", "USER_ID": "seven", "PROFILE": "prod"}
    rows.write(1, seven=ACCOUNT | own)
    wallet_sandbox.add_merchant(merchant_id="M-7", store_id="S-7", user_id="seven")

    order = pay(create_order(gateway="seven"), control=wallet_sandbox)

    assert order.is_paid
    assert payments.refund(order).state == "APPROVED"
