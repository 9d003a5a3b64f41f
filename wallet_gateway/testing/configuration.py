"""`WALLET_GATEWAY` for tests: the shop's own settings, with the sandbox in place of every gateway.

What a shop has not set is filled in, so that a project without any settings has a gateway and a wallet button
in its tests, as it has with `DEBUG` on.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Collection, Mapping
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from wallet_gateway.conf.accounts import with_address
from wallet_gateway.conf.django_tests import SetByTests
from wallet_gateway.testing.accounts import origin_for_tests, path_for_tests, without_replaced_origin

if TYPE_CHECKING:
    from wallet_gateway.testing.control import SandboxControl

BUILT_IN_MERCHANT: Final = {
    "MERCHANT_ID": "SANDBOX-MERCHANT",
    "STORE_ID": "SANDBOX-STORE",
    "USER_ID": "sandbox-user",
    "PROVIDER": "ExampleWalletV2",
}
"""The account every sandbox starts with, as settings of a gateway."""
_WALLET: Final = {"COUNTRY": "DE", "MERCHANT_NAME": "Example shop"}
_OF_ANOTHER_HOST: Final = ("PATHS", "REDIRECT_HOSTS", "CA_FILE", "CLIENT_CERT")
"""Options of a gateway that are right for its own host only."""


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

    Every one, and with the profile `test`: no test may reach a gateway that moves money. So is every address
    of ``BASE_URLS``, and every account outside the settings. With a ``public_origin`` customers of all
    gateways come back to it.
    """
    copy: dict[str, Any] = deepcopy(configuration or {"GATEWAYS": {"default": {"WALLET": dict(_WALLET)}}})
    copy["PUBLIC_ORIGIN"] = origin_for_tests(copy.get("PUBLIC_ORIGIN"), live_server=public_origin)
    at_sandbox = partial(_at_sandbox, base_url=base_url, shop_origin=copy["PUBLIC_ORIGIN"])
    addresses = copy.get("BASE_URLS") or {}
    gateways = copy.get("GATEWAYS", {})
    if isinstance(gateways, str):
        copy["GATEWAYS"] = path_for_tests(gateways)
    else:
        # A gateway that names an address has some of its options from there.
        whole = {alias: with_address(one, addresses) for alias, one in ({"default": {}} | gateways).items()}
        copy["GATEWAYS"] = {
            alias: BUILT_IN_MERCHANT | at_sandbox(options) | {"PROFILE": "test"}
            for alias, options in whole.items()
        }
    if addresses:
        copy["BASE_URLS"] = {
            name: at_sandbox(given if isinstance(given, dict) else {}) for name, given in addresses.items()
        }
    may_have_button = isinstance(gateways, str) or any("WALLET" in one for one in copy["GATEWAYS"].values())
    if may_have_button and not copy.get("FERNET_KEYS"):
        # What Fernet.generate_key() makes, without importing a library for it.
        copy["FERNET_KEYS"] = [base64.urlsafe_b64encode(os.urandom(32)).decode()]
    return copy


def _at_sandbox(given: Mapping[str, Any], *, base_url: str, shop_origin: str) -> dict[str, Any]:
    """Return the options of a gateway or of an address as they are right for the sandbox."""
    options = _without(without_replaced_origin(given, shop_origin=shop_origin), _OF_ANOTHER_HOST)
    options["BASE_URL"] = SetByTests(base_url)
    if "PROFILE" in options:
        # Nowhere else: what an address says, no account may say itself.
        options["PROFILE"] = "test"
    wallet = options.pop("WALLET", None)
    if wallet is not None:
        wallet = options["WALLET"] = _without(wallet, ("PAY_JS_URL",))
        if script := wallet.get("WALLET_JS"):
            # The sandbox serves a wallet.js of the gateway as well, so the page is one with such a script.
            others = _without(script, ("INTEGRITY",)) if isinstance(script, dict) else {}
            wallet["WALLET_JS"] = {**others, "URL": f"{base_url}/wallet.js?v=1"}
    return options


def _without(options: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}
