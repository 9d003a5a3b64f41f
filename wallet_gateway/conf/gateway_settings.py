"""The settings of one gateway, by its alias."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from pathlib import PurePath
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from django.utils.module_loading import import_string
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.proxy import FROM_ENVIRONMENT, is_loopback, is_proxy
from wallet_gateway.conf.django_tests import is_set_by_tests
from wallet_gateway.conf.published_keys import is_published_fernet_key
from wallet_gateway.conf.sections import (
    AS_DICT,
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
from wallet_gateway.conf.values import (
    Problem,
    has_dot_segment,
    holds_certificates,
    import_fault,
    is_client_certificate,
    is_fernet_key,
    is_local,
    split_address,
    unknown_name,
    unreadable_file,
)
from wallet_gateway.conf.wallet_settings import WalletSettings
from wallet_gateway.domain.evidence import KNOWN_TYPES
from wallet_gateway.domain.policy import (
    ApprovalPolicy,
    BookElsewhere,
    CapturePolicy,
    CaptureWindow,
    GatewayAddress,
    GatewayPolicy,
    LatePaymentPolicy,
    WalletPolicy,
    sandbox_address,
)
from wallet_gateway.domain.polling_schedule import LEASE
from wallet_gateway.protocol.codes import check_currency
from wallet_gateway.protocol.endpoints import ENDPOINTS
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money

SANDBOX_MERCHANT: Final = "SANDBOX-MERCHANT"
"""The sandbox's built-in merchant; no provider allocates that id."""
MAX_IDENTIFIER_LENGTH: Final = 255
"""The longest that the interface takes, and the length of the columns."""
KEYS_NEEDED: Final = "a list of Fernet keys, the first of which encrypts, because a gateway has a WALLET"
PUBLISHED_KEY: Final = "a key of your own in profile 'prod', not one that is printed in public files"
MAX_DAYS: Final = 36_500
"""A hundred years: the limit for safe calculations with any date."""
MAX_ALIAS_LENGTH: Final = 32
"""The length of the column in which rows name their gateway."""
_MAX_TIMEOUT, _MAX_IDLE = int(LEASE.total_seconds()), 3600
_MIN_QUERY_RATE, _MAX_QUERY_RATE, _MAX_QUERY_WORKERS, _MAX_QUERY_AGAIN_DAYS = 0.1, 1_000_000, 64, 3650
_ALIAS = re.compile(rf"[a-z0-9_-]{{1,{MAX_ALIAS_LENGTH}}}")
_PATHS = sorted(endpoint.name for endpoint in ENDPOINTS)


def is_alias(value: object) -> bool:
    """Return whether a value may name a gateway.

    Lower case only, because a database that folds case would treat two aliases as one.
    """
    return isinstance(value, str) and bool(_ALIAS.fullmatch(value))


def problems_of_alias(where: str, alias: object, what: str = "an alias") -> list[Problem]:
    """Return what is wrong with the name of a gateway or an address; nothing if it is right."""
    expected = f"{what} of 1 to {MAX_ALIAS_LENGTH} of a-z 0-9 _ -"
    return [] if is_alias(alias) else [Problem(setting=where, expected=expected)]


def read_origin(origin: object, *, debug: bool, live: bool) -> str:
    """Return the scheme and host by which customers reach the shop; raises ValueError with what is expected.

    That of a live server in tests may have any host over http, such as for a browser in a container.
    """
    url = split_address(origin)
    if url is None or url.path.strip("/"):
        raise ValueError("scheme and host of the shop, such as 'https://shop.example'")
    if live and (url.scheme != "https" or is_local(url.hostname)):
        raise ValueError("https and a host that customers reach, because a gateway has the profile 'prod'")
    if url.scheme != "https" and not (debug or is_loopback(url.hostname) or is_set_by_tests(origin)):
        raise ValueError("https, because payment results come back to it")
    return str(origin).rstrip("/")


def _fernet_key(key: object, info: ValidationInfo) -> object:
    if not is_fernet_key(key):
        raise ValueError("a key as made by cryptography.fernet.Fernet.generate_key(), and no placeholder")
    if context_of(info).live and is_published_fernet_key(key):
        raise ValueError(PUBLISHED_KEY)
    return key


def _keys(given: object) -> object:
    if not given and (given is None or isinstance(given, set | frozenset)):
        return ()
    if not isinstance(given, list | tuple):
        raise ValueError("a list or tuple of Fernet keys, the first of which encrypts")
    return tuple(given)


def _is_line(text: str) -> bool:
    return len(text) <= MAX_IDENTIFIER_LENGTH and text.isprintable()


def _is_currency(value: str) -> bool:
    try:
        return check_currency(value) == value
    except ProtocolError:
        return False


