"""The setting `WALLET_GATEWAY` from environment variables, for a project's settings module.

Here names and types are read; whether the values are right is judged by the rules of the setting, as always.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from environ import Env

from wallet_gateway.conf.gateway_rules import OPTIONAL, REQUIRED
from wallet_gateway.conf.rules import OPTIONAL_OF_SHOP, SHOP
from wallet_gateway.conf.values import (
    COLLECTION,
    COLLECTION_OR_NONE,
    NUMBER,
    PATHS_OF_CERTIFICATE,
    SEQUENCE,
    SETTING,
)
from wallet_gateway.conf.wallet_rules import FERNET_KEYS, LIMITS, WALLET_CODE, WALLET_POLICY

_SEPARATOR = "__"
_PREFIX = f"{SETTING}{_SEPARATOR}"
_FILE = "_FILE"
_BOOLEANS: Mapping[str, bool] = {
    **dict.fromkeys(("true", "on", "yes", "1"), True),
    **dict.fromkeys(("false", "off", "no", "0"), False),
}
_Kind = type | tuple[type, ...]
_SHOP: Mapping[str, _Kind] = {
    **dict.fromkeys(SHOP, str),
    "BASE_URLS": dict,
    FERNET_KEYS: COLLECTION,
    "RETENTION_DAYS": NUMBER,
    **{name: setting.kind for name, setting in OPTIONAL_OF_SHOP.items()},
}
_GATEWAY: Mapping[str, _Kind] = {
    **dict.fromkeys(REQUIRED, str),
    **{name: setting.kind for name, setting in OPTIONAL.items()},
}
_WALLET: Mapping[str, _Kind] = {
    "COUNTRY": str,
    **{name: setting.kind for name, setting in {**WALLET_CODE, **WALLET_POLICY}.items()},
}
_LIMITS: Mapping[str, _Kind] = {name: setting.kind for name, setting in LIMITS.items()}


def wallet_gateway_from_environment(defaults: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the value of `WALLET_GATEWAY`: the defaults, and over them what the environment says.

    Variables are named as the setting is nested, with two underscores between its levels:
    `WALLET_GATEWAY__PUBLIC_ORIGIN`, `WALLET_GATEWAY__GATEWAYS__DEFAULT__MERCHANT_ID`,
    `WALLET_GATEWAY__GATEWAYS__DEFAULT__WALLET__COUNTRY`. The alias of a gateway is read in small letters. A
    variable with `_FILE` behind its name holds the path of a file that has the value, as secrets are mounted.

    Lists are separated by commas. Dicts are `EUR=500.00,CHF=400.00`, or JSON that begins with a brace.
    An unknown name is kept, and reported by the system checks. Raises `ImproperlyConfigured` for a text that
    cannot be read as its setting's type, without the text, which may be a secret, and for two variables that
    set the same, such as one with and one without `_FILE`.
    """
    value = _copy(defaults or {})
    known: dict[tuple[str, ...], str] = {}
    for name in sorted(os.environ):
        if name.startswith(_PREFIX):
            place = _put(value, name)
            if place in known:
                raise ImproperlyConfigured(f"{known[place]} and {name} set the same; leave one of them out")
            known[place] = name
    return value


def _copy(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _copy(value) if isinstance(value, dict) else value for name, value in given.items()}


def _put(value: dict[str, Any], variable: str) -> tuple[str, ...]:
    """Write one variable's value to its place among the others; return the names that lead there."""
    *levels, last = _path(variable)
    known = _known(levels)
    for level in levels:
        inner = value.setdefault(level, {})
        if not isinstance(inner, dict):
            raise ImproperlyConfigured(f"{variable} has no place: {level} is not a dict")
        value = inner
    if last.endswith(_FILE) and last not in known:
        last, text = last.removesuffix(_FILE), _text_of_file(variable)
    else:
        text = os.environ[variable]
    value[last] = _parsed(variable, text, known.get(last, str))
    return (*levels, last)


def _path(variable: str) -> Sequence[str]:
    """Return the names of the levels; aliases of gateways are in small letters."""
    levels = variable.removeprefix(_PREFIX).split(_SEPARATOR)
    return [name.lower() if at == 1 else name for at, name in enumerate(levels)]


def _known(levels: Sequence[str]) -> Mapping[str, _Kind]:
    """Return the settings of the level that a path leads to; none for a path that leads nowhere."""
    match levels:
        case []:
            return _SHOP
        case ["GATEWAYS" | "BASE_URLS", _]:
            return _GATEWAY
        case ["GATEWAYS" | "BASE_URLS", _, "WALLET"]:
            return _WALLET
        case ["GATEWAYS" | "BASE_URLS", _, "WALLET", "LIMITS"]:
            return _LIMITS
        case _:
            return {}


def _text_of_file(variable: str) -> str:
    try:
        return Path(os.environ[variable]).read_text(encoding="utf-8").rstrip("\r\n")
    except OSError as error:
        raise ImproperlyConfigured(f"{variable} names a file that cannot be read") from error
    except UnicodeDecodeError:
        # The cause would hold the file's octets.
        raise ImproperlyConfigured(f"{variable} names a file that is no text in UTF-8") from None


def _parsed(variable: str, text: str, kind: _Kind) -> object:
    try:
        return _of_kind(text, kind)
    except (ValueError, KeyError, RecursionError):
        # The cause would quote the text.
        raise ImproperlyConfigured(f"{variable} is not {_EXPECTED[kind]}") from None


def _of_kind(text: str, kind: _Kind) -> object:
    if kind is bool:
        return _BOOLEANS[text.strip().lower()]
    if kind is int:
        return int(text)
    if kind == NUMBER:
        return int(text) if text.strip().isdecimal() else float(text)
    if kind is dict:
        return _dict(text)
    if kind in {COLLECTION, COLLECTION_OR_NONE, SEQUENCE}:
        return _items(text)
    if kind == PATHS_OF_CERTIFICATE and "," in text:
        return _items(text)
    return text


def _dict(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        return dict(json.loads(text, object_pairs_hook=_unique))
    return _unique([tuple(item.split("=", 1)) for item in Env.parse_value(text, list)])


def _unique(pairs: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    """Return a dict of these pairs; raises ValueError for one without a value, or a name given twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is given twice")
    return found


def _items(text: str) -> list[str]:
    return [item.strip() for item in Env.parse_value(text, list)]


_EXPECTED: Mapping[_Kind, str] = {
    bool: f"one of {', '.join(_BOOLEANS)}",
    int: "a whole number",
    NUMBER: "a number",
    dict: "a list such as EUR=500.00,CHF=400.00, or a JSON object",
}
