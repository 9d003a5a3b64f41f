"""The setting `WALLET_GATEWAY`: one model, whose fields carry their rules (see `fields.py`).

Read it from the end: `Settings` has gateways, a gateway has a wallet. What a rule needs of other fields it
takes from those that stand before it, and of the whole setting from the `Context`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property, lru_cache
from typing import Annotated, Any, Final, Literal, Self, cast
from urllib.parse import urlsplit

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from wallet_gateway.client.exchange import MerchantAccount
from wallet_gateway.client.transport import FROM_ENVIRONMENT, is_loopback, is_proxy
from wallet_gateway.conf import fields
from wallet_gateway.conf.accounts import AccountsElsewhere, with_address
from wallet_gateway.conf.django_tests import is_set_by_tests
from wallet_gateway.conf.fields import AS_DICT, SETTING, Problem, Rule, Section, WrongSettings, part
from wallet_gateway.domain import policy as policies
from wallet_gateway.domain.polling_schedule import LEASE
from wallet_gateway.protocol.accounts import CardNetwork

SANDBOX_MERCHANT: Final = "SANDBOX-MERCHANT"
"""The sandbox's built-in merchant; no provider allocates that id."""
REDIRECT: Final = "redirect"
"""3-D Secure on a page of the gateway: the default of `THREE_D_SECURE`."""
PRODUCTION_PAY_JS: Final = "https://pay.google.com/gp/p/js/pay.js"
LIVE: Final = "prod"
"""The value of `PROFILE` with which real money moves."""
_MERCHANT_NO = re.compile(r"[!-~]{12,18}")
_MAX_TIMEOUT = int(LEASE.total_seconds())
_UNSAID: Final[Mapping[str, Any]] = {
    "MERCHANT_ID": "M",
    "STORE_ID": "S",
    "USER_ID": "U",
    "PROVIDER": "P",
    "WALLET": {"COUNTRY": "DE", "MERCHANT_NO": "0" * 12},
}
"""What an address leaves to its accounts, so that it can be read as a gateway is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The whole setting, and `DEBUG`, by which some of its parts are judged."""

    given: Mapping[str, Any] = field(repr=False)
    debug: bool

    def gateways(self) -> Mapping[object, Mapping[str, Any]]:
        """Return the gateways as they were given; one that is not a dict is left out."""
        given = self.given.get("GATEWAYS")
        found = given.items() if isinstance(given, dict) else ()
        return {alias: one for alias, one in found if isinstance(one, dict)}

    def live_aliases(self) -> list[str]:
        """Return the aliases of the gateways with which real money moves."""
        return [str(alias) for alias, one in self.gateways().items() if one.get("PROFILE") == LIVE]


def _context(info: ValidationInfo) -> Context:
    return cast(Context, info.context)


def _is_live(info: ValidationInfo) -> bool:
    """Return whether the gateway that is read moves real money; its profile is its first field."""
    return info.data.get("profile") == LIVE


def _origin(origin: object, *, debug: bool, live: bool) -> str:
    """Return the scheme and host by which customers reach the shop.

    That of a live server in tests may have any host over http, such as for a browser in a container.
    """
    url = fields.split_address(origin)
    if url is None or url.path.strip("/"):
        raise ValueError("scheme and host of the shop, such as 'https://shop.example'")
    if live and (url.scheme != "https" or fields.is_local(url.hostname)):
        raise ValueError("https and a host that customers reach, because a gateway has the profile 'prod'")
    if url.scheme != "https" and not (debug or is_loopback(url.hostname) or is_set_by_tests(origin)):
        raise ValueError("https, because payment results come back to it")
    return str(origin).rstrip("/")


# The wallet button of a gateway

Limit = Annotated[int, fields.between(1, 1000, "uses: each of them reads all attempts of its order")]


class Cards(Section):
    """Which cards the sheet offers."""

    networks: Annotated[
        fields.Listed[fields.Network], Rule(bool, f"one or more of {', '.join(CardNetwork)}")
    ] = tuple(network.value for network in CardNetwork)
    prepaid: bool = True
    credit: bool = True


class HostedScript(Section):
    """A wallet.js that is hosted elsewhere."""

    url: Annotated[fields.ScriptAddress, Rule(bool, "the address of the script")] = Field(
        description="the address of the script"
    )
    integrity: fields.Hashes = ""
    cors: bool = False