def _is_host(value: str) -> bool:
    return value != "" and not set(value) & set("/@?#\\ ")


def _are_secrets(values: Mapping[Any, Any]) -> bool:
    return all(isinstance(name, str) and isinstance(value, str) for name, value in values.items())


def _minor_units(limits: Mapping[Any, Any]) -> dict[str, int]:
    """Return amounts in minor units; only texts, because a number's minor units would be a guess."""
    expected = "a currency's code and an amount of it as text, such as 'EUR': '500.00'"
    found: dict[str, int] = {}
    faults: list[Problem] = []
    for currency, amount in limits.items():
        try:
            parsed = Money.parse(amount, currency, allow_zero=True) if isinstance(amount, str) else None
        except (ProtocolError, TypeError, AttributeError):
            parsed = None
        if parsed is None or parsed.currency != currency:
            faults.append(Problem(setting=full_name("", currency), expected=expected))
        else:
            found[currency] = parsed.minor_units
    if faults:
        raise Faults(faults)
    return found


def _base_url(given: object, info: ValidationInfo) -> str:
    url, live = split_address(given), context_of(info).live
    if url is None:
        raise ValueError("an absolute https URL")
    if has_dot_segment(url.path):
        raise ValueError("an https URL whose path has no step . or ..")
    if live and is_local(url.hostname):
        raise ValueError("the provider's address in profile 'prod', not this machine or its own network link")
    if url.scheme != "https" and (live or not is_loopback(url.hostname)):
        raise ValueError("https; plain http only for a loopback address in profile 'test'")
    return str(given)


def _client_class(path: str) -> str:
    fault = import_fault(path) if path else ""
    found = import_string(path) if path and not fault else Gateway
    if fault or not (isinstance(found, type) and issubclass(found, Gateway)):
        fault = fault or f"{path!r} is another one"
        raise ValueError(f"the dotted path of a subclass of wallet_gateway.client.gateway.Gateway; {fault}")
    return path


def _ca_file(given: object) -> str | None:
    if not isinstance(given, str | PurePath):
        raise ValueError(f"a path, not {type(given).__name__}")
    if not str(given):
        return None
    wrong = unreadable_file(given) or ("" if holds_certificates(given) else f"{given} holds no certificate")
    if wrong:
        raise ValueError(f"a PEM file of the authorities to trust; {wrong}")
    return str(given)


def _client_cert(given: object) -> str | tuple[str, str] | None:
    if not isinstance(given, str | PurePath | list | tuple):
        raise ValueError(f"a path, or a pair of paths: certificate and key, not {type(given).__name__}")
    if not given:
        return None
    if isinstance(given, str | PurePath):
        _check_certificate(given)
        return str(given)
    if len(given) != 2 or not all(path and isinstance(path, str | PurePath) for path in given):
        raise ValueError("a pair is the path of the certificate and the path of its key")
    _check_certificate(*given)
    return str(given[0]), str(given[1])


def _check_certificate(*paths: str | PurePath) -> None:
    wrong = next(filter(None, map(unreadable_file, paths)), "")
    if not wrong and not is_client_certificate(*paths):
        wrong = "the certificate and its key do not fit, one of them is missing, or the key is encrypted"
    if wrong:
        raise ValueError(f"a PEM file with certificate and key, or a pair of files; {wrong}")


def _paths(given: Mapping[Any, Any]) -> Mapping[str, str]:
    faults: list[Problem] = []
    for name, path in given.items():
        if name not in _PATHS:
            faults.append(Problem(setting=full_name("", name), expected=unknown_name(name, _PATHS)))
        elif not isinstance(path, str) or not path.startswith("/") or has_dot_segment(path):
            expected = "a path that begins with / and has no step . or .."
            faults.append(Problem(setting=full_name("", name), expected=expected))
    if faults:
        raise Faults(faults)
    return given


def _between(least: float, most: float, words: str) -> Rule:
    return Rule(lambda number: least <= number <= most, words.format(least=least, most=most))


FernetKey = Annotated[str, BeforeValidator(_fernet_key)]
Keys = Annotated[tuple[FernetKey, ...], BeforeValidator(_keys)]
Seconds = Annotated[
    float,
    Rule(
        lambda seconds: 0 < seconds <= _MAX_TIMEOUT,
        f"seconds above zero, at most {_MAX_TIMEOUT}: a sender that takes longer counts as dead",
    ),
]
Days = Annotated[
    float, Rule(lambda days: 0 < days <= MAX_DAYS, f"a number of days above zero, at most {MAX_DAYS}")
]
Allocated = Annotated[
    str,
    Rule(str.strip, "a text that is not empty"),
    Rule(_is_line, f"one line of 1 to {MAX_IDENTIFIER_LENGTH} characters"),
]
Identifier = Annotated[str, Rule(_is_line, f"one line of at most {MAX_IDENTIFIER_LENGTH} characters")]
Amounts = Annotated[dict[Any, Any], AfterValidator(_minor_units)]
"""Minor units by currency."""
Currency = Annotated[str, Rule(_is_currency, "an ISO 4217 code such as 'EUR'")]
Host = Annotated[
    str, Rule(_is_host, "a host without scheme and path, such as 'pay.example' or 'pay.example:8443'")
]
UnknownType = Annotated[
    str,
    Rule(
        lambda value: value and value.lower() not in KNOWN_TYPES,
        "a type of status records that the interface does not name",
    ),
]


