"""Settings: the only module that reads `WALLET_GATEWAY`, lazily, into typed values.

Errors are collected as `Problem`s, each naming its setting and what is expected; the system checks print
them, and `settings()` raises while there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from wallet_gateway.conf.django_tests import HOW_TO_TEST, is_set_by_tests, is_test_run
from wallet_gateway.conf.fields import SETTING, Problem, WrongSettings
from wallet_gateway.conf.model import SANDBOX_MERCHANT, Context, GatewaySettings, Settings
from wallet_gateway.domain.policy import NOBODY_ALONE, ApprovalPolicy

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


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings; raises `ImproperlyConfigured` that names all errors in them."""
    try:
        return Settings.read(_raw(debug=django_settings.DEBUG), debug=django_settings.DEBUG)
    except WrongSettings as wrong:
        said = str(wrong)
    if is_test_run() and not is_set_by_tests(_raw(debug=False)) and not problems(debug=True):
        said += f"; {HOW_TO_TEST}"
    raise ImproperlyConfigured(said)


def gateway_settings(alias: str) -> GatewaySettings:
    """Return one gateway's settings; raises `ImproperlyConfigured` if it is unknown or wrong."""
    return settings().find(alias)


def find_gateway(alias: str) -> GatewaySettings | None:
    """Return one gateway's settings; None if it cannot be used, or the settings are wrong."""
    try:
        return gateway_settings(alias)
    except ImproperlyConfigured:
        return None


def wrong_accounts() -> Mapping[str, str]:
    """Return what is wrong with each account outside the settings that cannot be used, by alias.

    Under an empty alias stands why the accounts as a whole cannot be read.
    """
    elsewhere = settings().elsewhere
    found = {} if elsewhere is None else elsewhere.problems()
    return {alias: "; ".join(map(str, problems)) for alias, problems in found.items()}


def check_account(alias: str, given: object) -> tuple[Problem, ...]:
    """Return what would be wrong with an account outside the settings, before it is stored.

    Raises `ImproperlyConfigured` where the gateways are in the settings.
    """
    elsewhere = settings().elsewhere
    if elsewhere is None:
        raise ImproperlyConfigured(f"{SETTING}['GATEWAYS'] is a dict, so no account is outside the settings")
    return elsewhere.judge(alias, given).problems


def forget_accounts() -> None:
    """Read accounts outside the settings again at the next use, if they have changed."""
    if (elsewhere := settings().elsewhere) is not None:
        elsewhere.forget()


def is_origin_assumed() -> bool:
    """Return whether `PUBLIC_ORIGIN` is that of the sandbox's defaults, because nothing is set."""
    return bool(django_settings.DEBUG) and not getattr(django_settings, SETTING, None)


def approval_policy(alias: str) -> ApprovalPolicy:
    """Return one gateway's limits for one person; no limits if the settings have no gateway with that alias.

    To such a gateway nothing can be sent. An account outside the settings may be right again in a moment, so
    until then nobody decides alone.
    """
    if (given := find_gateway(alias)) is not None:
        return given.policy.approval_policy
    whole = _raw(debug=django_settings.DEBUG)
    is_elsewhere = isinstance(whole, dict) and isinstance(whole.get("GATEWAYS"), str)
    return NOBODY_ALONE if is_elsewhere else ApprovalPolicy()


def shop_origins(alias: str) -> tuple[str, ...]:
    """Return all origins to which a customer of one gateway may be led from our pages.

    Those of the shop if no usable account has this alias.
    """
    given = find_gateway(alias)
    own = settings().public_origin if given is None else given.public_origin
    return (own, *settings().continue_origins)


def problems(*, debug: bool | None = None) -> tuple[Problem, ...]:
    """Return everything that is missing or wrong in the settings, without using network and database.

    With ``debug`` as it would be if `DEBUG` had that value; None takes the project's.
    """
    debug = django_settings.DEBUG if debug is None else debug
    try:
        Settings.read(_raw(debug=debug), debug=debug)
    except WrongSettings as wrong:
        return wrong.problems
    return ()


def live_gateways() -> list[str]:
    """Return the aliases of the settings' gateways with the profile 'prod', even if the settings are invalid.

    Accounts outside the settings are not among them.
    """
    given = _raw(debug=django_settings.DEBUG)
    return Context(given=given, debug=False).live_aliases() if isinstance(given, dict) else []


def _forget(*, setting: str, **_: object) -> None:
    if setting in {SETTING, "DEBUG", "SECRET_KEY", "SECRET_KEY_FALLBACKS", "ALLOWED_HOSTS"}:
        settings.cache_clear()


setting_changed.connect(_forget)


def _raw(*, debug: bool) -> object:
    given = getattr(django_settings, SETTING, None)
    return given or (SANDBOX if debug else {})
