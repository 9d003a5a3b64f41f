"""Django's test environment is seen where it is set up, and nowhere else."""

from __future__ import annotations

import pickle
import subprocess
import sys
from copy import deepcopy
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from tests.conf.table import ACCOUNT, ACCOUNTS, settings_of
from wallet_gateway import conf
from wallet_gateway.conf.django_tests import HOW_TO_TEST, SetByTests, is_set_by_tests, is_test_run

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


def test_a_test_under_pytest_is_one() -> None:
    assert is_test_run()


@pytest.mark.wire
def test_another_process_is_one_while_djangos_runner_has_set_its_environment_up() -> None:
    ran = subprocess.run([sys.executable, "-c", OUTSIDE], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[False, True, False]"


LIVE_SERVER = "http://shop-in-a-container:8081"
REFUSED = "WALLET_GATEWAY['PUBLIC_ORIGIN']: https, because payment results come back to it"


def with_origin(origin: str, settings: Settings, **gateway: str) -> dict[str, Any]:
    """The settings of the tests, with another origin and options of the gateway."""
    given: dict[str, Any] = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | gateway
    return given | {"PUBLIC_ORIGIN": origin, "GATEWAYS": {"default": default}}


def test_the_origin_of_a_live_server_may_be_any_host_over_http(settings: Settings) -> None:
    settings.WALLET_GATEWAY = with_origin(SetByTests(LIVE_SERVER), settings)
    assert conf.gateway_settings("default").public_origin == LIVE_SERVER
    assert type(conf.settings().public_origin) is str


def test_the_same_origin_in_a_shops_own_settings_is_refused(settings: Settings) -> None:
    settings.WALLET_GATEWAY = with_origin(LIVE_SERVER, settings)
    with pytest.raises(ImproperlyConfigured, match="https, because payment results"):
        conf.settings()


def test_outside_a_test_run_it_is_refused_whoever_has_set_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WALLET_GATEWAY = with_origin(SetByTests(LIVE_SERVER), settings)
    monkeypatch.delattr(mail, "outbox")
    assert [f"{one.setting}: {one.expected}" for one in conf.problems()] == [REFUSED]


def test_beside_a_gateway_of_real_money_it_is_refused(settings: Settings) -> None:
    address = "https://gateway.example"
    settings.WALLET_GATEWAY = with_origin(
        SetByTests(LIVE_SERVER), settings, PROFILE="prod", BASE_URL=address, MERCHANT_ID="M"
    )
    (origin, *_) = conf.problems()
    assert (origin.setting, origin.expected[:5]) == ("WALLET_GATEWAY['PUBLIC_ORIGIN']", "https")


def test_it_holds_for_accounts_outside_the_settings_but_not_with_real_money(settings: Settings) -> None:
    addresses = {"sandbox": "http://127.0.0.1:8001", "live": "https://gateway.example"}
    settings.WALLET_GATEWAY = settings_of(PUBLIC_ORIGIN=SetByTests(LIVE_SERVER), BASE_URLS=addresses)
    live = ACCOUNT | {"BASE_URL": "live", "PROFILE": "prod", "MERCHANT_ID": "M"}
    try:
        ACCOUNTS.write(1, one=ACCOUNT, live=live)
        assert conf.gateway_settings("one").public_origin == LIVE_SERVER
        assert "live" not in conf.settings().gateways
    finally:
        ACCOUNTS.__init__()  # type: ignore[misc]


def test_the_fixtures_are_named_only_to_a_test_that_uses_none_of_them(settings: Settings) -> None:
    given = with_origin("http://shop.example", settings)
    for sandbox, told in (
        ("http://127.0.0.1:1", REFUSED + f"; {HOW_TO_TEST}"),
        (SetByTests("http://127.0.0.1:1"), REFUSED),
    ):
        gateway = given["GATEWAYS"]["default"] | {"BASE_URL": sandbox}
        settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": gateway}}
        with pytest.raises(ImproperlyConfigured) as refused:
            conf.settings()
        assert str(refused.value) == told


@pytest.mark.parametrize("copied", [deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_copy_of_the_settings_is_set_by_tests_as_well(copied: Any) -> None:  # noqa: ANN401
    given = {"GATEWAYS": {"default": {"BASE_URL": SetByTests("http://127.0.0.1:1")}}}
    assert is_set_by_tests(copied(given))