class Billing(Section):
    """What the sheet asks of the billing address."""

    address: Literal["", "MIN", "FULL"] = ""
    phone: bool = False


class Shipping(Section):
    """What the sheet asks of the shipping address."""

    address: bool = False
    phone: bool = False
    countries: fields.Listed[fields.Country] = ()


class Button(Section):
    """How the wallet draws the button."""

    color: Literal["default", "black", "white"] = "default"
    type: Literal[
        "buy", "book", "checkout", "donate", "order", "pay", "plain", "subscribe", "long", "short"
    ] = "buy"
    locale: fields.Line = ""
    size_mode: Literal["fill", "static"] = "fill"


class Limits(Section):
    """How often the button of one order may be used; what else is counted follows from these."""

    sessions: Limit = policies.WalletLimits().sessions
    authorizations: Limit = policies.WalletLimits().authorizations


def _script(given: object) -> object:
    """Return the dict that the address of a script stands for."""
    return ({"URL": given} if given else None) if isinstance(given, str) else given


def _authenticator(value: str) -> str:
    if value == REDIRECT:
        return ""
    if fields.import_fault(value):
        raise ValueError(f"{REDIRECT!r} or the dotted path of a callable")
    return value


def _phone_of_address(value: Billing | Shipping, info: ValidationInfo) -> Billing | Shipping:
    # The shop's function may ask for the address of some orders.
    if value.phone and not value.address and not info.data.get("button_overrides"):
        fields.refuse({("PHONE",): "False unless ADDRESS is asked for, because the number is part of it"})
    return value


class WalletSettings(Section):
    """The button of one gateway."""

    country: fields.Country
    gateway_name: Annotated[
        str, Rule(re.compile(r"[A-Za-z0-9_.-]{1,64}").fullmatch, "the name the wallet knows it by")
    ] = "examplegateway"
    merchant_no: fields.Line = ""
    merchant_name: fields.Line = ""
    cards: Cards = part(Cards)
    pay_js_url: fields.ScriptAddress = ""
    wallet_js: Annotated[Annotated[HostedScript, AS_DICT] | None, BeforeValidator(_script)] = None
    trusted_types: fields.Listed[fields.PolicyName] | None = None
    three_d_secure: Annotated[str, AfterValidator(_authenticator)] = ""
    """The dotted path of the shop's own 3-D Secure; empty if the gateway does it."""
    accept_unauthenticated: bool = False
    pricing: fields.DottedPath = ""
    button_overrides: fields.DottedPath = ""
    callbacks: fields.Listed[fields.Callback] = policies.USUAL_CALLBACKS
    email_required: bool = False
    billing: Annotated[Billing, AfterValidator(_phone_of_address)] = part(Billing)
    shipping: Annotated[Shipping, AfterValidator(_phone_of_address)] = part(Shipping)
    button: Annotated[
        Annotated[Button, AS_DICT] | None, BeforeValidator(lambda given: None if given is False else given)
    ] = Field(default_factory=Button)
    limits: Limits = part(Limits)

    def policy(self, *, profile: str, gateway_url: str) -> policies.WalletPolicy:
        """Return what a shop's function may change for one order, and the plugin goes by."""
        usual_script = PRODUCTION_PAY_JS if profile == LIVE else f"{gateway_url}/wallet/pay.js"
        script, button = self.wallet_js, self.button or Button()
        return policies.WalletPolicy(
            gateway_name=self.gateway_name,
            profile=profile,
            gateway_url=gateway_url,
            pay_js_url=self.pay_js_url or usual_script,
            wallet_js_url=script.url if script else "",
            wallet_js_integrity=script.integrity if script else "",
            wallet_js_cors=script is not None and script.cors,
            trusted_types=self.trusted_types,
            country=self.country,
            merchant_no=self.merchant_no,
            merchant_name=self.merchant_name,
            card_networks=self.cards.networks,
            allow_prepaid=self.cards.prepaid,
            allow_credit=self.cards.credit,
            accept_unauthenticated=self.accept_unauthenticated,
            email_required=self.email_required,
            billing_address=self.billing.address,
            billing_phone_required=self.billing.phone,
            shipping_address=self.shipping.address,
            shipping_phone_required=self.shipping.phone,
            shipping_countries=self.shipping.countries,
            callbacks=self.callbacks,
            limits=policies.WalletLimits(
                sessions=self.limits.sessions,
                attempts=2 * self.limits.sessions,
                authorizations=self.limits.authorizations,
                results=2 * self.limits.authorizations,
            ),
            use_wallet_button=self.button is not None,
            button_color=button.color,
            button_type=button.type,
            button_locale=button.locale,
            button_size_mode=button.size_mode,
        )


