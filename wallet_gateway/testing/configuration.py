"""`WALLET_GATEWAY` for tests: the shop's own settings, with the sandbox in place of every gateway.

What a shop has not set is filled in, so that a project without any settings has a gateway and a wallet button
in its tests, as it has with `DEBUG` on.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Collection
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from wallet_gateway.testing.control import SandboxControl

BUILT_IN_MERCHANT: Final = {
    "MERCHANT_ID": "SANDBOX-MERCHANT",
    "STORE_ID": "SANDBOX-STORE",
    "USER_ID": "sandbox-user",
    "PROVIDER": "ExampleWalletV2",
}
"""The account every sandbox starts with, as settings of a gateway."""
LOCAL_ORIGIN: Final = "http://127.0.0.1:8000"
"""Where a shop is taken to be that has not set a `PUBLIC_ORIGIN`."""
_WALLET: Final = {"COUNTRY": "DE", "MERCHANT_NAME": "Example shop"}
_OF_ANOTHER_HOST: Final = ("PATHS", "REDIRECT_HOSTS", "CA_FILE", "CLIENT_CERT")
"""Options of a gateway that are right for its own host only."""
_SCRIPTS_OF_ANOTHER_HOST: Final = ("PAY_JS_URL", "WALLET_JS_INTEGRITY")
_LOOPBACK: Final = {"127.0.0.1", "::1", "localhost"}


def use_sandbox(
    control: SandboxControl, configuration: dict[str, Any] | None, *, public_origin: str = ""
) -> dict[str, Any]:
    """Return ``WALLET_GATEWAY`` for tests with this sandbox, to which all its merchants are added.

    :param control: the control interface of the sandbox.
    :param configuration: the shop's own ``WALLET_GATEWAY``; None if it has none.
    :param public_origin: the shop's address in the tests, such as that of a live server; that of the settings
        if not given.
    :returns: the setting; every gateway in it is the sandbox, with the profile ``test``.
    """
    pointed = point_at(control.base_url, configuration, public_origin=public_origin)
    add_merchants(control, pointed)
    return pointed


def add_merchants(control: SandboxControl, configuration: dict[str, Any]) -> None:
    """Let the merchants of these settings use the sandbox; not those of accounts elsewhere."""
    gateways = configuration["GATEWAYS"]
    for gateway in () if isinstance(gateways, str) else gateways.values():
        if any(gateway[name] != value for name, value in BUILT_IN_MERCHANT.items()):
            control.add_merchant(
                merchant_id=gateway["MERCHANT_ID"],
                store_id=gateway["STORE_ID"],
                user_id=gateway["USER_ID"],
                provider=gateway["PROVIDER"],
            )


def point_at(
    base_url: str, configuration: dict[str, Any] | None, *, public_origin: str = ""
) -> dict[str, Any]:
    """Give a copy of ``WALLET_GATEWAY`` in which every gateway is the sandbox at ``base_url``.

    Every one, and with the profile `test`: no test may reach a gateway that moves money. With accounts
    outside the settings every address of ``BASE_URLS`` is the sandbox's.
    """
    copy: dict[str, Any] = deepcopy(configuration or {"GATEWAYS": {"default": {"WALLET": dict(_WALLET)}}})
    copy["PUBLIC_ORIGIN"] = public_origin or _origin_for_tests(copy.get("PUBLIC_ORIGIN"))
    gateways = copy.setdefault("GATEWAYS", {})
    if isinstance(gateways, str):
        addresses = copy.get("BASE_URLS", {})
        copy["BASE_URLS"] = {name: _sandbox_address(given, base_url) for name, given in addresses.items()}
        return copy
    gateways.setdefault("default", {})
    for alias, given in gateways.items():
        gateways[alias] = _sandbox_for(given, base_url)
    if not copy.get("FERNET_KEYS") and any("WALLET" in gateway for gateway in gateways.values()):
        # What Fernet.generate_key() makes, without importing a library for it.
        copy["FERNET_KEYS"] = [base64.urlsafe_b64encode(os.urandom(32)).decode()]
    return copy


def _origin_for_tests(origin: object) -> str:
    """Return the shop's origin, or a local one where that is valid with `DEBUG` only."""
    url = urlsplit(origin) if isinstance(origin, str) else None
    is_valid = url is not None and (url.scheme == "https" or url.hostname in _LOOPBACK)
    return str(origin) if is_valid else LOCAL_ORIGIN


def _sandbox_address(given: str | dict[str, Any], base_url: str) -> dict[str, Any]:
    options = given if isinstance(given, dict) else {}
    return _without(options, _OF_ANOTHER_HOST) | {"BASE_URL": base_url}


def _sandbox_for(given: dict[str, Any], base_url: str) -> dict[str, Any]:
    kept = _without(given, _OF_ANOTHER_HOST)
    gateway = BUILT_IN_MERCHANT | kept | {"BASE_URL": base_url, "PROFILE": "test"}
    if wallet := gateway.get("WALLET"):
        gateway["WALLET"] = _sandbox_wallet(wallet, base_url)
    return gateway


def _sandbox_wallet(given: dict[str, Any], base_url: str) -> dict[str, Any]:
    wallet = _without(given, _SCRIPTS_OF_ANOTHER_HOST)
    if wallet.get("WALLET_JS_URL"):
        # The sandbox serves a wallet.js of the gateway as well, so the page is still one with such a script.
        wallet["WALLET_JS_URL"] = f"{base_url}/wallet.js?v=1"
    return wallet


def _without(options: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}
