"""Settings: the only module that reads `WALLET_GATEWAY`, lazily, into typed values.

Errors are collected as `Problem`s, each naming its setting and what is expected; the system checks print
them, and `settings()` raises while there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.conf.django_tests import HOW_TO_TEST, is_test_run
from wallet_gateway.conf.published_keys import is_published_secret_key
from wallet_gateway.conf.rules import (
    OPTIONAL,
    REQUIRED_ADDRESS,
    RETENTION_DAYS,
    SANDBOX_MERCHANT,
    SETTING,
    live_aliases,
    problems_of,
)
from wallet_gateway.conf.values import COLLECTION, PATH, Problem, Setting
from wallet_gateway.conf.wallet_rules import (
    FERNET_KEYS,
    PRODUCTION_PAY_JS,
    REDIRECT,
    WALLET_CODE,
    WALLET_POLICY,
)
from wallet_gateway.domain.approval_policy import ApprovalPolicy
from wallet_gateway.domain.capture_deadline import CapturePolicy, CaptureWindow
from wallet_gateway.domain.policy import BookElsewhere, GatewayPolicy, WalletPolicy
from wallet_gateway.domain.wallet_limits import WalletLimits
from wallet_gateway.protocol.money import Money

SANDBOX: dict[str, Any] = {
    "PUBLIC_ORIGIN": "http://127.0.0.1:8000",
    "GATEWAYS": {
        "default": {
            "BASE_URL": "http://127.0.0.1:8001",
            "MERCHANT_ID": SANDBOX_MERCHANT,
            "STORE_ID": "SANDBOX-STORE",
            "USER_ID": "sandbox-user",
            "PROVIDER": "ExampleWalletV2",
            "WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Example shop"},
        },
    },
}
"""The meaning of an empty setting while `DEBUG` is on: the sandbox's built-in merchant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """The settings of one gateway, by its alias."""

    alias: str
    base_url: str
    account: MerchantAccount
    policy: GatewayPolicy
    wallet: WalletPolicy | None
    """None if there is no wallet button."""
    authenticator: str
    """Dotted path of the shop's own 3-D Secure; empty if the gateway does it."""
    pricing: str
    button_overrides: str
    """Dotted path of a function that changes the button for one order; empty if all orders are alike."""
    auth: str
    client_class: str
    """Dotted path of the shop's own subclass of the client; empty for the client itself."""
    ca_file: str | None
    """PEM file of the certificate authorities to trust instead of the default ones."""
    client_cert: str | tuple[str, str] | None
    """PEM file of our certificate and its key, or one file for each."""
    paths: Mapping[str, str]
    connect_timeout: float
    read_timeout: float
    total_timeout: float
    keepalive_idle: float
    go_live_max_amount: Mapping[str, int]
    """Minor units by currency: the maximum amount of the payment that is compared before going live."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of this app."""

    public_origin: str
    """Scheme and host by which customers reach the shop; return URLs begin with it."""
    gateways: Mapping[str, GatewaySettings]
    fernet_keys: tuple[str, ...] = field(default=(), repr=False)
    """The keys that encrypt stored secrets; the first one encrypts, all of them decrypt."""
    health_token: str = field(default="", repr=False)
    """The token with which a monitor identifies itself; empty if the health view requires a permission."""
    csp_report_url: str = ""
    """Where browsers report what our pages' policy has stopped; empty if nowhere."""
    order_admin_url: str = ""
    """Dotted path of the function that names the shop's own page of an order; empty if there is none."""
    retention_days: int = RETENTION_DAYS
    """How long the bodies of requests and answers are kept."""


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings; raises `ImproperlyConfigured` that names all errors in them."""
    raw = _raw(debug=django_settings.DEBUG)
    found = problems()
    if found:
        lines = [f"{problem.setting}: {problem.expected}" for problem in found]
        if is_test_run() and not problems(debug=True):
            lines.append(HOW_TO_TEST)
        raise ImproperlyConfigured("; ".join(lines))
    gateways = {alias: _gateway(alias, given) for alias, given in raw["GATEWAYS"].items()}
    keys = tuple(raw.get(FERNET_KEYS) or ())
    if not keys and django_settings.DEBUG:
        keys = (_key_of_process(),)
    return Settings(
        public_origin=raw["PUBLIC_ORIGIN"].rstrip("/"),
        gateways=gateways,
        fernet_keys=keys,
        health_token=raw.get("HEALTH_TOKEN", ""),
        csp_report_url=raw.get("CSP_REPORT_URL", ""),
        order_admin_url=raw.get("ORDER_ADMIN_URL", ""),
        retention_days=raw.get("RETENTION_DAYS", RETENTION_DAYS),
    )


@lru_cache(maxsize=1)
def _key_of_process() -> str:
    """Return a temporary key: data encrypted with it is lost with the process, acceptable in development."""
    return Fernet.generate_key().decode()


def gateway_settings(alias: str) -> GatewaySettings:
    """Return one gateway's settings; raises `ImproperlyConfigured` if there is no gateway with that alias."""
    gateways = settings().gateways
    if alias not in gateways:
        known = ", ".join(sorted(gateways))
        raise ImproperlyConfigured(f"{SETTING}['GATEWAYS'] has no {alias!r}; it has: {known}")
    return gateways[alias]