# A gateway


@fields.rule(f"seconds above zero, at most {_MAX_TIMEOUT}: a sender that takes longer counts as dead")
def _is_timeout(seconds: float) -> bool:
    return 0 < seconds <= _MAX_TIMEOUT


Seconds = Annotated[float, _is_timeout]


class Timeout(Section):
    """How long a call waits, in seconds."""

    connect: Seconds = 3.0
    read: Seconds = 20.0
    total: Seconds = 30.0
    idle: Annotated[float, fields.between(0, 3600, "seconds")] = 5.0

    @staticmethod
    def named(given: object) -> object:
        """Return the dict that a number stands for: so long may one wait take, and the whole call."""
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        return {"READ": given, "TOTAL": given} if is_number else given


class Queries(Section):
    """How a sweep asks for the status of payments."""

    rate: Annotated[
        float,
        fields.between(
            0.1, 1_000_000, "queries a second: a slower gateway would hold up the sweep of all others"
        ),
    ] = 5.0
    workers: Annotated[int, fields.between(1, 64, "threads")] = 1
    again_days: Annotated[int, fields.between(0, 3650, "days")] = 180


class Capture(Section):
    """How long an authorization can be captured, and what happens before it expires."""

    days: fields.Days = 7
    warning_days: fields.Days = 2
    policy: Literal["ask", "capture", "reverse"] = "ask"


class Approvals(Section):
    """Above which amounts one person alone may not give money back."""

    limits: fields.Amounts = Field(default_factory=dict)
    day_limits: fields.Amounts = Field(default_factory=dict)
    days: fields.Days = 7


Currencies = Annotated[fields.Listed[fields.Currency], Rule(bool, "one currency at least, or None for all")]


@fields.rule(
    "the address of a proxy such as 'http://user:password@proxy.example:3128', None for no proxy, or '' for "
    "that of the environment"
)
def _is_proxy_or_none(proxy: str | None) -> bool:
    return not proxy or is_proxy(proxy)


# What only a gateway needs that moves real money


def _address_is_the_providers(value: str, info: ValidationInfo) -> str:
    url, live = urlsplit(value), _is_live(info)
    if live and fields.is_local(url.hostname):
        raise ValueError("the provider's address in profile 'prod', not this machine or its own network link")
    if url.scheme != "https" and (live or not is_loopback(url.hostname)):
        raise ValueError("https; plain http only for a loopback address in profile 'test'")
    return value


def _merchant_is_the_providers(value: str, info: ValidationInfo) -> str:
    if _is_live(info) and value == SANDBOX_MERCHANT:
        raise ValueError("the provider's own in profile 'prod', not that of the sandbox's merchant")
    return value


