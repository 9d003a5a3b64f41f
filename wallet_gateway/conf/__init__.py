"""Settings: the only module that reads `WALLET_GATEWAY`, lazily, into typed values.

Errors are collected as `Problem`s, each naming its setting and what is expected; the system checks print
them, and `settings()` raises while there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from wallet_gateway.conf.account_rules import Shop, with_address
from wallet_gateway.conf.accounts import AccountsElsewhere
from wallet_gateway.conf.django_tests import HOW_TO_TEST, is_set_by_tests, is_test_run
from wallet_gateway.conf.gateway_rules import SANDBOX_MERCHANT
from wallet_gateway.conf.gateway_settings import GatewaySettings, read_gateway
from wallet_gateway.conf.published_keys import is_published_secret_key
from wallet_gateway.conf.rules import ACCESS_TOKEN_SECONDS, RETENTION_DAYS, live_aliases, problems_of
from wallet_gateway.conf.values import SETTING, Problem
from wallet_gateway.conf.wallet_rules import FERNET_KEYS
from wallet_gateway.domain.approval_policy import NOBODY_ALONE, ApprovalPolicy

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


class GatewaysInSettings:
    """The gateways of a dict in the settings, all of which are right."""

    def __init__(self, gateways: Mapping[str, GatewaySettings]) -> None:
        self._gateways = gateways

    def usable(self) -> Mapping[str, GatewaySettings]:
        """Return all of them."""
        return self._gateways

    def find(self, alias: str) -> GatewaySettings:
        """Return one gateway; raises `ImproperlyConfigured` for an unknown alias."""
        if alias not in self._gateways:
            known = ", ".join(sorted(self._gateways))
            raise ImproperlyConfigured(f"{SETTING}['GATEWAYS'] has no {alias!r}; it has: {known}")
        return self._gateways[alias]

    def problems(self) -> Mapping[str, tuple[Problem, ...]]:
        """Return nothing: settings with a problem are refused as a whole."""
        return {}

    def forget(self) -> None:
        """Do nothing: settings are read once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of this app."""

    public_origin: str
    """Scheme and host by which customers reach the shop; return URLs begin with it."""
    all_gateways: GatewaysInSettings | AccountsElsewhere = field(repr=False)
    fernet_keys: tuple[str, ...] = field(default=(), repr=False)
    """The keys that encrypt stored secrets; the first one encrypts, all of them decrypt."""
    email_keys: tuple[str | bytes, ...] = field(default=(), repr=False)
    """Secrets from which the keys for hashes of e-mail addresses are derived; the first one hashes."""
    health_token: str = field(default="", repr=False)
    """The token with which a monitor identifies itself; empty if the health view requires a permission."""
    csp_report_url: str = ""
    """Where browsers report what our pages' policy has stopped; empty if nowhere."""
    order_admin_url: str = ""
    """Dotted path of the function that names the shop's own page of an order; empty without one."""
    api_origins: frozenset[str] = frozenset()
    """Origins whose pages may call the JSON API with an access token, as browsers write them."""
    access_token_seconds: int = ACCESS_TOKEN_SECONDS
    """How long an access token for an order is valid."""
    retention_days: int = RETENTION_DAYS
    """How long the bodies of requests and answers are kept."""
    continue_origins: tuple[str, ...] = ()
    """Further origins of the shop to which a `continue_url` may lead."""

    @property
    def gateways(self) -> Mapping[str, GatewaySettings]:
        """Return the gateways that can be used now; an account outside the settings may come and go."""
        return self.all_gateways.usable()


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings; raises `ImproperlyConfigured` that names all errors in them."""
    raw = _raw(debug=django_settings.DEBUG)
    found = problems()
    if found:
        lines = [f"{problem.setting}: {problem.expected}" for problem in found]
        if is_test_run() and not is_set_by_tests(raw) and not problems(debug=True):
            lines.append(HOW_TO_TEST)
        raise ImproperlyConfigured("; ".join(lines))
    keys = tuple(raw.get(FERNET_KEYS) or ())
    if not keys and django_settings.DEBUG:
        keys = (_key_of_process(),)
    return Settings(
        public_origin=raw["PUBLIC_ORIGIN"].rstrip("/"),
        all_gateways=_gateways(raw),
        fernet_keys=keys,
        # Not the temporary key: what was hashed with it would not be found after a restart.
        email_keys=(
            *(raw.get(FERNET_KEYS) or ()),
            django_settings.SECRET_KEY,
            *django_settings.SECRET_KEY_FALLBACKS,
        ),
        health_token=raw.get("HEALTH_TOKEN", ""),
        csp_report_url=raw.get("CSP_REPORT_URL", ""),
        order_admin_url=raw.get("ORDER_ADMIN_URL", ""),
        api_origins=frozenset(raw.get("API_ORIGINS", ())),
        access_token_seconds=raw.get("ACCESS_TOKEN_SECONDS", ACCESS_TOKEN_SECONDS),
        retention_days=raw.get("RETENTION_DAYS", RETENTION_DAYS),
        continue_origins=tuple(raw.get("CONTINUE_ORIGINS", ())),
    )


@lru_cache(maxsize=1)
def _key_of_process() -> str:
    """Return a temporary key: data encrypted with it is lost with the process, acceptable in development."""
    from cryptography.fernet import Fernet

    return Fernet.generate_key().decode()


def _gateways(raw: Mapping[str, Any]) -> GatewaysInSettings | AccountsElsewhere:
    given, origin, addresses = raw["GATEWAYS"], raw["PUBLIC_ORIGIN"], raw.get("BASE_URLS", {})
    if isinstance(given, str):
        shop = Shop(
            public_origin=origin,
            addresses=addresses,
            fernet_keys=tuple(raw.get(FERNET_KEYS) or ()),
            debug=django_settings.DEBUG,
            allowed_hosts=tuple(django_settings.ALLOWED_HOSTS),
            published_secret_keys=published_secret_keys(),
            account_hosts=tuple(raw.get("ACCOUNT_HOSTS", ())),
        )
        return AccountsElsewhere(given, shop=shop)
    return GatewaysInSettings(
        {
            alias: read_gateway(alias, with_address(one, addresses), public_origin=origin)
            for alias, one in given.items()
        }
    )


def gateway_settings(alias: str) -> GatewaySettings:
    """Return one gateway's settings; raises `ImproperlyConfigured` if it is unknown or wrong."""
    return settings().all_gateways.find(alias)


