"""Settings: the one place that reads `WALLET_GATEWAY`, lazily, into typed values. No other file looks at it.

What is wrong is collected as `Problem`s, each naming its setting and what is expected; the system checks
print them, and `settings()` refuses to be used while there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.utils.module_loading import import_string

from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.domain.policy import GatewayPolicy

SETTING = "WALLET_GATEWAY"

SANDBOX: dict[str, Any] = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {
        "default": {
            "BASE_URL": "http://127.0.0.1:8001",
            "MERCHANT_ID": "SANDBOX-MERCHANT",
            "STORE_ID": "SANDBOX-STORE",
            "USER_ID": "sandbox-user",
            "PROVIDER": "ExampleWalletV2",
        },
    },
}
"""What an empty setting means while `DEBUG` is on: the sandbox's built-in merchant."""

_REQUIRED = ("BASE_URL", "MERCHANT_ID", "STORE_ID", "USER_ID", "PROVIDER")
_OPTIONAL: Mapping[str, tuple[type | tuple[type, ...], object]] = {
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
    "GATEWAY_DEDUPLICATES": (bool, False),
    "SENDING": (bool, True),
}
_POSITIVE = ("CONNECT_TIMEOUT", "READ_TIMEOUT", "TOTAL_TIMEOUT", "QUERY_RATE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is missing or wrong, by the setting's full name."""

    setting: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """One gateway, by its alias."""

    alias: str
    base_url: str
    account: MerchantAccount
    policy: GatewayPolicy
    auth: str
    paths: Mapping[str, str]
    timeouts: Mapping[str, float] = field(default_factory=dict)
    """Keyword arguments of the transport."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of this app."""

    public_origin: str
    """Scheme and host by which customers reach the shop; return URLs begin with it."""
    gateways: Mapping[str, GatewaySettings]


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings; raises `ImproperlyConfigured` that names everything wrong with them."""
    raw = _raw()
    found = problems()
    if found:
        lines = "; ".join(f"{problem.setting}: {problem.expected}" for problem in found)
        raise ImproperlyConfigured(lines)
    gateways = {alias: _gateway(alias, given) for alias, given in raw["GATEWAYS"].items()}
    return Settings(public_origin=raw["PUBLIC_ORIGIN"].rstrip("/"), gateways=gateways)


def gateway_settings(alias: str) -> GatewaySettings:
    """Return one gateway's settings; raises `ImproperlyConfigured` when there is none by that alias."""
    gateways = settings().gateways
    if alias not in gateways:
        known = ", ".join(sorted(gateways))
        raise ImproperlyConfigured(f"{SETTING}['GATEWAYS'] has no {alias!r}; it has: {known}")
    return gateways[alias]


def _forget(*, setting: str, **_: object) -> None:
    if setting in {SETTING, "DEBUG"}:
        settings.cache_clear()


setting_changed.connect(_forget)


def _raw() -> dict[str, Any]:
    given = getattr(django_settings, SETTING, None)
    if not given and django_settings.DEBUG:
        return SANDBOX
    return given if isinstance(given, dict) else {}


def _gateway(alias: str, given: Mapping[str, Any]) -> GatewaySettings:
    values = {name: given.get(name, default) for name, (_, default) in _OPTIONAL.items()}
    url = urlsplit(given["BASE_URL"])
    hosts = {host.lower() for host in values["REDIRECT_HOSTS"]} or {url.netloc.lower()}
    return GatewaySettings(
        alias=alias,
        base_url=given["BASE_URL"],
        account=_account(given, values),
        policy=GatewayPolicy(
            sending=values["SENDING"],
            query_rate=float(values["QUERY_RATE"]),
            shares_references=values["SHARES_REFERENCES"],
            gateway_deduplicates=values["GATEWAY_DEDUPLICATES"],
            redirect_hosts=frozenset(hosts),
            allow_plain_http=url.scheme == "http",
        ),
        auth=values["AUTH"],
        paths=values["PATHS"],
        timeouts={
            name.lower(): float(values[name])
            for name in ("CONNECT_TIMEOUT", "READ_TIMEOUT", "TOTAL_TIMEOUT", "KEEPALIVE_IDLE")
        },
    )


def _account(given: Mapping[str, Any], values: Mapping[str, Any]) -> MerchantAccount:
    return MerchantAccount(
        merchant_id=given["MERCHANT_ID"],
        store_id=given["STORE_ID"],
        user_id=given["USER_ID"],
        provider=given["PROVIDER"],
        profile=values["PROFILE"],
        skin_id=values["SKIN_ID"] or None,
        provider_merchant_id=values["PROVIDER_MERCHANT_ID"] or None,
        redirect_url_timeout=values["REDIRECT_URL_TIMEOUT"],
    )


# What can be wrong


def problems() -> tuple[Problem, ...]:
    """Return everything that is missing or wrong, without touching the network."""
    given = getattr(django_settings, SETTING, None)
    if given is not None and not isinstance(given, dict):
        return (Problem(setting=SETTING, expected="a dict with PUBLIC_ORIGIN and GATEWAYS"),)
    return tuple(_problems_of(_raw()))


def _problems_of(raw: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _problems_of_origin(raw.get("PUBLIC_ORIGIN"))
    for name in set(raw) - {"PUBLIC_ORIGIN", "GATEWAYS"}:
        yield Problem(setting=f"{SETTING}[{name!r}]", expected="unknown name; known: PUBLIC_ORIGIN, GATEWAYS")
    gateways = raw.get("GATEWAYS")
    if not isinstance(gateways, dict) or not gateways:
        yield Problem(setting=f"{SETTING}['GATEWAYS']", expected="a dict with a gateway under 'default'")
        return
    for alias, given in gateways.items():
        where = f"{SETTING}['GATEWAYS'][{alias!r}]"
        if isinstance(given, dict):
            yield from _problems_of_gateway(where, given)
        else:
            yield Problem(setting=where, expected="a dict")


def _problems_of_origin(origin: object) -> Iterator[Problem]:
    where = f"{SETTING}['PUBLIC_ORIGIN']"
    url = _split(origin)
    if url is None or url.path.strip("/") or url.query:
        yield Problem(setting=where, expected="scheme and host of the shop, such as 'https://shop.example'")
    elif url.scheme != "https" and not (django_settings.DEBUG or is_loopback(url.hostname)):
        yield Problem(setting=where, expected="https, because payment results come back to it")


def _problems_of_gateway(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    for name in _REQUIRED:
        if not isinstance(given.get(name), str) or not given[name].strip():
            yield Problem(setting=f"{where}[{name!r}]", expected="a text that is not empty")
    for name, value in given.items():
        if name in _OPTIONAL and not _has_type(value, _OPTIONAL[name][0]):
            yield Problem(setting=f"{where}[{name!r}]", expected=f"not {type(value).__name__}")
        elif name not in _OPTIONAL and name not in _REQUIRED:
            known = ", ".join((*_REQUIRED, *_OPTIONAL))
            yield Problem(setting=f"{where}[{name!r}]", expected=f"unknown name; known: {known}")
    yield from _problems_of_values(where, given)


def _has_type(value: object, expected: type | tuple[type, ...]) -> bool:
    return isinstance(value, expected) and (expected is bool or not isinstance(value, bool))


def _problems_of_values(where: str, given: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _problems_of_base_url(where, given)
    if given.get("PROFILE", "test") not in {"test", "prod"}:
        yield Problem(setting=f"{where}['PROFILE']", expected="'test' or 'prod'")
    timeout = given.get("REDIRECT_URL_TIMEOUT", 900)
    if isinstance(timeout, int) and not 60 <= timeout <= 900:
        expected = "60 to 900 seconds: an order must not stay payable for ever"
        yield Problem(setting=f"{where}['REDIRECT_URL_TIMEOUT']", expected=expected)
    for name in _POSITIVE:
        value = given.get(name, 1)
        if isinstance(value, int | float) and value <= 0:
            yield Problem(setting=f"{where}[{name!r}]", expected="a number above zero")
    if isinstance(given.get("AUTH"), str) and given["AUTH"] and not _is_importable(given["AUTH"]):
        yield Problem(setting=f"{where}['AUTH']", expected="the dotted path of a callable")


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
    if not isinstance(value, str):
        return None
    url = urlsplit(value)
    return url if url.scheme in {"http", "https"} and url.hostname and not url.username else None


def is_loopback(host: str | None) -> bool:
    """Say whether a host name is this machine and nothing else."""
    if host == "localhost":
        return True
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return False
