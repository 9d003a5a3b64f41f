"""The rules of the wallet button's settings: `FERNET_KEYS` and each `WALLET`."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from wallet_gateway.conf.values import (
    COLLECTION,
    IN_WORDS,
    Problem,
    has_type,
    is_importable,
    is_loopback,
    split_address,
    unknown_name,
)
from wallet_gateway.domain.policy import CALLBACKS
from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.codes import check_country_of_wallet
from wallet_gateway.protocol.errors import UnknownCode

FERNET_KEYS = "FERNET_KEYS"
REDIRECT = "redirect"
"""3-D Secure on a page of the gateway: the default of `THREE_D_SECURE`."""
PRODUCTION_PAY_JS = "https://pay.google.com/gp/p/js/pay.js"
_KEY_BYTES, _FEWEST_DIFFERENT = 32, 8
_MERCHANT_NO = re.compile(r"[!-~]{12,18}")
_GATEWAY_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")

WALLET_OPTIONAL: Mapping[str, tuple[type | tuple[type, ...], object]] = {
    "GATEWAY_NAME": (str, "examplegateway"),
    "MERCHANT_NO": (str, ""),
    "MERCHANT_NAME": (str, ""),
    "CARD_NETWORKS": (COLLECTION, tuple(network.value for network in CardNetwork)),
    "ALLOW_PREPAID": (bool, True),
    "ALLOW_CREDIT": (bool, True),
    "EXISTING_PAYMENT_METHOD_REQUIRED": (bool, False),
    "PAY_JS_URL": (str, ""),
    "WALLET_JS_URL": (str, ""),
    "THREE_D_SECURE": (str, REDIRECT),
    "ACCEPT_UNAUTHENTICATED": (bool, False),
    "PRICING": (str, ""),
    "BUTTON_OVERRIDES": (str, ""),
    "CALLBACKS": (COLLECTION, CALLBACKS),
    "EMAIL_REQUIRED": (bool, False),
    "BILLING_ADDRESS": (str, ""),
    "SHIPPING_ADDRESS": (bool, False),
    "SHIPPING_COUNTRIES": (COLLECTION, ()),
    "USE_WALLET_BUTTON": (bool, False),
    "BUTTON_COLOR": (str, "default"),
    "BUTTON_TYPE": (str, "buy"),
    "BUTTON_LOCALE": (str, ""),
    "BUTTON_SIZE_MODE": (str, "static"),
}
WALLET_REQUIRED = ("COUNTRY",)
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "BILLING_ADDRESS": ("", "MIN", "FULL"),
    "BUTTON_COLOR": ("default", "black", "white"),
    "BUTTON_SIZE_MODE": ("static", "fill"),
    "BUTTON_TYPE": (
        *("book", "buy", "checkout", "donate", "order"),
        *("pay", "plain", "subscribe", "long", "short"),
    ),
}


def problems_of_keys(where: str, keys: object, *, needed: bool) -> Iterator[Problem]:
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
    for name in given.keys() - {*WALLET_REQUIRED, *WALLET_OPTIONAL}:
        known = (*WALLET_REQUIRED, *WALLET_OPTIONAL)
        yield Problem(setting=f"{where}[{name!r}]", expected=unknown_name(name, known))
    values = {name: given.get(name, default) for name, (_, default) in WALLET_OPTIONAL.items()}
    rightly_typed = dict(values)
    for name, (kind, _) in WALLET_OPTIONAL.items():
        if not has_type(values[name], kind):
            expected = f"{IN_WORDS[kind]}, not {type(values[name]).__name__}"
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)
            del rightly_typed[name]
    rightly_typed["COUNTRY"] = given.get("COUNTRY")
    for name, check, expected in _RULES:
        if name in rightly_typed and not check(rightly_typed[name]):
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)
    yield from _problems_of_profile(where, rightly_typed, base_url=base_url, profile=profile)


def _is_country(value: object) -> bool:
    try:
        return isinstance(value, str) and check_country_of_wallet(value) == value
    except UnknownCode:
        return False


def _is_address(value: str) -> bool:
    url = split_address(value)
    return not value or (url is not None and (url.scheme == "https" or is_loopback(url.hostname)))


def _is_script(value: str) -> bool:
    # A script's address may have a query, such as a version for cache busting.
    return _is_address(value.partition("?")[0])


def _are_networks(value: Iterable[object]) -> bool:
    return bool(value) and {*value} <= {*CardNetwork}


def _one_of(name: str) -> tuple[str, Callable[[Any], bool], str]:
    choices = _CHOICES[name]
    return name, lambda value: value in choices, f"one of {', '.join(map(repr, choices))}"


_RULES: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("COUNTRY", _is_country, "the two letters of an ISO 3166 country, such as 'DE'"),
    ("GATEWAY_NAME", lambda value: bool(_GATEWAY_NAME.fullmatch(value)), "the name the wallet knows it by"),
    ("CARD_NETWORKS", _are_networks, f"some of {', '.join(CardNetwork)}"),
    ("SHIPPING_COUNTRIES", lambda value: all(map(_is_country, value)), "ISO 3166 countries, such as ['DE']"),
    ("PAY_JS_URL", _is_script, "an https address; http only on a loopback address"),
    ("WALLET_JS_URL", _is_script, "an https address; http only on a loopback address"),
    (
        "THREE_D_SECURE",
        lambda value: value == REDIRECT or is_importable(value),
        "'redirect' or the dotted path of a callable",
    ),
    ("PRICING", lambda value: not value or is_importable(value), "the dotted path of a callable"),
    ("BUTTON_OVERRIDES", lambda value: not value or is_importable(value), "the dotted path of a callable"),
    ("CALLBACKS", lambda value: {*value} <= {*CALLBACKS}, f"some of {', '.join(CALLBACKS)}"),
    *map(_one_of, _CHOICES),
)


def _problems_of_profile(
    where: str, values: Mapping[str, Any], *, base_url: object, profile: object
) -> Iterator[Problem]:
    if profile != "prod":
        return
    if "MERCHANT_NO" in values and not _MERCHANT_NO.fullmatch(values["MERCHANT_NO"]):
        yield Problem(setting=f"{where}['MERCHANT_NO']", expected="12 to 18 characters in profile 'prod'")
    script = split_address(str(values.get("PAY_JS_URL", "")).partition("?")[0])
    if script is not None and script.netloc.lower() == urlsplit(str(base_url)).netloc.lower():
        # A sandbox serves its wallet beside the service; cards of real customers must never go there.
        expected = "the wallet's own address in profile 'prod', not one of the gateway's host"
        yield Problem(setting=f"{where}['PAY_JS_URL']", expected=expected)
