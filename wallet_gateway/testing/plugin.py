"""Fixtures for pytest, for this project's tests and for shops'.

A shop names the plugin in its ``conftest.py``, ``pytest_plugins = ["wallet_gateway.testing.plugin"]``, and
asks for ``wallet_sandbox``. pytest-django is needed, for its ``settings``.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
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
    account = configuration["GATEWAYS"]["default"]
    if any(account[name] != value for name, value in BUILT_IN_MERCHANT.items()):
        control.add_merchant(
            merchant_id=account["MERCHANT_ID"],
            store_id=account["STORE_ID"],
            user_id=account["USER_ID"],
            provider=account["PROVIDER"],
        )
    # Assigning through pytest-django tells whoever caches what was made from the settings.
    settings.WALLET_GATEWAY = configuration
    return control


def point_at(base_url: str, configuration: dict[str, Any] | None) -> dict[str, Any]:
    """Give a copy of ``WALLET_GATEWAY`` whose default gateway is the one at ``base_url``.

    What is missing is filled in from the sandbox's built-in merchant.
    """
    copy: dict[str, Any] = deepcopy(configuration or {})
    copy.setdefault("PUBLIC_ORIGIN", "http://127.0.0.1:8000")
    gateways = copy.setdefault("GATEWAYS", {})
    gateways["default"] = BUILT_IN_MERCHANT | gateways.get("default", {}) | {"BASE_URL": base_url}
    return copy
