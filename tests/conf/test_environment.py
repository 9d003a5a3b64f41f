"""The setting from environment variables: names, types, files, defaults, and texts that are no value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.conf.environment import wallet_gateway_from_environment

Read = Callable[..., dict[str, Any]]
GATEWAY = "GATEWAYS__DEFAULT"
ACCOUNT = {
    "BASE_URL": "https://gateway.example",
    "MERCHANT_ID": "M-100",
    "STORE_ID": "S-1",
    "USER_ID": "shop",
    "PROVIDER": "ExampleWalletV2",
}
KEYS = [Fernet.generate_key().decode(), Fernet.generate_key().decode()]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Read:
    """Read the setting where these variables are set."""

    def read_with(**values: str) -> dict[str, Any]:
        with monkeypatch.context() as environ:
            for name, text in values.items():
                environ.setenv(f"WALLET_GATEWAY__{name}", text)
            return wallet_gateway_from_environment()

    return read_with


def test_a_whole_shop_comes_from_the_environment_and_is_valid(read: Read, settings: Settings) -> None:
    variables = {
        "APPROVALS__LIMITS": "EUR=500.00,CHF=400.00",
        "SENDING_ENABLED": "off",
        "TIMEOUT": "60",
        "QUERIES__RATE": "2.5",
        "WALLET__COUNTRY": "DE",
        "WALLET__CARDS__NETWORKS": "VISA,JCB",
        "WALLET__WALLET_JS": "https://gateway.example/wallet.js?v=1",
        "WALLET__BUTTON": "off",
        "WALLET__LIMITS": '{"SESSIONS": 5}',
    }
    value = read(
        PUBLIC_ORIGIN="https://shop.example",
        FERNET_KEYS=", ".join(KEYS),
        RETENTION_DAYS="90",
        **{f"{GATEWAY}__{name}": text for name, text in (ACCOUNT | variables).items()},
        GATEWAYS__BRAND_2__MERCHANT_ID="M-200",
    )
    assert value["GATEWAYS"].pop("brand_2") == {"MERCHANT_ID": "M-200"}
    assert value == {
        "PUBLIC_ORIGIN": "https://shop.example",
        "FERNET_KEYS": KEYS,
        "RETENTION_DAYS": 90,
        "GATEWAYS": {
            "default": {
                **ACCOUNT,
                "APPROVALS": {"LIMITS": {"EUR": "500.00", "CHF": "400.00"}},
                "SENDING_ENABLED": False,
                "TIMEOUT": 60,
                "QUERIES": {"RATE": 2.5},
                "WALLET": {
                    "COUNTRY": "DE",
                    "CARDS": {"NETWORKS": ["VISA", "JCB"]},
                    "WALLET_JS": "https://gateway.example/wallet.js?v=1",
                    "BUTTON": False,
                    "LIMITS": {"SESSIONS": 5},
                },
            }
        },
    }
    settings.WALLET_GATEWAY = value
    assert payments.maintenance.gateway_aliases() == ("default",)


@every(("text", "value"), [("/a.pem", "/a.pem"), ("/a.pem,/a.key", ["/a.pem", "/a.key"])])
def test_a_client_certificate_is_one_file_or_two(text: str, value: object, read: Read) -> None:
    assert read(**{f"{GATEWAY}__CLIENT_CERT": text})["GATEWAYS"]["default"]["CLIENT_CERT"] == value


def test_a_secret_comes_from_a_file_without_its_last_line_break(read: Read, tmp_path: Path) -> None:
    secret = tmp_path / "health_token"
    secret.write_text("a token that a monitor sends\n")
    assert read(HEALTH_TOKEN_FILE=str(secret)) == {"HEALTH_TOKEN": "a token that a monitor sends"}
    secret.write_bytes(b"canary-71b3\xff")
    with pytest.raises(ImproperlyConfigured, match="USER_ID_FILE names a file that is no text") as caught:
        read(**{f"{GATEWAY}__USER_ID_FILE": str(secret)})
    assert (caught.value.__cause__, caught.value.__suppress_context__) == (None, True)


NO_DICT = "APPROVALS__LIMITS is not a list such as"


@every(
    ("variables", "expected"),
    [
        ({f"{GATEWAY}__SENDING_ENABLED": "ture"}, "one of true, on, yes, 1, false, off, no, 0"),
        ({f"{GATEWAY}__REDIRECT_URL_TIMEOUT": "15m"}, "a whole number"),
        ({f"{GATEWAY}__QUERIES__RATE": "1,5"}, "a number"),
        ({f"{GATEWAY}__APPROVALS__LIMITS": "500.00"}, "EUR=500.00"),
        ({f"{GATEWAY}__WALLET__LIMITS": '{"SESSIONS": '}, "a JSON object"),
        # What says a thing twice, or is too deep
        ({f"{GATEWAY}__APPROVALS__LIMITS": "EUR=5.00,EUR=500.00"}, NO_DICT),
        ({f"{GATEWAY}__APPROVALS__LIMITS": '{"EUR": "5.00", "EUR": "500.00"}'}, NO_DICT),
        ({f"{GATEWAY}__APPROVALS__LIMITS": '{"a":' * 50_000}, NO_DICT),
        ({f"{GATEWAY}__USER_ID": "user", "GATEWAYS__default__USER_ID": "other"}, "set the same"),
        ({f"{GATEWAY}__USER_ID": "user", f"{GATEWAY}__USER_ID_FILE": __file__}, "set the same"),
        ({"GATEWAYS": "shop.gateways", f"{GATEWAY}__STORE_ID": "S-1"}, "GATEWAYS is not a dict"),
        ({"HEALTH_TOKEN_FILE": "/no/such/file"}, "HEALTH_TOKEN_FILE names a file"),
        ({f"{GATEWAY}__USER_ID_FILE": ""}, "USER_ID_FILE names a file"),
    ],
)
def test_a_text_that_is_no_value_is_refused_by_its_variable_and_not_repeated(
    variables: dict[str, str], expected: str, read: Read
) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        read(**variables)
    *_, (name, text) = variables.items()
    assert f"WALLET_GATEWAY__{name.partition('__')[0]}" in str(caught.value)
    assert expected in str(caught.value)
    assert not text or f"{text} " not in str(caught.value)


def test_gateways_may_be_named_by_a_path_and_an_unknown_name_is_told_by_the_rules(
    read: Read, settings: Settings
) -> None:
    assert read(GATEWAYS="shop.gateways") == {"GATEWAYS": "shop.gateways"}
    settings.WALLET_GATEWAY = read(PUBLIC_ORIGIN="https://shop.example", **{f"{GATEWAY}__MERCHANT": "M"})
    with pytest.raises(ImproperlyConfigured, match=r"\['default'\]\['MERCHANT'\]: unknown name"):
        payments.maintenance.gateway_aliases()
