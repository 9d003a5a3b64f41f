"""What the setting `WALLET_GATEWAY` may hold, and what is wrong with one. Values in, problems out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.utils.module_loading import import_string

from wallet_gateway.protocol.endpoints import ENDPOINTS

SETTING = "WALLET_GATEWAY"
LONGEST_ALIAS = 32
"""As long as the column that rows name their gateway in."""
_ALIAS = re.compile(rf"[a-z0-9_-]{{1,{LONGEST_ALIAS}}}")

REQUIRED = ("BASE_URL", "MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER")
OPTIONAL: Mapping[str, tuple[type | tuple[type, ...], object]] = {
    "PROFILE": (str, "test"),
    "SKIN_ID": (str, ""),
    "PROVIDER_MERCHANT_ID": (str, ""),
    "REDIRECT_URL_TIMEOUT": (int, 900),
    "REDIRECT_HOSTS": ((list, tuple, set, frozenset), ()),
    "AUTH": (str, ""),
    "PATHS": (dict, {}),
    "CONNECT_TIMEOUT": ((int, float), 3.0),
    "READ_TIMEOUT": ((int, float), 20.0),
    "TOTAL_TIMEOUT": ((int, float), 30.0),
    "KEEPALIVE_IDLE": ((int, float), 5.0),
    "QUERY_RATE": ((int, float), 5.0),
    "SHARES_REFERENCES": (bool, False),
    "SENDING": (bool, True),
}
_IN_WORDS: Mapping[type | tuple[type, ...], str] = {
    str: "a text",
    int: "a whole number",
    bool: "True or False",
    dict: "a dict",
    (int, float): "a number",
    (list, tuple, set, frozenset): "a list, tuple or set",
}
_POSITIVE = ("CONNECT_TIMEOUT", "READ_TIMEOUT", "TOTAL_TIMEOUT", "QUERY_RATE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is missing or wrong, by the setting's full name."""

    setting: str
    expected: str


def problems_of(raw: Mapping[str, Any], *, debug: bool) -> Iterator[Problem]:
    """Yield everything that is missing or wrong in the setting, without touching the network."""
    yield from _problems_of_origin(raw.get("PUBLIC_ORIGIN"), debug=debug)
    for name in set(raw) - {"PUBLIC_ORIGIN", "GATEWAYS"}:
        yield Problem(setting=f"{SETTING}[{name!r}]", expected="unknown name; known: PUBLIC_ORIGIN, GATEWAYS")
    gateways = raw.get("GATEWAYS")
    if not isinstance(gateways, dict) or not gateways:
        yield Problem(setting=f"{SETTING}['GATEWAYS']", expected="a dict with a gateway under 'default'")
        return
    for alias, given in gateways.items():
        where = f"{SETTING}['GATEWAYS'][{alias!r}]"
        if not isinstance(alias, str) or not _ALIAS.fullmatch(alias):
            # In lower case only, because a database that folds case would take two aliases for one.
            yield Problem(setting=where, expected=f"an alias of 1 to {LONGEST_ALIAS} of a-z 0-9 _ -")
        if isinstance(given, dict):
            yield from _problems_of_gateway(where, given)
        else:
            yield Problem(setting=where, expected="a dict")


def _problems_of_origin(origin: object, *, debug: bool) -> Iterator[Problem]:
    where = f"{SETTING}['PUBLIC_ORIGIN']"
    url = _split(origin)
    if url is None or url.path.strip("/"):
        yield Problem(setting=where, expected="scheme and host of the shop, such as 'https://shop.example'")
    elif url.scheme != "https" and not (debug or is_loopback(url.hostname)):
        yield Problem(setting=where, expected="https, because payment results come back to it")


