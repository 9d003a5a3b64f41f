"""The settings of a wallet button: each gateway's `WALLET`."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from wallet_gateway.client.proxy import is_loopback
from wallet_gateway.conf.sections import AS_DICT, ITEMS, DottedPath, Faults, Line, Rule, Section, context_of
from wallet_gateway.conf.values import Problem, import_fault, is_local, split_address
from wallet_gateway.domain.policy import CALLBACKS, USUAL_CALLBACKS, WalletLimits, WalletPolicy
from wallet_gateway.protocol.accounts import CardNetwork
from wallet_gateway.protocol.codes import check_country_of_wallet
from wallet_gateway.protocol.errors import UnknownCode

REDIRECT: Final = "redirect"
"""3-D Secure on a page of the gateway: the default of `THREE_D_SECURE`."""
PRODUCTION_PAY_JS: Final = "https://pay.google.com/gp/p/js/pay.js"
MAX_WALLET_LIMIT: Final = 1000
"""Each request of a button reads all attempts of its order, so their number must stay small."""
_MERCHANT_NO = re.compile(r"[!-~]{12,18}")
_HASHES = {"sha256": 32, "sha384": 48, "sha512": 64}
"""The names of hashes in `integrity`, with their lengths in bytes."""
_TRUSTED_TYPES = re.compile(r"[\w\-#=/@.%]+|'allow-duplicates'", re.ASCII)
_GATEWAY_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def is_script_address(value: str) -> bool:
    """Return whether a text is empty or a safe address, with a query if any, such as a script's version."""
    url = split_address(value.partition("?")[0])
    return not value or (url is not None and (url.scheme == "https" or is_loopback(url.hostname)))


def _script_address(value: str, info: ValidationInfo) -> str:
    if not is_script_address(value):
        raise ValueError("an https address; http only on a loopback address")
    if value and context_of(info).live and is_local(urlsplit(value).hostname):
        raise ValueError("an address that customers reach in profile 'prod'")
    return value


def _is_country(value: str) -> bool:
    try:
        return check_country_of_wallet(value) == value
    except UnknownCode:
        return False


def _is_hash(value: str) -> bool:
    name, _, encoded = value.partition("-")
    try:
        return len(base64.b64decode(encoded, validate=True)) == _HASHES.get(name)
    except binascii.Error:
        return False


def _are_hashes(value: str) -> bool:
    return not value or all(map(_is_hash, value.split(" ")))


Country = Annotated[str, Rule(_is_country, "the two letters of an ISO 3166 country, such as 'DE'")]
Network = Annotated[str, Rule(list(CardNetwork).__contains__, f"one of {', '.join(CardNetwork)}")]
Callback = Annotated[str, Rule(CALLBACKS.__contains__, f"one of {', '.join(CALLBACKS)}")]
PolicyName = Annotated[str, Rule(_TRUSTED_TYPES.fullmatch, "the name of a policy, such as 'goog#html'")]
ScriptAddress = Annotated[str, AfterValidator(_script_address)]
Limit = Annotated[
    int,
    Rule(range(1, MAX_WALLET_LIMIT + 1).__contains__, f"a whole number from 1 to {MAX_WALLET_LIMIT}"),
]


class Cards(Section):
    """Which cards the sheet offers."""

    networks: Annotated[
        tuple[Network, ...], ITEMS, Rule(bool, f"one or more of {', '.join(CardNetwork)}")
    ] = tuple(network.value for network in CardNetwork)
    prepaid: bool = True
    credit: bool = True


class HostedScript(Section):
    """A wallet.js that is hosted elsewhere."""

    url: Annotated[ScriptAddress, Rule(bool, "the address of the script")]
    integrity: Annotated[str, Rule(_are_hashes, "hashes such as 'sha384-' and 64 characters")] = ""
    cors: bool = False


class Billing(Section):
    """What the sheet asks of the billing address."""

    address: Literal["", "MIN", "FULL"] = ""
    phone: bool = False


class Shipping(Section):
    """What the sheet asks of the shipping address."""

    address: bool = False
    phone: bool = False
    countries: Annotated[tuple[Country, ...], ITEMS] = ()