class Timeout(Section):
    """How long a call waits, in seconds."""

    connect: Seconds = 3.0
    read: Seconds = 20.0
    total: Seconds = 30.0
    idle: Annotated[float, _between(0, _MAX_IDLE, "{least} to {most} seconds")] = 5.0

    @staticmethod
    def named(given: object) -> object:
        """Return the dict that a number stands for: so long may one wait take, and the whole call."""
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        return {"READ": given, "TOTAL": given} if is_number else given


class Queries(Section):
    """How a sweep asks for the status of payments."""

    rate: Annotated[
        float,
        _between(
            _MIN_QUERY_RATE,
            _MAX_QUERY_RATE,
            "{least} to {most} queries a second: a slower gateway would hold up the sweep of all others",
        ),
    ] = 5.0
    workers: Annotated[int, _between(1, _MAX_QUERY_WORKERS, "{least} to {most} threads")] = 1
    again_days: Annotated[int, _between(0, _MAX_QUERY_AGAIN_DAYS, "{least} to {most} days")] = 180


class Capture(Section):
    """How long an authorization can be captured, and what happens before it expires."""

    days: Days = 7
    warning_days: Days = 2
    policy: Literal["ask", "capture", "reverse"] = "ask"


class Approvals(Section):
    """Above which amounts one person alone may not give money back."""

    limits: Amounts = Field(default_factory=dict)
    day_limits: Amounts = Field(default_factory=dict)
    days: Days = 7


