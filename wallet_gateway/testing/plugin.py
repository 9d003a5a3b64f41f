"""Fixtures for pytest, for this project's tests and for shops'.

A shop names the plugin in its ``conftest.py``, ``pytest_plugins = ["wallet_gateway.testing.plugin"]``, and
asks for ``wallet_sandbox`` or ``wallet_application``. pytest-django is needed, for its ``settings``.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

from wallet_gateway.testing.in_process import InProcessTransport
from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from wallet_gateway.testing.control import SandboxControl

BUILT_IN_MERCHANT: Final = {
    "MERCHANT_ID": "SANDBOX-MERCHANT",
    "STORE_ID": "SANDBOX-STORE",
    "USER_ID": "sandbox-user",
    "PROVIDER": "ExampleWalletV2",
}
"""The account every sandbox starts with, as settings of a gateway."""


class _Settings(Protocol):
    """What pytest-django's ``settings`` is to this file; the name of its class differs between versions."""

    WALLET_GATEWAY: dict[str, Any]


@pytest.fixture(scope="session")
def wallet_sandbox_server() -> Iterator[SandboxServer]:
    """A sandbox gateway that runs as long as the tests do."""
    with SandboxServer() as server:
        yield server


@pytest.fixture
def wallet_sandbox(wallet_sandbox_server: SandboxServer, settings: _Settings) -> SandboxControl:
    """A sandbox as new, with the shop's default gateway pointed at it for one test."""
    control = wallet_sandbox_server.control
    control.reset()
    configuration = point_at(wallet_sandbox_server.base_url, getattr(settings, "WALLET_GATEWAY", None))
    known = configuration["GATEWAYS"]
    # Accounts outside the settings are not read here: the test adds their merchants.
    account = BUILT_IN_MERCHANT if isinstance(known, str) else known["default"]
    if any(account[name] != value for name, value in BUILT_IN_MERCHANT.items()):
        control.add_merchant(
            merchant_id=account["MERCHANT_ID"],
            store_id=account["STORE_ID"],
            user_id=account["USER_ID"],
            provider=account["PROVIDER"],
        )
    # Assigning through pytest-django signals the change to caches of what was made from the settings.
    settings.WALLET_GATEWAY = configuration
    return control


class WalletApplication(Protocol):
    """What the fixture `wallet_application` is."""

    def __call__(self, application: WSGIApplication, *, alias: str = "default") -> InProcessTransport:
        """Let a WSGI application answer in place of a gateway."""
        ...


@pytest.fixture
def wallet_application() -> Iterator[WalletApplication]:
    """Lets a WSGI application of the test answer in place of a gateway, in this process, for one test."""
    # Only now: a plugin of pytest is imported before Django is set up.
    from wallet_gateway import conf, gateways

    def answer(application: WSGIApplication, *, alias: str = "default") -> InProcessTransport:
        given = conf.gateway_settings(alias)
        auth = gateways.auth_of(given)
        transport = InProcessTransport(application, base_url=given.base_url, auth=auth)
        gateways.use_transport(transport, alias=alias)
        return transport

    yield answer
    gateways.forget_gateways()


def point_at(base_url: str, configuration: dict[str, Any] | None) -> dict[str, Any]:
    """Give a copy of ``WALLET_GATEWAY`` whose default gateway is the one at ``base_url``.

    What is missing is filled in from the sandbox's built-in merchant. With accounts outside the settings,
    every address of ``BASE_URLS`` leads to ``base_url``.
    """
    copy: dict[str, Any] = deepcopy(configuration or {})
    copy.setdefault("PUBLIC_ORIGIN", "http://127.0.0.1:8000")
    gateways = copy.setdefault("GATEWAYS", {})
    if isinstance(gateways, str):
        addresses = copy.get("BASE_URLS", {}).items()
        copy["BASE_URLS"] = {
            name: {**(given if isinstance(given, dict) else {}), "BASE_URL": base_url}
            for name, given in addresses
        }
        return copy
    gateways["default"] = BUILT_IN_MERCHANT | gateways.get("default", {}) | {"BASE_URL": base_url}
    return copy
