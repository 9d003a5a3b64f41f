"""The rules of the wallet button's settings: `FERNET_KEYS` and each `WALLET`."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from wallet_gateway.conf.published_keys import is_published_fernet_key
from wallet_gateway.conf.values import (
    COLLECTION,
    COLLECTION_OR_NONE,
    NUMBER,
    Problem,
    Setting,
    dotted_path,
    has_type,
    is_importable,
    is_local,
    is_loopback,
    one_of,
    problems_of_names,
    problems_of_options,
    split_address,
)
from wallet_gateway.domain.policy import CALLBACKS, DEFAULT_KEY_LIFETIME, USUAL_CALLBACKS
from wallet_gateway.domain.wallet_limits import WalletLimit, WalletLimits
from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.codes import check_country_of_wallet
from wallet_gateway.protocol.errors import UnknownCode

FERNET_KEYS = "FERNET_KEYS"
REDIRECT = "redirect"
"""3-D Secure on a page of the gateway: the default of `THREE_D_SECURE`."""
PRODUCTION_PAY_JS = "https://pay.google.com/gp/p/js/pay.js"
_KEY_BYTES, _FEWEST_DIFFERENT = 32, 8
LONGEST_LABEL = 100
"""The interface names no maximum; a sheet has room for a few words."""
_MERCHANT_NO = re.compile(r"[!-~]{12,18}")
_HASHES = {"sha256": 32, "sha384": 48, "sha512": 64}
"""The names of hashes in `integrity`, with their lengths in bytes."""
_TRUSTED_TYPES = re.compile(r"[\w\-#=/@.%]+|'allow-duplicates'", re.ASCII)
_GATEWAY_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def _is_country(value: object) -> bool:
    try:
        return isinstance(value, str) and check_country_of_wallet(value) == value
    except UnknownCode:
        return False


def _is_address(value: str) -> bool:
    url = split_address(value)
    return not value or (url is not None and (url.scheme == "https" or is_loopback(url.hostname)))


def is_script_address(value: str) -> bool:
    """Return whether a text is empty or a safe address, with a query if any."""
    # A script's address may have a query, such as a version for cache busting.
    return _is_address(value.partition("?")[0])


def _is_integrity(value: str) -> bool:
    """Return whether a text is empty or what an element's `integrity` may be: hashes with their names."""
    return all(map(_is_hash, value.split(" "))) if value else True


def _is_hash(value: str) -> bool:
    name, _, encoded = value.partition("-")
    try:
        return len(base64.b64decode(encoded, validate=True)) == _HASHES.get(name)
    except binascii.Error:
        return False


def _are_policy_names(values: Iterable[object] | None) -> bool:
    return all(isinstance(value, str) and _TRUSTED_TYPES.fullmatch(value) for value in values or ())


def _is_key_lifetime(seconds: float) -> bool:
    return 60 <= seconds <= 86_400


def _is_wallet_limit(number: int) -> bool:
    return 1 <= number <= MAX_WALLET_LIMIT


def _is_gateway_name(value: str) -> bool:
    return bool(_GATEWAY_NAME.fullmatch(value))


def _are_networks(values: Iterable[object]) -> bool:
    return bool(values) and all(value in list(CardNetwork) for value in values)


def _are_callbacks(values: Iterable[object]) -> bool:
    return all(value in CALLBACKS for value in values)


def _are_countries(values: Iterable[object]) -> bool:
    return all(map(_is_country, values))


def _is_line(value: str) -> bool:
    return value.isprintable() and len(value) <= LONGEST_LABEL


def _is_own_authenticator(value: str) -> bool:
    return value == REDIRECT or is_importable(value)