def approval_policy(alias: str) -> ApprovalPolicy:
    """Return one gateway's limits for one person; no limits if there is no gateway with that alias.

    To such a gateway nothing can be sent.
    """
    try:
        return gateway_settings(alias).policy.approval_policy
    except ImproperlyConfigured:
        return ApprovalPolicy()


def csrf_header() -> str:
    """Return the header in which the project expects a form's token: by default Django's `X-CSRFTOKEN`."""
    return django_settings.CSRF_HEADER_NAME.removeprefix("HTTP_").replace("_", "-")


def trusted_origins() -> Sequence[str]:
    """Return the origins that the project trusts, beside its own, to send its forms."""
    return django_settings.CSRF_TRUSTED_ORIGINS


def problems(*, debug: bool | None = None) -> tuple[Problem, ...]:
    """Return everything that is missing or wrong, without using the network.

    With ``debug`` as it would be if `DEBUG` had that value; None takes the project's.
    """
    debug = django_settings.DEBUG if debug is None else debug
    given = getattr(django_settings, SETTING, None)
    if given is not None and not isinstance(given, dict):
        return (Problem(setting=SETTING, expected="a dict with PUBLIC_ORIGIN and GATEWAYS"),)
    raw = _raw(debug=debug)
    return (*problems_of(raw, debug=debug), *_problems_of_secret_keys(raw))


def live_gateways() -> list[str]:
    """Return the aliases of the gateways with the profile 'prod', whether or not the settings are valid."""
    return live_aliases(_raw(debug=django_settings.DEBUG).get("GATEWAYS"))


def published_secret_keys() -> tuple[str, ...]:
    """Return the names of Django's settings whose key is known to everybody, such as ``SECRET_KEY``."""
    fallbacks = (
        (f"SECRET_KEY_FALLBACKS[{number}]", key)
        for number, key in enumerate(django_settings.SECRET_KEY_FALLBACKS)
    )
    given = (("SECRET_KEY", django_settings.SECRET_KEY), *fallbacks)
    return tuple(name for name, key in given if is_published_secret_key(key))


