"""The setting `WALLET_GATEWAY` as a whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, cast

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from pydantic import Field, PrivateAttr, ValidationInfo, field_validator

from wallet_gateway.conf.account_rules import problems_of_address, with_address
from wallet_gateway.conf.accounts import AccountsElsewhere
from wallet_gateway.conf.gateway_settings import (
    KEYS_NEEDED,
    MAX_DAYS,
    GatewaySettings,
    Keys,
    problems_of_alias,
    read_gateway,
    read_origin,
)
from wallet_gateway.conf.published_keys import published_secret_keys
from wallet_gateway.conf.sections import (
    FERNET_KEYS,
    ITEMS,
    LIVE,
    Context,
    DottedPath,
    Faults,
    Rule,
    Section,
    WrongSettings,
    context_of,
    full_name,
)
from wallet_gateway.conf.values import SETTING, Problem, is_origin
from wallet_gateway.conf.wallet_settings import is_script_address

_MIN_TOKEN_LENGTH, _FEWEST_DIFFERENT = 20, 8
_MAX_ACCESS_TOKEN_SECONDS: Final = 86_400
_HOST_PATTERN = re.compile(r"\*|\.?[a-z0-9_\-.]+|\[[0-9a-f:.]+\]", re.IGNORECASE)
_IN_HEADERS = re.compile(r"[!#-+\--:<-\[\]-~]*")


def _is_hard_to_guess(token: str) -> bool:
    # A repeated letter or a short word several times is a placeholder that was never replaced.
    return not token or (len(token) >= _MIN_TOKEN_LENGTH and len(set(token)) >= _FEWEST_DIFFERENT)


def _is_report_url(value: str) -> bool:
    # It becomes a part of two headers: it may have a query, and nothing that ends a directive or a text.
    return is_script_address(value) and bool(_IN_HEADERS.fullmatch(value))


Origin = Annotated[
    str,
    Rule(
        is_origin,
        "an origin as browsers write it, such as 'https://app.shop.example'; http only on a loopback address",
    ),
]
HostPattern = Annotated[
    str,
    Rule(
        _HOST_PATTERN.fullmatch,
        "a host as in ALLOWED_HOSTS, such as '.shops.example', or '*' if a proxy admits known hosts only",
    ),
]


class Settings(Section):
    """All settings of this app."""

    public_origin: str = Field(default="", validate_default=True)
    """Scheme and host by which customers reach the shop; return URLs begin with it."""
    base_urls: dict[Any, Any] = Field(default_factory=dict, validate_default=True, repr=False)
    own_keys: Keys = Field(default=(), alias=FERNET_KEYS, validate_default=True, repr=False)
    health_token: Annotated[
        str, Rule(_is_hard_to_guess, f"a random text of {_MIN_TOKEN_LENGTH} or more characters, or nothing")
    ] = Field(default="", repr=False)
    """The token with which a monitor identifies itself; empty if the health view requires a permission."""
    csp_report_url: Annotated[
        str, Rule(_is_report_url, "an https URL, or nothing; http only on a loopback address")
    ] = ""
    """Where browsers report what our pages' policy has stopped; empty if nowhere."""
    order_admin_url: DottedPath = ""
    """Dotted path of the function that names the shop's own page of an order; empty without one."""
    api_origins: Annotated[tuple[Origin, ...], ITEMS] = ()
    """Origins whose pages may call the JSON API with an access token, as browsers write them."""
    account_hosts: Annotated[tuple[HostPattern, ...], ITEMS] = ()
    """The allowed hosts to which an account outside the settings may lead."""
    access_token_seconds: Annotated[
        int,
        Rule(
            range(60, _MAX_ACCESS_TOKEN_SECONDS + 1).__contains__,
            f"60 to {_MAX_ACCESS_TOKEN_SECONDS} seconds: a token that somebody else has read must end",
        ),
    ] = 3600
    """How long an access token for an order is valid."""
    retention_days: Annotated[
        int,
        Rule(range(1, MAX_DAYS + 1).__contains__, f"a whole number of days above zero, at most {MAX_DAYS}"),
    ] = 400
    """How long bodies are kept: a year for disputes, and some days to investigate the last one."""
    continue_origins: Annotated[tuple[Origin, ...], ITEMS] = ()
    """Further origins of the shop to which a `continue_url` may lead."""
    given_gateways: Any = Field(default=None, alias="GATEWAYS", validate_default=True, repr=False)
    """The gateways by alias, or the dotted path of the accounts elsewhere."""
    _elsewhere: AccountsElsewhere | None = PrivateAttr(None)

    @field_validator("public_origin", mode="plain")
    @classmethod
    def _origin(cls, value: object, info: ValidationInfo) -> str:
        return read_origin(value, debug=context_of(info).debug, live=context_of(info).live)

    @field_validator("base_urls")
    @classmethod
    def _addresses(cls, value: dict[Any, Any], info: ValidationInfo) -> dict[Any, Any]:
        if not value and isinstance(context_of(info).given.get("GATEWAYS"), str):
            raise ValueError("a dict with an address by name, because accounts outside the settings name one")
        problems: list[Problem] = []
        for name, given in value.items():
            where = full_name("", name)
            problems += problems_of_alias(where, name, "a name")
            problems += problems_of_address(where, given, debug=context_of(info).debug)
        if problems:
            raise Faults(problems)
        return value

    @field_validator("own_keys")
    @classmethod
    def _keys_are_given(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        context = context_of(info)
        if not value and not context.debug and _needs_keys(context.given.get("GATEWAYS")):
            raise ValueError(KEYS_NEEDED)
        return value

    @field_validator("given_gateways", mode="plain")
    @classmethod
    def _gateways(cls, value: object, info: ValidationInfo) -> str | Mapping[str, GatewaySettings]:
        if isinstance(value, str):
            return _source(value)
        if not isinstance(value, dict) or not value:
            hint = "; only with DEBUG on, an empty setting means the sandbox"
            raise ValueError(f"a dict with a gateway under 'default'{'' if context_of(info).given else hint}")
        addresses, origin = context_of(info).given.get("BASE_URLS"), info.data.get("public_origin", "")
        found: dict[str, GatewaySettings] = {}
        problems: list[Problem] = []
        for alias, given in value.items():
            where, whole = full_name("", alias), with_address(given, addresses)
            problems += problems_of_alias(where, alias)
            try:
                found[alias] = read_gateway(
                    where, alias, whole, debug=context_of(info).debug, public_origin=origin
                )
            except WrongSettings as wrong:
                problems += wrong.problems
        if problems:
            raise Faults(problems)
        return found

    def model_post_init(self, _context: Context) -> None:
        """Find the accounts outside the settings, of which nothing is read yet."""
        if isinstance(self.given_gateways, str):
            self._elsewhere = AccountsElsewhere(self.given_gateways, shop=self)

    @property
    def elsewhere(self) -> AccountsElsewhere | None:
        """The accounts outside the settings; None where the gateways are in the settings."""
        return self._elsewhere

    @property
    def gateways(self) -> Mapping[str, GatewaySettings]:
        """The gateways that can be used now; an account outside the settings may come and go."""
        if self._elsewhere is not None:
            return self._elsewhere.usable()
        return cast(Mapping[str, GatewaySettings], self.given_gateways)

    def find(self, alias: str) -> GatewaySettings:
        """Return one gateway; raises `ImproperlyConfigured` if it is unknown or wrong."""
        if self._elsewhere is not None:
            return self._elsewhere.find(alias)
        if alias not in self.gateways:
            known = ", ".join(sorted(self.gateways))
            raise ImproperlyConfigured(f"{SETTING}['GATEWAYS'] has no {alias!r}; it has: {known}")
        return self.gateways[alias]

    @property
    def fernet_keys(self) -> tuple[str, ...]:
        """The keys that encrypt stored secrets; the first one encrypts, all of them decrypt."""
        return self.own_keys or ((_key_of_process(),) if django_settings.DEBUG else ())

    @property
    def email_keys(self) -> tuple[str | bytes, ...]:
        """Secrets from which the keys for hashes of e-mail addresses are derived; the first one hashes."""
        # Not the temporary key: what was hashed with it would not be found after a restart.
        return (*self.own_keys, django_settings.SECRET_KEY, *django_settings.SECRET_KEY_FALLBACKS)


@lru_cache(maxsize=1)
def _key_of_process() -> str:
    """Return a temporary key: data encrypted with it is lost with the process, acceptable in development."""
    from cryptography.fernet import Fernet

    return Fernet.generate_key().decode()


def _source(path: str) -> str:
    """Check what a dotted path leads to; not what is in it, which may be in a database."""
    try:
        source = import_string(path)
    except ImportError:
        source = None
    if not callable(source) and not isinstance(source, Mapping):
        raise ValueError("a dict, or the dotted path of a mapping or of a callable that returns one")
    return path


def _needs_keys(gateways: object) -> bool:
    """Return whether a gateway in these settings has a wallet button and no keys of its own."""
    given = gateways.values() if isinstance(gateways, dict) else ()
    own = [one for one in given if isinstance(one, dict)]
    return any(one.get("WALLET") is not None and not one.get(FERNET_KEYS) for one in own)


def live_aliases(gateways: object) -> list[str]:
    """Return the aliases of the gateways in these settings that have the live profile."""
    found = gateways.items() if isinstance(gateways, dict) else ()
    return [str(alias) for alias, given in found if isinstance(given, dict) and given.get("PROFILE") == LIVE]


def read_settings(given: object, *, debug: bool) -> Settings:
    """Return the settings; raises `WrongSettings` with everything that is missing or wrong in them.

    Uses neither the network nor a database.

    :param debug: what to take `DEBUG` for.
    """
    if not isinstance(given, dict):
        raise WrongSettings([Problem(setting=SETTING, expected="a dict with PUBLIC_ORIGIN and GATEWAYS")])
    live, found = bool(live_aliases(given.get("GATEWAYS"))), None
    problems: list[Problem] = []
    try:
        found = Settings.from_given(SETTING, given, Context(given=given, debug=debug, live=live))
    except WrongSettings as wrong:
        problems += wrong.problems
    # With such a key anybody could sign return addresses of real payments.
    expected = "a secret of your own, because a gateway has the profile 'prod'"
    problems += [Problem(setting=name, expected=expected) for name in published_secret_keys() if live]
    if found is None or problems:
        raise WrongSettings(problems)
    return found