class GatewaySettings(Section):
    """The settings of one gateway, by its alias."""

    profile: Literal["test", "prod"] = "test"
    base_url: Annotated[str, PlainValidator(_base_url)] = Field(default="", validate_default=True)
    merchant_id: Allocated
    store_id: Allocated
    user_id: Allocated = Field(repr=False)
    provider: Allocated
    skin_id: Identifier = ""
    provider_merchant_id: Identifier = ""
    redirect_url_timeout: Annotated[
        int,
        _between(60, 900, "{least} to {most} seconds: an order must not stay payable for ever"),
    ] = 900
    redirect_hosts: Annotated[tuple[Host, ...], ITEMS] = ()
    public_origin: str = Field(default="", validate_default=True)
    """Scheme and host by which customers reach the shop of this gateway; return URLs begin with it."""
    auth: DottedPath = ""
    """Dotted path of the callable that signs requests; empty if no header is needed."""
    auth_secrets: Annotated[dict[Any, Any], Rule(_are_secrets, "a dict with a text under each name")] = Field(
        default_factory=dict, repr=False
    )
    """What `auth` signs with, by names that the shop has chosen."""
    fernet_keys: Keys = Field(default=(), repr=False)
    """The keys of this gateway alone for its stored secrets, before those of the shop; empty without any."""
    client_class: Annotated[str, AfterValidator(_client_class)] = ""
    """Dotted path of the shop's own subclass of the client; empty for the client itself."""
    ca_file: Annotated[str | None, PlainValidator(_ca_file)] = None
    """PEM file of the certificate authorities to trust instead of the default ones."""
    client_cert: Annotated[str | tuple[str, str] | None, PlainValidator(_client_cert)] = None
    """PEM file of our certificate and its key, or one file for each."""
    proxy: Annotated[
        str | None,
        Rule(
            lambda proxy: not proxy or is_proxy(proxy),
            "the address of a proxy such as 'http://user:password@proxy.example:3128', None for no proxy, "
            "or '' for that of the environment",
        ),
    ] = Field(default=FROM_ENVIRONMENT, repr=False)
    """The address of a proxy, with its password; empty for that of the environment, None for no proxy."""
    paths: Annotated[dict[Any, Any], AfterValidator(_paths)] = Field(default_factory=dict)
    timeout: Annotated[Timeout, AS_DICT, BeforeValidator(Timeout.named)] = Field(default_factory=Timeout)
    queries: Annotated[Queries, AS_DICT] = Field(default_factory=Queries)
    billing_address_required: bool = False
    currencies: (
        Annotated[tuple[Currency, ...], ITEMS, Rule(bool, "one currency at least, or None for all")] | None
    ) = None
    numbering: Annotated[
        str,
        Rule(
            lambda name: not name or is_alias(name),
            f"a name of 1 to {MAX_ALIAS_LENGTH} of a-z 0-9 _ -, or nothing",
        ),
    ] = ""
    shares_references: bool = False
    book_elsewhere: Literal["ask", "book"] = "ask"
    late_payment: Literal["report", "accept"] = "report"
    ignored_record_types: Annotated[tuple[UnknownType, ...], ITEMS] = ()
    sending_enabled: bool = True
    capture: Annotated[Capture, AS_DICT] = Field(default_factory=Capture)
    approvals: Annotated[Approvals, AS_DICT] = Field(default_factory=Approvals)
    wallet_settings: Annotated[WalletSettings, AS_DICT] | None = Field(default=None, alias="WALLET")
    _alias: str = PrivateAttr("")

    def model_post_init(self, context: Context) -> None:
        """Keep the alias, under which the settings stand."""
        self._alias = context.alias

    @field_validator("merchant_id")
    @classmethod
    def _merchant_is_the_providers(cls, value: str, info: ValidationInfo) -> str:
        if context_of(info).live and value == SANDBOX_MERCHANT:
            raise ValueError("the provider's own in profile 'prod', not that of the sandbox's merchant")
        return value

    @field_validator("redirect_hosts")
    @classmethod
    def _hosts_are_public(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if context_of(info).live and any(is_local(urlsplit(f"//{host}").hostname) for host in value):
            raise ValueError("hosts that customers reach in profile 'prod'")
        return value

    @field_validator("public_origin", mode="wrap")
    @classmethod
    def _origin_of_the_shop_or_its_own(
        cls, value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> str:
        if not handler(value):
            return str(context_of(info).public_origin)
        return read_origin(value, debug=context_of(info).debug, live=context_of(info).live)

    @property
    def alias(self) -> str:
        """The name of the gateway in the settings."""
        return self._alias

    @cached_property
    def account(self) -> MerchantAccount:
        """The merchant's account, as it is sent."""
        return MerchantAccount(
            merchant_id=self.merchant_id,
            store_id=self.store_id,
            user_id=self.user_id,
            provider=self.provider,
            profile=self.profile,
            skin_id=self.skin_id or None,
            provider_merchant_id=self.provider_merchant_id or None,
            redirect_url_timeout=self.redirect_url_timeout,
        )

    @cached_property
    def wallet(self) -> WalletPolicy | None:
        """The wallet button; None for a gateway without a button."""
        if self.wallet_settings is None:
            return None
        return self.wallet_settings.policy(profile=self.profile, gateway_url=self.base_url.rstrip("/"))

    @cached_property
    def policy(self) -> GatewayPolicy:
        """The shop's choices for this gateway."""
        url = urlsplit(self.base_url)
        is_sandbox = self.merchant_id == SANDBOX_MERCHANT and is_loopback(url.hostname)
        hosts = self.redirect_hosts or (url.netloc,)
        return GatewayPolicy(
            address=sandbox_address(self.base_url) if is_sandbox else GatewayAddress(self.base_url),
            numbering=self.numbering,
            sending=self.sending_enabled,
            query_rate=self.queries.rate,
            query_workers=self.queries.workers,
            query_again=timedelta(days=self.queries.again_days),
            shares_references=self.shares_references,
            book_elsewhere=BookElsewhere(self.book_elsewhere),
            late_payment=LatePaymentPolicy(self.late_payment),
            ignored_record_types=frozenset(name.lower() for name in self.ignored_record_types),
            redirect_hosts=frozenset(host.lower() for host in hosts),
            allow_plain_http=url.scheme == "http",
            billing_address_required=self.billing_address_required,
            currencies=None if self.currencies is None else frozenset(self.currencies),
            capture_window=CaptureWindow(
                length=timedelta(days=self.capture.days),
                warning=timedelta(days=self.capture.warning_days),
                policy=CapturePolicy(self.capture.policy),
            ),
            approval_policy=ApprovalPolicy(
                limits=self.approvals.limits,
                day_limits=self.approvals.day_limits,
                waiting_time=timedelta(days=self.approvals.days),
            ),
        )


def read_gateway(
    where: str, alias: str, given: object, *, debug: bool, public_origin: str
) -> GatewaySettings:
    """Return one gateway's settings; raises `WrongSettings` with everything that is missing or wrong.

    :param public_origin: the shop's, for a gateway that has none of its own.
    """
    if not isinstance(given, dict):
        raise WrongSettings([Problem(setting=where, expected="a dict")])
    live = given.get("PROFILE") == LIVE
    context = Context(given=given, debug=debug, live=live, alias=alias, public_origin=public_origin)
    return GatewaySettings.from_given(where, given, context)