def _problems_of_gateway(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    for name in REQUIRED:
        if not isinstance(given.get(name), str) or not given[name].strip():
            yield Problem(setting=f"{where}[{name!r}]", expected="a text that is not empty")
    for name, value in given.items():
        if name in OPTIONAL and not _has_type(value, OPTIONAL[name][0]):
            expected = f"{_IN_WORDS[OPTIONAL[name][0]]}, not {type(value).__name__}"
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)
        elif name not in OPTIONAL and name not in REQUIRED:
            known = ", ".join((*REQUIRED, *OPTIONAL))
            yield Problem(setting=f"{where}[{name!r}]", expected=f"unknown name; known: {known}")
    yield from _problems_of_values(where, given)


def _has_type(value: object, expected: type | tuple[type, ...]) -> bool:
    return isinstance(value, expected) and (expected is bool or not isinstance(value, bool))


def _problems_of_values(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _problems_of_base_url(where, given)
    if given.get("PROFILE", "test") not in ("test", "prod"):
        yield Problem(setting=f"{where}['PROFILE']", expected="'test' or 'prod'")
    timeout = given.get("REDIRECT_URL_TIMEOUT", 900)
    if _has_type(timeout, int) and not 60 <= timeout <= 900:
        expected = "60 to 900 seconds: an order must not stay payable for ever"
        yield Problem(setting=f"{where}['REDIRECT_URL_TIMEOUT']", expected=expected)
    for name in _POSITIVE:
        value = given.get(name, 1)
        if isinstance(value, int | float) and not 0 < value < math.inf:
            yield Problem(setting=f"{where}[{name!r}]", expected="a number above zero")
    if isinstance(given.get("AUTH"), str) and given["AUTH"] and not _is_importable(given["AUTH"]):
        yield Problem(setting=f"{where}['AUTH']", expected="the dotted path of a callable")
    yield from _problems_of_collections(where, given)


def _problems_of_collections(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    hosts = given.get("REDIRECT_HOSTS", ())
    if _has_type(hosts, OPTIONAL["REDIRECT_HOSTS"][0]) and not all(_is_host(host) for host in hosts):
        expected = "hosts without scheme and path, such as 'pay.example' or 'pay.example:8443'"
        yield Problem(setting=f"{where}['REDIRECT_HOSTS']", expected=expected)
    paths = given.get("PATHS", {})
    if not isinstance(paths, dict):
        return
    known = {endpoint.name for endpoint in ENDPOINTS}
    for name, path in paths.items():
        if name not in known:
            expected = f"unknown name; known: {', '.join(sorted(known))}"
            yield Problem(setting=f"{where}['PATHS'][{name!r}]", expected=expected)
        elif not isinstance(path, str) or not path.startswith("/"):
            yield Problem(setting=f"{where}['PATHS'][{name!r}]", expected="a path that begins with /")


def _is_host(value: object) -> bool:
    return isinstance(value, str) and value != "" and not set(value) & set("/@?#\\ ")


def _problems_of_base_url(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    url = _split(given.get("BASE_URL"))
    name = f"{where}['BASE_URL']"
    if url is None:
        yield Problem(setting=name, expected="an absolute https URL")
        return
    plain_is_fine = is_loopback(url.hostname) and given.get("PROFILE", "test") == "test"
    if url.scheme != "https" and not plain_is_fine:
        yield Problem(
            setting=name, expected="https; plain http only for a loopback address in profile 'test'"
        )


def _is_importable(path: str) -> bool:
    try:
        return callable(import_string(path))
    except ImportError:
        return False


def _split(value: object) -> SplitResult | None:
    """Return a web address in its parts; None for anything else, or with a user, query, fragment."""
    if not isinstance(value, str):
        return None
    try:
        url = urlsplit(value)
        whole = url.scheme in {"http", "https"} and url.hostname and url.port != 0
    except ValueError:
        return None
    return None if not whole or "@" in url.netloc or url.query or url.fragment else url


def is_loopback(host: str | None) -> bool:
    """Say whether a host name is this machine and nothing else."""
    if host == "localhost":
        return True
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return False
