"""The setting from environment variables: names, types, files, defaults, and texts that are no value."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from tests.tables import every
from wallet_gateway.conf.environment import wallet_gateway_from_environment
from wallet_gateway.conf.rules import problems_of

Set = Callable[..., None]
GATEWAY = "GATEWAYS__DEFAULT"
ACCOUNT = {
    "BASE_URL": "https://gateway.example",
    "MERCHANT_ID": "M-100",
    "STORE_ID": "S-1",
    "USER_ID": "shop",
    "PROVIDER": "ExampleWalletV2",
}


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> Set:
    def set_all(**values: str) -> None:
        for name, text in values.items():
            monkeypatch.setenv(f"WALLET_GATEWAY__{name}", text)

    return set_all


def test_a_whole_shop_comes_from_the_environment_and_is_valid(variables: Set) -> None:
    key = Fernet.generate_key().decode()
    variables(
        PUBLIC_ORIGIN="https://shop.example",
        FERNET_KEYS=f"{key}, {Fernet.generate_key().decode()}",
        RETENTION_DAYS="90",
        **{f"{GATEWAY}__{name}": value for name, value in ACCOUNT.items()},
        **{
            f"{GATEWAY}__APPROVAL_LIMITS": "EUR=500.00,CHF=400.00",
            f"{GATEWAY}__SENDING_ENABLED": "off",
            f"{GATEWAY}__QUERY_RATE": "2.5",
            f"{GATEWAY}__WALLET__COUNTRY": "DE",
            f"{GATEWAY}__WALLET__CARD_NETWORKS": "VISA,JCB",
            f"{GATEWAY}__WALLET__LIMITS": '{"RESULTS": 5}',
        },
        GATEWAYS__BRAND_2__MERCHANT_ID="M-200",
    )

    value = wallet_gateway_from_environment()

    assert value["FERNET_KEYS"][0] == key
    assert len(value["FERNET_KEYS"]) == 2
    assert value["RETENTION_DAYS"] == 90
    assert value["GATEWAYS"]["default"] == {
        **ACCOUNT,
        "APPROVAL_LIMITS": {"EUR": "500.00", "CHF": "400.00"},
        "SENDING_ENABLED": False,
        "QUERY_RATE": 2.5,
        "WALLET": {"COUNTRY": "DE", "CARD_NETWORKS": ["VISA", "JCB"], "LIMITS": {"RESULTS": 5}},
    }
    assert value["GATEWAYS"].pop("brand_2") == {"MERCHANT_ID": "M-200"}
    assert not list(problems_of(value, debug=False))


def test_a_secret_comes_from_a_file_without_its_last_line_break(variables: Set, tmp_path: Path) -> None:
    secret = tmp_path / "health_token"
    secret.write_text("a token that a monitor sends\n")
    variables(HEALTH_TOKEN_FILE=str(secret))

    assert wallet_gateway_from_environment() == {"HEALTH_TOKEN": "a token that a monitor sends"}


@every(
    ("text", "value"),
    [("/a.pem", "/a.pem"), ("/a.pem,/a.key", ["/a.pem", "/a.key"])],
)
def test_a_client_certificate_is_one_file_or_two(
    text: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"WALLET_GATEWAY__{GATEWAY}__CLIENT_CERT", text)

    assert wallet_gateway_from_environment()["GATEWAYS"]["default"]["CLIENT_CERT"] == value


@every(
    ("name", "text", "expected"),
    [
        (f"{GATEWAY}__SENDING_ENABLED", "ture", "one of true, on, yes, 1, false, off, no, 0"),
        (f"{GATEWAY}__REDIRECT_URL_TIMEOUT", "15m", "a whole number"),
        (f"{GATEWAY}__QUERY_RATE", "1,5", "a number"),
        (f"{GATEWAY}__APPROVAL_LIMITS", "500.00", "EUR=500.00"),
        (f"{GATEWAY}__WALLET__LIMITS", '{"RESULTS": ', "a JSON object"),
    ],
)
def test_a_text_of_another_type_is_refused_and_not_repeated(
    name: str, text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as environ:
        environ.setenv(f"WALLET_GATEWAY__{name}", text)
        with pytest.raises(ImproperlyConfigured) as caught:
            wallet_gateway_from_environment()

    assert f"WALLET_GATEWAY__{name}" in str(caught.value)
    assert expected in str(caught.value)
    assert f"{text} " not in str(caught.value)


def test_a_file_that_is_missing_is_named_by_its_variable(variables: Set, tmp_path: Path) -> None:
    variables(HEALTH_TOKEN_FILE=str(tmp_path / "nothing"))

    with pytest.raises(ImproperlyConfigured, match="WALLET_GATEWAY__HEALTH_TOKEN_FILE names a file"):
        wallet_gateway_from_environment()


def test_a_file_without_text_is_named_and_its_octets_are_not_told(variables: Set, tmp_path: Path) -> None:
    secret = tmp_path / "user"
    secret.write_bytes(b"canary-71b3\xff")
    variables(**{f"{GATEWAY}__USER_ID_FILE": str(secret)})
    with pytest.raises(ImproperlyConfigured, match="USER_ID_FILE names a file that is no text") as caught:
        wallet_gateway_from_environment()
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__

    variables(**{f"{GATEWAY}__USER_ID_FILE": ""})
    with pytest.raises(ImproperlyConfigured, match="USER_ID_FILE names a file"):
        wallet_gateway_from_environment()


@pytest.mark.parametrize("second", [f"{GATEWAY}__USER_ID_FILE", "GATEWAYS__default__USER_ID"])
def test_two_variables_that_set_the_same_are_refused(second: str, variables: Set, tmp_path: Path) -> None:
    secret = tmp_path / "user"
    secret.write_text("other")
    variables(**{f"{GATEWAY}__USER_ID": "user", second: str(secret)})
    with pytest.raises(ImproperlyConfigured, match=r"USER_ID.* and .*USER_ID.* set the same"):
        wallet_gateway_from_environment()


@pytest.mark.parametrize(
    "text", ["EUR=5.00,EUR=500.00", '{"EUR": "5.00", "EUR": "500.00"}', '{"a":' * 50_000]
)
def test_a_dict_that_says_a_thing_twice_or_is_too_deep_is_refused(text: str, variables: Set) -> None:
    variables(**{f"{GATEWAY}__APPROVAL_LIMITS": text})
    with pytest.raises(ImproperlyConfigured, match="APPROVAL_LIMITS is not a list such as"):
        wallet_gateway_from_environment()


def test_an_unknown_name_is_reported_by_the_rules(variables: Set) -> None:
    variables(PUBLIC_ORIGIN="https://shop.example", **{f"{GATEWAY}__MERCHANT": "M"})

    named = [problem.setting for problem in problems_of(wallet_gateway_from_environment(), debug=False)]

    assert "WALLET_GATEWAY['GATEWAYS']['default']['MERCHANT']" in named


def test_gateways_may_be_named_by_a_path_but_not_both_ways(variables: Set) -> None:
    variables(GATEWAYS="shop.gateways")
    assert wallet_gateway_from_environment() == {"GATEWAYS": "shop.gateways"}

    variables(**{f"{GATEWAY}__STORE_ID": "S-1"})
    with pytest.raises(ImproperlyConfigured, match="GATEWAYS is not a dict"):
        wallet_gateway_from_environment()


@pytest.mark.wire
def test_a_settings_module_may_call_it(tmp_path: Path) -> None:
    (tmp_path / "shop_settings.py").write_text(
        "from wallet_gateway.conf.environment import wallet_gateway_from_environment\n"
        "INSTALLED_APPS = ['django.contrib.contenttypes', 'wallet_gateway']\n"
        "WALLET_GATEWAY = wallet_gateway_from_environment()\n"
    )
    told = (
        "import django, json; django.setup();"
        "from django.conf import settings; print(json.dumps(settings.WALLET_GATEWAY))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", told],
        env={
            "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}",
            "DJANGO_SETTINGS_MODULE": "shop_settings",
            "WALLET_GATEWAY__GATEWAYS__DEFAULT__STORE_ID": "S-1",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(finished.stdout) == {"GATEWAYS": {"default": {"STORE_ID": "S-1"}}}