def find_gateway(alias: str) -> GatewaySettings | None:
    """Return one gateway's settings; None if it cannot be used, or the settings are wrong."""
    try:
        return gateway_settings(alias)
    except ImproperlyConfigured:
        return None


def known_without_database() -> Mapping[str, GatewaySettings]:
    """Return the gateways of the settings; none where the accounts are elsewhere, such as in a table."""
    known = settings().all_gateways
    return known.usable() if isinstance(known, GatewaysInSettings) else {}


def wrong_accounts() -> Mapping[str, tuple[Problem, ...]]:
    """Return what is wrong with each account outside the settings that cannot be used, by alias.

    Under an empty alias stands why the accounts as a whole cannot be read.
    """
    return settings().all_gateways.problems()


def account_problems() -> Mapping[str, str]:
    """Return the same as one text for each account."""
    found = wrong_accounts().items()
    return {
        alias: "; ".join(f"{one.setting}: {one.expected}" for one in problems) for alias, problems in found
    }


def check_account(alias: str, given: object) -> tuple[Problem, ...]:
    """Return what would be wrong with an account outside the settings, before it is stored.

    Raises `ImproperlyConfigured` where the gateways are in the settings.
    """
    known = settings().all_gateways
    if not isinstance(known, AccountsElsewhere):
        raise ImproperlyConfigured(f"{SETTING}['GATEWAYS'] is a dict, so no account is outside the settings")
    return known.judge(alias, given)


def forget_accounts() -> None:
    """Read accounts outside the settings again at the next use, if they have changed."""
    settings().all_gateways.forget()


def is_origin_assumed() -> bool:
    """Return whether `PUBLIC_ORIGIN` is that of the sandbox's defaults, because nothing is set."""
    return bool(django_settings.DEBUG) and not getattr(django_settings, SETTING, None)


def approval_policy(alias: str) -> ApprovalPolicy:
    """Return one gateway's limits for one person; no limits if the settings have no gateway with that alias.

    To such a gateway nothing can be sent. An account outside the settings may be right again in a moment, so
    until then nobody decides alone.
    """
    try:
        known = settings().all_gateways
    except ImproperlyConfigured:
        return ApprovalPolicy()
    try:
        return known.find(alias).policy.approval_policy
    except ImproperlyConfigured:
        return ApprovalPolicy() if isinstance(known, GatewaysInSettings) else NOBODY_ALONE


def shop_origins(alias: str) -> tuple[str, ...]:
    """Return all origins to which a customer of one gateway may be led from our pages.

    Those of the shop if no usable account has this alias.
    """
    given = find_gateway(alias)
    own = settings().public_origin if given is None else given.public_origin
    return (own, *settings().continue_origins)


def csrf_header() -> str:
    """Return the header in which the project expects a form's token: by default Django's `X-CSRFTOKEN`."""
    return django_settings.CSRF_HEADER_NAME.removeprefix("HTTP_").replace("_", "-")


def trusted_origins() -> Sequence[str]:
    """Return the origins that the project trusts, beside its own, to send its forms."""
    return django_settings.CSRF_TRUSTED_ORIGINS


def problems(*, debug: bool | None = None) -> tuple[Problem, ...]:
    """Return everything that is missing or wrong in the settings, without using network and database.

    With ``debug`` as it would be if `DEBUG` had that value; None takes the project's.
    """
    debug = django_settings.DEBUG if debug is None else debug
    given = getattr(django_settings, SETTING, None)
    if given is not None and not isinstance(given, dict):
        return (Problem(setting=SETTING, expected="a dict with PUBLIC_ORIGIN and GATEWAYS"),)
    raw = _raw(debug=debug)
    return (*problems_of(raw, debug=debug), *_problems_of_secret_keys(raw))


def live_gateways() -> list[str]:
    """Return the aliases of the settings' gateways with the profile 'prod', even if the settings are invalid.

    Accounts outside the settings are not among them.
    """
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
    if setting in {SETTING, "DEBUG", "SECRET_KEY", "SECRET_KEY_FALLBACKS", "ALLOWED_HOSTS"}:
        settings.cache_clear()


setting_changed.connect(_forget)


def _raw(*, debug: bool) -> dict[str, Any]:
    given = getattr(django_settings, SETTING, None)
    if not given and debug:
        return SANDBOX
    return given if isinstance(given, dict) else {}
