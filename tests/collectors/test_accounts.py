"""Accounts outside the settings with Sentry listening: no event holds a secret, whatever fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
import sentry_sdk
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from tests.collectors.listening import SentryEvents
from tests.conf.table import ACCOUNT, ACCOUNTS, settings_of
from wallet_gateway import conf, gateways
from wallet_gateway.client.errors import GatewayError
from wallet_gateway.payments import maintenance

SECRET = "canary-of-an-account-71b3"
KEY = Fernet.generate_key().decode()
RIGHT: dict[str, Any] = ACCOUNT | {"AUTH_SECRETS": {"token": SECRET}, "FERNET_KEYS": [KEY]}


def sign(request: object, account: object) -> NoReturn:
    raise RuntimeError(SECRET)


@pytest.fixture
def talkative() -> Iterator[SentryEvents]:
    """Sentry with the option that records the variables around each line of the log."""
    yield from SentryEvents.listening(attach_stacktrace=True)


@pytest.fixture(autouse=True)
def rows(settings: Settings) -> Iterator[None]:
    ACCOUNTS.__init__()  # type: ignore[misc]
    addresses = {"sandbox": {"BASE_URL": "http://127.0.0.1:9", "AUTH": f"{__name__}.sign"}}
    settings.WALLET_GATEWAY = settings_of(BASE_URLS=addresses)
    yield
    ACCOUNTS.__init__()  # type: ignore[misc]


def look_at_everything() -> None:
    conf.settings().gateways  # noqa: B018 - it is read
    maintenance.wrong_accounts()
    for alias in ("right", "wrong", "broken", "gone"):
        try:
            gateways.gateway(alias).status("UNKNOWN-REFERENCE")
        except (ImproperlyConfigured, GatewayError) as error:
            sentry_sdk.capture_exception(error)


def test_no_event_holds_a_secret_of_an_account(talkative: SentryEvents) -> None:
    ACCOUNTS.write(1, right=RIGHT, wrong=RIGHT | {"STORE_ID": 7}, broken=ValueError(SECRET))
    look_at_everything()
    ACCOUNTS.write(2, right=RIGHT, wrong=RIGHT | {"AUTH_SECRETS": {"token": [SECRET]}})
    maintenance.forget_accounts()
    look_at_everything()
    ACCOUNTS.revision = RuntimeError(SECRET)
    maintenance.forget_accounts()
    look_at_everything()

    messages = [str(event.get("logentry")) + str(event.get("exception")) for event in talkative.events]
    assert any("['STORE_ID']" in text for text in messages)
    assert any("it cannot be read: RuntimeError" in text for text in messages)
    assert SECRET not in talkative.text
    assert KEY not in talkative.text