def _problems_of_secret_keys(raw: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield each published key with which anybody could sign return addresses of real payments."""
    if live_aliases(raw.get("GATEWAYS")):
        for name in published_secret_keys():
            expected = "a secret of your own, because a gateway has the profile 'prod'"
            yield Problem(setting=name, expected=expected)


def _forget(*, setting: str, **_: object) -> None:
    if setting in {SETTING, "DEBUG", "SECRET_KEY", "SECRET_KEY_FALLBACKS"}:
        settings.cache_clear()


setting_changed.connect(_forget)


def _raw(*, debug: bool) -> dict[str, Any]:
    given = getattr(django_settings, SETTING, None)
    if not given and debug:
        return SANDBOX
    return given if isinstance(given, dict) else {}


def _gateway(alias: str, given: Mapping[str, Any]) -> GatewaySettings:
    values = _with_defaults(given, OPTIONAL)
    url = urlsplit(given["BASE_URL"])
    hosts = {host.lower() for host in values["REDIRECT_HOSTS"]} or {url.netloc.lower()}
    wallet = given.get("WALLET")
    code = _with_defaults(wallet or {}, WALLET_CODE)
    return GatewaySettings(
        alias=alias,
        base_url=given["BASE_URL"],
        account=_account(given, values),
        policy=GatewayPolicy(
            sending=values["SENDING_ENABLED"],
            query_rate=float(values["QUERY_RATE"]),
            query_workers=values["QUERY_WORKERS"],
            query_again=timedelta(days=values["QUERY_AGAIN_DAYS"]),
            shares_references=values["SHARES_REFERENCES"],
            book_elsewhere=BookElsewhere(values["BOOK_ELSEWHERE"]),
            ignored_record_types=frozenset(name.lower() for name in values["IGNORED_RECORD_TYPES"]),
            redirect_hosts=frozenset(hosts),
            allow_plain_http=url.scheme == "http",
            billing_address_required=values["BILLING_ADDRESS"] == REQUIRED_ADDRESS,
            currencies=None if values["CURRENCIES"] is None else frozenset(values["CURRENCIES"]),
            capture_window=CaptureWindow(
                length=timedelta(days=values["CAPTURE_WINDOW_DAYS"]),
                warning=timedelta(days=values["CAPTURE_WARNING_DAYS"]),
                policy=CapturePolicy(values["CAPTURE_POLICY"]),
            ),
            approval_policy=_approval_policy(values),
        ),
        wallet=_wallet(given) if wallet is not None else None,
        authenticator="" if code["THREE_D_SECURE"] == REDIRECT else code["THREE_D_SECURE"],
        pricing=code["PRICING"],
        button_overrides=code["BUTTON_OVERRIDES"],
        auth=values["AUTH"],
        client_class=values["CLIENT_CLASS"],
        ca_file=str(values["CA_FILE"]) or None,
        client_cert=_client_cert(values["CLIENT_CERT"]),
        paths=values["PATHS"],
        connect_timeout=float(values["CONNECT_TIMEOUT"]),
        read_timeout=float(values["READ_TIMEOUT"]),
        total_timeout=float(values["TOTAL_TIMEOUT"]),
        keepalive_idle=float(values["KEEPALIVE_IDLE"]),
        go_live_max_amount=_minor_units(values["GO_LIVE_MAX_AMOUNT"]),
    )


def _approval_policy(values: Mapping[str, Any]) -> ApprovalPolicy:
    return ApprovalPolicy(
        limits=_minor_units(values["APPROVAL_LIMITS"]),
        batch_limits=_minor_units(values["APPROVAL_BATCH_LIMITS"]),
        day_limits=_minor_units(values["APPROVAL_DAY_LIMITS"]),
        waiting_time=timedelta(days=values["APPROVAL_DAYS"]),
    )


def _client_cert(given: str | PurePath | Sequence[str | PurePath]) -> str | tuple[str, str] | None:
    if isinstance(given, PATH):
        return str(given) or None
    if not given:
        return None
    certificate, key = given
    return str(certificate), str(key)


def _minor_units(limits: Mapping[str, str]) -> dict[str, int]:
    return {code: Money.parse(text, code, allow_zero=True).minor_units for code, text in limits.items()}


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


def _wallet(given: Mapping[str, Any]) -> WalletPolicy:
    profile, base_url = given.get("PROFILE", "test"), given["BASE_URL"].rstrip("/")
    chosen = _with_defaults(given["WALLET"], WALLET_POLICY)
    usual_script = PRODUCTION_PAY_JS if profile == "prod" else f"{base_url}/wallet/pay.js"
    chosen["PAY_JS_URL"] = chosen["PAY_JS_URL"] or usual_script
    chosen["KEY_LIFETIME"] = timedelta(seconds=chosen["KEY_LIFETIME"])
    chosen["LIMITS"] = WalletLimits(**{name.lower(): most for name, most in chosen["LIMITS"].items()})
    return WalletPolicy(
        profile=profile,
        gateway_url=base_url,
        country=given["WALLET"]["COUNTRY"],
        **{name.lower(): _as_tuple(value) for name, value in chosen.items()},
    )


def _with_defaults(given: Mapping[str, Any], known: Mapping[str, Setting]) -> dict[str, Any]:
    return {name: given.get(name, setting.default) for name, setting in known.items()}


def _as_tuple(value: Any) -> Any:  # noqa: ANN401 - any value of a setting
    return tuple(value) if isinstance(value, COLLECTION) else value