_SCRIPT = Setting(str, "", is_script_address, "an https address; http only on a loopback address")
_PRINTABLE = Setting(str, "", str.isprintable, "one line, without control characters")
_NETWORKS = tuple(network.value for network in CardNetwork)
WALLET_REQUIRED = ("COUNTRY",)
WALLET_CODE: Mapping[str, Setting] = {
    "THREE_D_SECURE": Setting(
        str, REDIRECT, _is_own_authenticator, "'redirect' or the dotted path of a callable"
    ),
    "PRICING": dotted_path(),
    "BUTTON_OVERRIDES": dotted_path(),
}
"""The shop's own functions."""
WALLET_POLICY: Mapping[str, Setting] = {
    "GATEWAY_NAME": Setting(str, "examplegateway", _is_gateway_name, "the name the wallet knows it by"),
    "MERCHANT_NO": _PRINTABLE,
    "MERCHANT_NAME": _PRINTABLE,
    "KEY_LIFETIME": Setting(
        NUMBER, DEFAULT_KEY_LIFETIME // timedelta(seconds=1), _is_key_lifetime, "60 to 86400 seconds"
    ),
    "CARD_NETWORKS": Setting(COLLECTION, _NETWORKS, _are_networks, f"some of {', '.join(CardNetwork)}"),
    "ALLOW_PREPAID": Setting(bool, default=True),
    "ALLOW_CREDIT": Setting(bool, default=True),
    "EXISTING_PAYMENT_METHOD_REQUIRED": Setting(bool, default=False),
    "PAY_JS_URL": _SCRIPT,
    "WALLET_JS_URL": _SCRIPT,
    "WALLET_JS_INTEGRITY": Setting(str, "", _is_integrity, "hashes such as 'sha384-' and 64 characters"),
    "WALLET_JS_CORS": Setting(bool, default=False),
    "TRUSTED_TYPES": Setting(COLLECTION_OR_NONE, None, _are_policy_names, "names of policies, or None"),
    "ACCEPT_UNAUTHENTICATED": Setting(bool, default=False),
    "CALLBACKS": Setting(COLLECTION, USUAL_CALLBACKS, _are_callbacks, f"some of {', '.join(CALLBACKS)}"),
    "EMAIL_REQUIRED": Setting(bool, default=False),
    "BILLING_ADDRESS": one_of("", "MIN", "FULL"),
    "BILLING_PHONE_REQUIRED": Setting(bool, default=False),
    "SHIPPING_ADDRESS": Setting(bool, default=False),
    "SHIPPING_PHONE_REQUIRED": Setting(bool, default=False),
    "SHIPPING_COUNTRIES": Setting(COLLECTION, (), _are_countries, "ISO 3166 countries, such as ['DE']"),
    "CHECKOUT_OPTION": one_of("DEFAULT", "COMPLETE_IMMEDIATE_PURCHASE"),
    "TOTAL_PRICE_LABEL": Setting(str, "", _is_line, f"one line of at most {LONGEST_LABEL} characters"),
    "USE_WALLET_BUTTON": Setting(bool, default=True),
    "BUTTON_COLOR": one_of("default", "black", "white"),
    "BUTTON_TYPE": one_of(
        *("buy", "book", "checkout", "donate", "order"),
        *("pay", "plain", "subscribe", "long", "short"),
    ),
    "BUTTON_LOCALE": _PRINTABLE,
    "BUTTON_SIZE_MODE": one_of("fill", "static"),
    "LIMITS": Setting(dict, {}),
}
"""The settings that are fields of a `WalletPolicy`, under the same names in lower case."""
MAX_WALLET_LIMIT = 1000
"""Each request of a button reads all attempts of its order, so their number must stay small."""
LIMITS: Mapping[str, Setting] = {
    limit.value: Setting(
        int, WalletLimits().maximum(limit), _is_wallet_limit, f"a whole number from 1 to {MAX_WALLET_LIMIT}"
    )
    for limit in WalletLimit
}
"""The settings of `LIMITS`, for one order each."""
_PHONE_OF = {"BILLING_PHONE_REQUIRED": "BILLING_ADDRESS", "SHIPPING_PHONE_REQUIRED": "SHIPPING_ADDRESS"}
WALLET_OPTIONAL = {**WALLET_POLICY, **WALLET_CODE}