def _hosts_are_public(value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    if _is_live(info) and any(fields.is_local(urlsplit(f"//{host}").hostname) for host in value):
        raise ValueError("hosts that customers reach in profile 'prod'")
    return value


def _own_origin(value: str, info: ValidationInfo) -> str:
    return value and _origin(value, debug=_context(info).debug, live=_is_live(info))


def _keys_are_secret(value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    if _is_live(info):
        fields.refuse_published_keys(value)
    return value


def _wallet_is_for_customers(value: WalletSettings | None, info: ValidationInfo) -> WalletSettings | None:
    if value is None or not _is_live(info):
        return value
    found: dict[tuple[str | int, ...], str] = {}
    if not _MERCHANT_NO.fullmatch(value.merchant_no):
        found[("MERCHANT_NO",)] = "12 to 18 characters in profile 'prod'"
    scripts = {
        ("PAY_JS_URL",): value.pay_js_url,
        ("WALLET_JS", "URL"): value.wallet_js.url if value.wallet_js else "",
    }
    for path, script in scripts.items():
        if fields.is_local(urlsplit(script).hostname):
            found[path] = "an address that customers reach in profile 'prod'"
    # A sandbox serves its wallet beside the service; cards of real customers must never go there.
    gateway = urlsplit(info.data.get("base_url", "")).netloc.lower()
    if value.pay_js_url and urlsplit(value.pay_js_url).netloc.lower() == gateway:
        found[("PAY_JS_URL",)] = "the wallet's own address in profile 'prod', not one of the gateway's host"
    fields.refuse(found)
    return value


class GatewaySettings(Section):
    """The settings of one gateway, by its alias."""

    profile: Literal["test", "prod"] = "test"
    base_url: Annotated[fields.GatewayAddress, AfterValidator(_address_is_the_providers)] = Field(
        description="an absolute https URL"
    )
    merchant_id: Annotated[fields.Allocated, AfterValidator(_merchant_is_the_providers)]
    store_id: fields.Allocated
    user_id: fields.Allocated = Field(repr=False)
    provider: fields.Allocated
    skin_id: fields.Identifier = ""
    provider_merchant_id: fields.Identifier = ""
    redirect_url_timeout: Annotated[
        int, fields.between(60, 900, "seconds: an order must not stay payable for ever")
    ] = 900
    redirect_hosts: Annotated[fields.Listed[fields.Host], AfterValidator(_hosts_are_public)] = ()
    own_origin: Annotated[str, AfterValidator(_own_origin)] = Field(default="", alias="PUBLIC_ORIGIN")
    auth: fields.DottedPath = ""
    """Dotted path of the callable that signs requests; empty if no header is needed."""
    auth_secrets: fields.Secrets = Field(default_factory=dict, repr=False)
    """What `auth` signs with, by names that the shop has chosen."""
    fernet_keys: Annotated[fields.FernetKeys, AfterValidator(_keys_are_secret)] = Field(
        default=(), repr=False
    )
    """The keys of this gateway alone for its stored secrets, before those of the shop; empty without any."""
    client_class: fields.ClientClass = ""
    """Dotted path of the shop's own subclass of the client; empty for the client itself."""
    ca_file: fields.CaFile = None
    """PEM file of the certificate authorities to trust instead of the default ones."""
    client_cert: fields.ClientCert = None
    """PEM file of our certificate and its key, or one file for each."""
    proxy: Annotated[str | None, _is_proxy_or_none] = Field(default=FROM_ENVIRONMENT, repr=False)
    """The address of a proxy, with its password; empty for that of the environment, None for no proxy."""
    paths: fields.Paths = Field(default_factory=dict)
    timeout: Annotated[Timeout, AS_DICT, BeforeValidator(Timeout.named)] = Field(default_factory=Timeout)
    queries: Queries = part(Queries)
    billing_address_required: bool = False
    currencies: Currencies | None = None
    numbering: fields.Numbering = ""
    shares_references: bool = False
    book_elsewhere: Literal["ask", "book"] = "ask"
    late_payment: Literal["report", "accept"] = "report"
    ignored_record_types: fields.Listed[fields.RecordType] = ()
    sending_enabled: bool = True
    capture: Capture = part(Capture)
    approvals: Approvals = part(Approvals)
    wallet_settings: Annotated[
        Annotated[WalletSettings, AS_DICT] | None, AfterValidator(_wallet_is_for_customers)
    ] = Field(default=None, alias="WALLET")
    _alias: str = PrivateAttr("")
    _shop_origin: str = PrivateAttr("")

    @property
    def alias(self) -> str:
        """The name of the gateway in the settings."""
        return self._alias

    @property
    def public_origin(self) -> str:
        """Scheme and host by which customers reach the shop of this gateway; return URLs begin with it."""
        return self.own_origin or self._shop_origin

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
    def wallet(self) -> policies.WalletPolicy | None:
        """The wallet button; None for a gateway without a button."""
        if self.wallet_settings is None:
            return None
        return self.wallet_settings.policy(profile=self.profile, gateway_url=self.base_url.rstrip("/"))

    @cached_property
    def policy(self) -> policies.GatewayPolicy:
        """The shop's choices for this gateway."""
        url = urlsplit(self.base_url)
        is_sandbox = self.merchant_id == SANDBOX_MERCHANT and is_loopback(url.hostname)
        address = policies.sandbox_address if is_sandbox else policies.GatewayAddress
        hosts = self.redirect_hosts or (url.netloc,)
        return policies.GatewayPolicy(
            address=address(self.base_url),
            numbering=self.numbering,
            sending=self.sending_enabled,
            query_rate=self.queries.rate,
            query_workers=self.queries.workers,
            query_again=timedelta(days=self.queries.again_days),
            shares_references=self.shares_references,
            book_elsewhere=policies.BookElsewhere(self.book_elsewhere),
            late_payment=policies.LatePaymentPolicy(self.late_payment),
            ignored_record_types=frozenset(name.lower() for name in self.ignored_record_types),
            redirect_hosts=frozenset(host.lower() for host in hosts),
            allow_plain_http=url.scheme == "http",
            billing_address_required=self.billing_address_required,
            currencies=None if self.currencies is None else frozenset(self.currencies),
            capture_window=policies.CaptureWindow(
                length=timedelta(days=self.capture.days),
                warning=timedelta(days=self.capture.warning_days),
                policy=policies.CapturePolicy(self.capture.policy),
            ),
            approval_policy=policies.ApprovalPolicy(
                limits=self.approvals.limits,
                day_limits=self.approvals.day_limits,
                waiting_time=timedelta(days=self.approvals.days),
            ),
        )


# The whole setting


def _address(given: object, read: ValidatorFunctionWrapHandler) -> object:
    """Judge an address as a gateway that leaves nothing out."""
    if not isinstance(given, str | dict):
        raise ValueError("a URL, or a dict with BASE_URL and what belongs to that address")
    entry = {"BASE_URL": given} if isinstance(given, str) else given
    whole = {**_UNSAID, "WALLET": None, **entry}
    if isinstance(whole["WALLET"], dict):
        whole["WALLET"] = {**_UNSAID["WALLET"], **whole["WALLET"]}
    return read(whole)


def _gateways(given: object, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> object:
    """Read the gateways; of a dotted path only where it leads, because what is there may be in a database."""
    if isinstance(given, str):
        try:
            source = import_string(given)
        except ImportError:
            source = None
        if not callable(source) and not isinstance(source, Mapping):
            raise ValueError("a dict, or the dotted path of a mapping or of a callable that returns one")
        return {}
    if not isinstance(given, dict) or not given:
        hint = "; only with DEBUG on, an empty setting means the sandbox"
        raise ValueError(f"a dict with a gateway under 'default'{'' if _context(info).given else hint}")
    return read(given)


def _shop_origin(value: object, info: ValidationInfo) -> str:
    context = _context(info)
    return _origin(value, debug=context.debug, live=bool(context.live_aliases()))


def _accounts_have_addresses(value: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    if not value and isinstance(_context(info).given.get("GATEWAYS"), str):
        raise ValueError("a dict with an address by name, because accounts outside the settings name one")
    return value


def _keys_are_given_and_secret(value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    context = _context(info)
    gateways = context.gateways().values()
    is_needed = any(one.get("WALLET") is not None and not one.get("FERNET_KEYS") for one in gateways)
    if is_needed and not value and not context.debug:
        raise ValueError("a list of Fernet keys, the first of which encrypts, because a gateway has a WALLET")
    if context.live_aliases():
        fields.refuse_published_keys(value)
    return value


class Settings(Section):
    """All settings of this app."""

    public_origin: Annotated[str, PlainValidator(_shop_origin)]
    """Scheme and host by which customers reach the shop; return URLs begin with it."""
    base_urls: Annotated[
        dict[fields.Alias, Annotated[GatewaySettings, AS_DICT, WrapValidator(_address)]],
        AfterValidator(_accounts_have_addresses),
        Field(repr=False),
    ]
    own_keys: Annotated[fields.FernetKeys, AfterValidator(_keys_are_given_and_secret)] = Field(
        alias="FERNET_KEYS", repr=False
    )
    health_token: fields.Token = Field(default="", repr=False)
    """The token with which a monitor identifies itself; empty if the health view requires a permission."""
    csp_report_url: fields.ReportAddress = ""
    """Where browsers report what our pages' policy has stopped; empty if nowhere."""
    order_admin_url: fields.DottedPath = ""
    """Dotted path of the function that names the shop's own page of an order; empty without one."""
    api_origins: fields.Listed[fields.Origin] = ()
    """Origins whose pages may call the JSON API with an access token, as browsers write them."""
    account_hosts: fields.Listed[fields.HostPattern] = ()
    """The allowed hosts to which an account outside the settings may lead."""
    access_token_seconds: Annotated[
        int, fields.between(60, 86_400, "seconds: a token that somebody else has read must end")
    ] = 3600
    """How long an access token for an order is valid."""
    retention_days: Annotated[int, fields.between(1, fields.MAX_DAYS, "days")] = 400
    """How long bodies are kept: a year for disputes, and some days to investigate the last one."""
    continue_origins: fields.Listed[fields.Origin] = ()
    """Further origins of the shop to which a `continue_url` may lead."""
    own_gateways: Annotated[
        dict[fields.Alias, Annotated[GatewaySettings, AS_DICT]], WrapValidator(_gateways)
    ] = Field(alias="GATEWAYS", repr=False)
    _given: Mapping[str, Any] = PrivateAttr(default_factory=dict)
    _elsewhere: AccountsElsewhere | None = PrivateAttr(None)

    @model_validator(mode="before")
    @classmethod
    def _with_addresses(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Give each gateway what its address has; what is missing is judged as an empty value."""
        gateways, addresses = given.get("GATEWAYS"), given.get("BASE_URLS")
        if isinstance(gateways, dict):
            gateways = {alias: with_address(one, addresses) for alias, one in gateways.items()}
        empty = {"PUBLIC_ORIGIN": "", "BASE_URLS": {}, "FERNET_KEYS": ()}
        return {**empty, **given, "GATEWAYS": gateways}

    def model_post_init(self, context: Context) -> None:
        """Let each gateway know its alias and the shop. Of accounts elsewhere nothing is read yet."""
        self._given = context.given
        for alias, gateway in self.own_gateways.items():
            gateway._alias, gateway._shop_origin = alias, self.public_origin
        if isinstance(source := context.given.get("GATEWAYS"), str):
            self._elsewhere = AccountsElsewhere(source, shop=self)

    @classmethod
    def read(cls, given: object, *, debug: bool, account: str = "") -> Self:
        """Return the settings; raises `WrongSettings` with everything that is missing or wrong in them.

        Uses neither the network nor a database.

        :param debug: what to take `DEBUG` for.
        :param account: what the one gateway is called in a problem, if it is kept outside the settings.
        """
        if not isinstance(given, dict):
            expected = "a dict with PUBLIC_ORIGIN and GATEWAYS"
            raise WrongSettings([Problem(setting=SETTING, expected=expected)])
        context, problems = Context(given=given, debug=debug), list[Problem]()
        try:
            found = cls.model_validate(given, context=context)
        except ValidationError as error:
            for path, expected in fields.problems_of(error, cls):
                is_of_account = bool(account) and path[0] == "GATEWAYS"
                where, names = (account, path[2:]) if is_of_account else (SETTING, path)
                setting = where + "".join(f"[{name!r}]" for name in names)
                problems.append(Problem(setting=setting, expected=expected))
        # With such a key anybody could sign return addresses of real payments.
        expected = "a secret of your own, because a gateway has the profile 'prod'"
        published = fields.published_secret_keys() if context.live_aliases() else ()
        problems += [Problem(setting=name, expected=expected) for name in published]
        if problems:
            # Outside of the clause, so that nothing is chained to it: pydantic's error holds the values.
            raise WrongSettings(problems)
        return found

    def read_account(self, where: str, alias: object, given: object) -> GatewaySettings:
        """Return an account outside the settings, judged as the one gateway of this shop.

        Raises `WrongSettings` with all that is missing or wrong, also in what the shop has for it.
        """
        whole = {**self._given, "BASE_URLS": {}, "GATEWAYS": {alias: given}}
        return self.read(whole, debug=django_settings.DEBUG, account=where).own_gateways[alias]

    @property
    def elsewhere(self) -> AccountsElsewhere | None:
        """The accounts outside the settings; None where the gateways are in the settings."""
        return self._elsewhere

    @property
    def addresses(self) -> Mapping[str, Any]:
        """`BASE_URLS`, as it was given."""
        return cast(Mapping[str, Any], self._given.get("BASE_URLS", {}))

    @property
    def gateways(self) -> Mapping[str, GatewaySettings]:
        """The gateways that can be used now; an account outside the settings may come and go."""
        return self.own_gateways if self._elsewhere is None else self._elsewhere.usable()

    def find(self, alias: str) -> GatewaySettings:
        """Return one gateway; raises `ImproperlyConfigured` if it is unknown or wrong."""
        if self._elsewhere is not None:
            return self._elsewhere.find(alias)
        if alias not in self.own_gateways:
            known = ", ".join(sorted(self.own_gateways))
            raise ImproperlyConfigured(f"{SETTING}['GATEWAYS'] has no {alias!r}; it has: {known}")
        return self.own_gateways[alias]

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
