"""The rules of the setting `WALLET_GATEWAY`. The input is values, the output is problems."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from wallet_gateway.conf.values import (
    COLLECTION,
    IN_WORDS,
    PATH,
    PATHS_OF_CERTIFICATE,
    Problem,
    has_type,
    holds_certificates,
    is_client_certificate,
    is_importable,
    is_loopback,
    split_address,
    unknown_name,
    unreadable_file,
)
from wallet_gateway.conf.wallet_rules import FERNET_KEYS, problems_of_keys, problems_of_wallet
from wallet_gateway.domain.capture_deadline import CapturePolicy
from wallet_gateway.protocol.endpoints import ENDPOINTS
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money

SETTING = "WALLET_GATEWAY"
SHORTEST_TOKEN = 20
MOST_QUERY_WORKERS = 64
RETENTION_DAYS = 400
"""How long bodies are kept: a year for disputes, and some days to investigate the last one."""
LONGEST_DAYS = 36_500
"""A hundred years: the limit for safe calculations with any date."""
LONGEST_ALIAS = 32
"""The length of the column in which rows name their gateway."""
_ALIAS = re.compile(rf"[a-z0-9_-]{{1,{LONGEST_ALIAS}}}")

SHOP = ("PUBLIC_ORIGIN", "GATEWAYS", FERNET_KEYS, "HEALTH_TOKEN", "RETENTION_DAYS")
REQUIRED = ("BASE_URL", "MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER")
OPTIONAL: Mapping[str, tuple[type | tuple[type, ...], object]] = {
    "PROFILE": (str, "test"),
    "SKIN_ID": (str, ""),
    "PROVIDER_MERCHANT_ID": (str, ""),
    "REDIRECT_URL_TIMEOUT": (int, 900),
    "REDIRECT_HOSTS": (COLLECTION, ()),
    "AUTH": (str, ""),
    "CA_FILE": (PATH, ""),
    "CLIENT_CERT": (PATHS_OF_CERTIFICATE, ""),
    "PATHS": (dict, {}),
    "CONNECT_TIMEOUT": ((int, float), 3.0),
    "READ_TIMEOUT": ((int, float), 20.0),
    "TOTAL_TIMEOUT": ((int, float), 30.0),
    "KEEPALIVE_IDLE": ((int, float), 5.0),
    "QUERY_RATE": ((int, float), 5.0),
    "QUERY_WORKERS": (int, 1),
    "SHARES_REFERENCES": (bool, False),
    "SENDING_ENABLED": (bool, True),
    "CAPTURE_WINDOW_DAYS": ((int, float), 7),
    "CAPTURE_WARNING_DAYS": ((int, float), 2),
    "CAPTURE_POLICY": (str, "ask"),
    "APPROVAL_LIMITS": (dict, {}),
    "APPROVAL_DAYS": ((int, float), 7),
    "GO_LIVE_MAX_AMOUNT": (dict, {}),
}
_POSITIVE = (
    "CONNECT_TIMEOUT",
    "READ_TIMEOUT",
    "TOTAL_TIMEOUT",
    "QUERY_RATE",
    "CAPTURE_WINDOW_DAYS",
    "CAPTURE_WARNING_DAYS",
    "APPROVAL_DAYS",
)


def problems_of(raw: Mapping[str, Any], *, debug: bool) -> Iterator[Problem]:
    """Yield everything that is missing or wrong in the setting, without using the network."""
    yield from _problems_of_origin(raw.get("PUBLIC_ORIGIN"), debug=debug)
    for name in set(raw) - set(SHOP):
        yield Problem(setting=f"{SETTING}[{name!r}]", expected=unknown_name(name, SHOP))
    token = raw.get("HEALTH_TOKEN", "")
    if not isinstance(token, str) or 0 < len(token) < SHORTEST_TOKEN:
        expected = f"a text of {SHORTEST_TOKEN} or more characters, or nothing"
        yield Problem(setting=f"{SETTING}['HEALTH_TOKEN']", expected=expected)
    days = raw.get("RETENTION_DAYS", RETENTION_DAYS)
    if not has_type(days, int) or not 1 <= days <= LONGEST_DAYS:
        expected = f"a whole number of days above zero, at most {LONGEST_DAYS}"
        yield Problem(setting=f"{SETTING}['RETENTION_DAYS']", expected=expected)
    gateways = raw.get("GATEWAYS")
    needed = not debug and has_wallet(gateways)
    yield from problems_of_keys(f"{SETTING}[{FERNET_KEYS!r}]", raw.get(FERNET_KEYS), needed=needed)
    if not isinstance(gateways, dict) or not gateways:
        yield Problem(setting=f"{SETTING}['GATEWAYS']", expected="a dict with a gateway under 'default'")
        return
    for alias, given in gateways.items():
        where = f"{SETTING}['GATEWAYS'][{alias!r}]"
        if not isinstance(alias, str) or not _ALIAS.fullmatch(alias):
            # Lower case only, because a database that folds case would treat two aliases as one.
            yield Problem(setting=where, expected=f"an alias of 1 to {LONGEST_ALIAS} of a-z 0-9 _ -")
        if isinstance(given, dict):
            yield from _problems_of_gateway(where, given)
        else:
            yield Problem(setting=where, expected="a dict")


def has_wallet(gateways: object) -> bool:
    """Return whether a gateway in these settings has a wallet button."""
    if not isinstance(gateways, dict):
        return False
    return any(isinstance(given, dict) and given.get("WALLET") is not None for given in gateways.values())


def _problems_of_origin(origin: object, *, debug: bool) -> Iterator[Problem]:
    where = f"{SETTING}['PUBLIC_ORIGIN']"
    url = split_address(origin)
    if url is None or url.path.strip("/"):
        yield Problem(setting=where, expected="scheme and host of the shop, such as 'https://shop.example'")
    elif url.scheme != "https" and not (debug or is_loopback(url.hostname)):
        yield Problem(setting=where, expected="https, because payment results come back to it")


def _problems_of_gateway(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    for name in REQUIRED:
        if not isinstance(given.get(name), str) or not given[name].strip():
            yield Problem(setting=f"{where}[{name!r}]", expected="a text that is not empty")
    for name, value in given.items():
        if name in OPTIONAL and not has_type(value, OPTIONAL[name][0]):
            expected = f"{IN_WORDS[OPTIONAL[name][0]]}, not {type(value).__name__}"
            yield Problem(setting=f"{where}[{name!r}]", expected=expected)
        elif name not in {*OPTIONAL, *REQUIRED, "WALLET"}:
            known = (*REQUIRED, *OPTIONAL, "WALLET")
            yield Problem(setting=f"{where}[{name!r}]", expected=unknown_name(name, known))
    yield from _problems_of_values(where, given)
    if given.get("WALLET") is not None:
        yield from problems_of_wallet(
            f"{where}['WALLET']",
            given["WALLET"],
            base_url=given.get("BASE_URL"),
            profile=given.get("PROFILE", "test"),
        )


def _problems_of_values(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _problems_of_base_url(where, given)
    if given.get("PROFILE", "test") not in ("test", "prod"):
        yield Problem(setting=f"{where}['PROFILE']", expected="'test' or 'prod'")
    workers = given.get("QUERY_WORKERS", 1)
    if has_type(workers, int) and not 1 <= workers <= MOST_QUERY_WORKERS:
        yield Problem(setting=f"{where}['QUERY_WORKERS']", expected=f"1 to {MOST_QUERY_WORKERS} threads")
    if given.get("CAPTURE_POLICY", "ask") not in list(CapturePolicy):
        yield Problem(setting=f"{where}['CAPTURE_POLICY']", expected="'ask', 'capture' or 'reverse'")
    timeout = given.get("REDIRECT_URL_TIMEOUT", 900)
    if has_type(timeout, int) and not 60 <= timeout <= 900:
        expected = "60 to 900 seconds: an order must not stay payable for ever"
        yield Problem(setting=f"{where}['REDIRECT_URL_TIMEOUT']", expected=expected)
    yield from _problems_of_numbers(where, given)
    if isinstance(given.get("AUTH"), str) and given["AUTH"] and not is_importable(given["AUTH"]):
        yield Problem(setting=f"{where}['AUTH']", expected="the dotted path of a callable")
    yield from _problems_of_certificates(where, given)
    yield from _problems_of_collections(where, given)
    for name in ("APPROVAL_LIMITS", "GO_LIVE_MAX_AMOUNT"):
        yield from _problems_of_limits(f"{where}[{name!r}]", given.get(name))


def _problems_of_certificates(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    ca_file, client_cert = given.get("CA_FILE", ""), given.get("CLIENT_CERT", "")
    if ca_file and isinstance(ca_file, PATH) and (wrong := _wrong_ca_file(ca_file)):
        expected = f"a PEM file of the authorities to trust; {wrong}"
        yield Problem(setting=f"{where}['CA_FILE']", expected=expected)
    if client_cert and isinstance(client_cert, PATHS_OF_CERTIFICATE) and (wrong := _wrong_cert(client_cert)):
        expected = f"a PEM file with certificate and key, or a pair of files; {wrong}"
        yield Problem(setting=f"{where}['CLIENT_CERT']", expected=expected)


def _wrong_ca_file(path: str | PurePath) -> str:
    unreadable = unreadable_file(path)
    return unreadable or ("" if holds_certificates(path) else f"{path} holds no certificate")


def _wrong_cert(given: str | PurePath | Sequence[object]) -> str:
    paths = (
        [given] if isinstance(given, PATH) else [path for path in given if path and isinstance(path, PATH)]
    )
    if not isinstance(given, PATH) and not len(given) == len(paths) == 2:
        return "a pair is the path of the certificate and the path of its key"
    for path in paths:
        if unreadable := unreadable_file(path):
            return unreadable
    if is_client_certificate(*paths):
        return ""
    return "the certificate and its key do not fit, one of them is missing, or the key is encrypted"


def _problems_of_numbers(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    for name in _POSITIVE:
        value = given.get(name, 1)
        if not isinstance(value, int | float):
            continue
        if not 0 < value < math.inf:
            yield Problem(setting=f"{where}[{name!r}]", expected="a number above zero")
        elif name.endswith("_DAYS") and value > LONGEST_DAYS:
            yield Problem(setting=f"{where}[{name!r}]", expected=f"at most {LONGEST_DAYS} days")


def _problems_of_limits(where: str, limits: object) -> Iterator[Problem]:
    """Check that limits are currencies with decimal strings: a number's minor units would be a guess."""
    for currency, amount in limits.items() if isinstance(limits, dict) else ():
        if not _is_limit(currency, amount):
            expected = "a currency's code and an amount of it as text, such as 'EUR': '500.00'"
            yield Problem(setting=f"{where}[{currency!r}]", expected=expected)


def _is_limit(currency: object, amount: object) -> bool:
    if not (isinstance(currency, str) and isinstance(amount, str)):
        return False
    try:
        return Money.parse(amount, currency, allow_zero=True).currency == currency
    except ProtocolError:
        return False


def _problems_of_collections(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    hosts = given.get("REDIRECT_HOSTS", ())
    if has_type(hosts, OPTIONAL["REDIRECT_HOSTS"][0]) and not all(_is_host(host) for host in hosts):
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
    url = split_address(given.get("BASE_URL"))
    name = f"{where}['BASE_URL']"
    if url is None:
        yield Problem(setting=name, expected="an absolute https URL")
        return
    plain_is_fine = is_loopback(url.hostname) and given.get("PROFILE", "test") == "test"
    if url.scheme != "https" and not plain_is_fine:
        yield Problem(
            setting=name, expected="https; plain http only for a loopback address in profile 'test'"
        )