class Button(Section):
    """How the wallet draws the button."""

    color: Literal["default", "black", "white"] = "default"
    type: Literal[
        "buy", "book", "checkout", "donate", "order", "pay", "plain", "subscribe", "long", "short"
    ] = "buy"
    locale: Line = ""
    size_mode: Literal["fill", "static"] = "fill"


class Limits(Section):
    """How often the button of one order may be used; what else is counted follows from these."""

    sessions: Limit = WalletLimits().sessions
    authorizations: Limit = WalletLimits().authorizations


class WalletSettings(Section):
    """The button of one gateway."""

    country: Country
    gateway_name: Annotated[str, Rule(_GATEWAY_NAME.fullmatch, "the name the wallet knows it by")] = (
        "examplegateway"
    )
    merchant_no: Line = Field(default="", validate_default=True)
    merchant_name: Line = ""
    cards: Annotated[Cards, AS_DICT] = Field(default_factory=Cards)
    pay_js_url: ScriptAddress = ""
    wallet_js: Annotated[
        Annotated[HostedScript, AS_DICT] | None,
        BeforeValidator(
            lambda given: ({"URL": given} if given else None) if isinstance(given, str) else given
        ),
    ] = None
    trusted_types: Annotated[tuple[PolicyName, ...], ITEMS] | None = None
    three_d_secure: str = REDIRECT
    accept_unauthenticated: bool = False
    pricing: DottedPath = ""
    button_overrides: DottedPath = ""
    callbacks: Annotated[tuple[Callback, ...], ITEMS] = USUAL_CALLBACKS
    email_required: bool = False
    billing: Annotated[Billing, AS_DICT] = Field(default_factory=Billing)
    shipping: Annotated[Shipping, AS_DICT] = Field(default_factory=Shipping)
    button: Annotated[
        Annotated[Button, AS_DICT] | None, BeforeValidator(lambda given: None if given is False else given)
    ] = Field(default_factory=Button)
    limits: Annotated[Limits, AS_DICT] = Field(default_factory=Limits)

    @field_validator("merchant_no")
    @classmethod
    def _merchant_no_is_given(cls, value: str, info: ValidationInfo) -> str:
        if context_of(info).live and not _MERCHANT_NO.fullmatch(value):
            raise ValueError("12 to 18 characters in profile 'prod'")
        return value

    @field_validator("pay_js_url")
    @classmethod
    def _pay_js_is_the_wallets(cls, value: str, info: ValidationInfo) -> str:
        gateway = urlsplit(str(context_of(info).given.get("BASE_URL")))
        if value and context_of(info).live and urlsplit(value).netloc.lower() == gateway.netloc.lower():
            # A sandbox serves its wallet beside the service; cards of real customers must never go there.
            raise ValueError("the wallet's own address in profile 'prod', not one of the gateway's host")
        return value

    @field_validator("three_d_secure")
    @classmethod
    def _authenticator_is_importable(cls, value: str) -> str:
        if value != REDIRECT and import_fault(value):
            raise ValueError(f"{REDIRECT!r} or the dotted path of a callable")
        return value

    @field_validator("billing", "shipping")
    @classmethod
    def _phone_is_part_of_an_address(
        cls, value: Billing | Shipping, info: ValidationInfo
    ) -> Billing | Shipping:
        # The shop's function may ask for the address of some orders.
        if value.phone and not value.address and not info.data.get("button_overrides"):
            expected = "False unless ADDRESS is asked for, because the number is part of it"
            raise Faults([Problem(setting="['PHONE']", expected=expected)])
        return value

    @property
    def authenticator(self) -> str:
        """The dotted path of the shop's own 3-D Secure; empty if the gateway does it."""
        return "" if self.three_d_secure == REDIRECT else self.three_d_secure

    def policy(self, *, profile: str, gateway_url: str) -> WalletPolicy:
        """Return what a shop's function may change for one order, and the plugin goes by."""
        usual_script = PRODUCTION_PAY_JS if profile == "prod" else f"{gateway_url}/wallet/pay.js"
        script, button = self.wallet_js, self.button or Button()
        return WalletPolicy(
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
            limits=WalletLimits(
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