def problems_of_keys(where: str, keys: object, *, needed: bool, live: bool) -> Iterator[Problem]:
    """Yield what is wrong with the keys that encrypt stored secrets; never a key itself."""
    if keys is None or (has_type(keys, COLLECTION) and not keys):
        if needed:
            expected = "a list of Fernet keys, the first of which encrypts, because a gateway has a WALLET"
            yield Problem(setting=where, expected=expected)
        return
    if not isinstance(keys, list | tuple):
        yield Problem(setting=where, expected="a list or tuple of Fernet keys, the first of which encrypts")
        return
    for number, key in enumerate(keys):
        if not _is_fernet_key(key):
            expected = "a key as made by cryptography.fernet.Fernet.generate_key(), and no placeholder"
            yield Problem(setting=f"{where}[{number}]", expected=expected)
        elif live and is_published_fernet_key(key):
            expected = "a key of your own in profile 'prod', not one that is printed in public files"
            yield Problem(setting=f"{where}[{number}]", expected=expected)


def _is_fernet_key(key: object) -> bool:
    try:
        octets = base64.b64decode(str(key), altchars=b"-_", validate=True) if isinstance(key, str) else b""
    except (binascii.Error, ValueError):
        return False
    # A key of zeros, or of one repeated letter, is a placeholder that was never replaced.
    return len(octets) == _KEY_BYTES and len(set(octets)) >= _FEWEST_DIFFERENT


def problems_of_wallet(where: str, given: object, *, base_url: object, profile: object) -> Iterator[Problem]:
    """Yield everything that is missing or wrong in one gateway's `WALLET`."""
    if not isinstance(given, dict):
        yield Problem(setting=where, expected="a dict; leave WALLET out where there is no button")
        return
    yield from problems_of_names(where, given, (*WALLET_REQUIRED, *WALLET_OPTIONAL))
    if not _is_country(given.get("COUNTRY")):
        expected = "the two letters of an ISO 3166 country, such as 'DE'"
        yield Problem(setting=f"{where}['COUNTRY']", expected=expected)
    yield from problems_of_options(where, given, WALLET_OPTIONAL)
    yield from _problems_of_limits(f"{where}['LIMITS']", given.get("LIMITS"))
    yield from _problems_of_phones(where, given)
    for name in ("WALLET_JS_INTEGRITY", "WALLET_JS_CORS"):
        if given.get(name) and not given.get("WALLET_JS_URL"):
            expected = "nothing without WALLET_JS_URL: it is about a script that is hosted elsewhere"
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)
    if profile == "prod":
        yield from _problems_in_production(where, given, base_url=base_url)


def _problems_of_limits(where: str, limits: object) -> Iterator[Problem]:
    if isinstance(limits, dict):
        yield from problems_of_names(where, limits, LIMITS)
        yield from problems_of_options(where, limits, LIMITS)


def _problems_of_phones(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield each phone number that is part of no address: the sheet would never ask for it."""
    if given.get("BUTTON_OVERRIDES"):
        # The shop's function may ask for the address of some orders.
        return
    for phone, address in _PHONE_OF.items():
        if given.get(phone) is True and not given.get(address):
            expected = f"False unless {address} is asked for, because the number is part of it"
            yield Problem(setting=f"{where}[{phone!r}]", expected=expected)


def _problems_in_production(where: str, given: Mapping[str, Any], *, base_url: object) -> Iterator[Problem]:
    number, script = given.get("MERCHANT_NO", ""), given.get("PAY_JS_URL", "")
    if isinstance(number, str) and not _MERCHANT_NO.fullmatch(number):
        yield Problem(setting=f"{where}['MERCHANT_NO']", expected="12 to 18 characters in profile 'prod'")
    for name in ("PAY_JS_URL", "WALLET_JS_URL"):
        url = split_address(str(given.get(name, "")).partition("?")[0])
        if url is not None and is_local(url.hostname):
            expected = "an address that customers reach in profile 'prod'"
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)
    address = split_address(str(script).partition("?")[0])
    if address is not None and address.netloc.lower() == urlsplit(str(base_url)).netloc.lower():
        # A sandbox serves its wallet beside the service; cards of real customers must never go there.
        expected = "the wallet's own address in profile 'prod', not one of the gateway's host"
        yield Problem(setting=f"{where}['PAY_JS_URL']", expected=expected)
