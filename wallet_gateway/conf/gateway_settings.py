"""One gateway's settings as typed values, made from a dict that the rules have found right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.conf.gateway_rules import OPTIONAL, SANDBOX_MERCHANT
from wallet_gateway.conf.values import COLLECTION, PATH, Setting, is_loopback
from wallet_gateway.conf.wallet_rules import (
    FERNET_KEYS,
    PRODUCTION_PAY_JS,
    REDIRECT,
    WALLET_CODE,
    WALLET_POLICY,
)
from wallet_gateway.domain.approval_policy import ApprovalPolicy
from wallet_gateway.domain.capture_deadline import CapturePolicy, CaptureWindow
from wallet_gateway.domain.gateway_address import GatewayAddress, sandbox_address
from wallet_gateway.domain.policy import BookElsewhere, GatewayPolicy, LatePaymentPolicy, WalletPolicy
from wallet_gateway.domain.wallet_limits import WalletLimits
from wallet_gateway.protocol.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """The settings of one gateway, by its alias."""

    alias: str
    public_origin: str
    """Scheme and host by which customers reach the shop of this gateway; return URLs begin with it."""
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
    """Dotted path of the callable that signs requests; empty if no header is needed."""
    auth_secrets: Mapping[str, str] = field(repr=False)
    """What `auth` signs with, by names that the shop has chosen."""
    fernet_keys: tuple[str, ...] = field(repr=False)
    """The keys of this gateway alone for its stored secrets, before those of the shop; empty without any."""
    client_class: str
    """Dotted path of the shop's own subclass of the client; empty for the client itself."""
    ca_file: str | None
    """PEM file of the certificate authorities to trust instead of the default ones."""
    client_cert: str | tuple[str, str] | None
    """PEM file of our certificate and its key, or one file for each."""
    proxy: str | None = field(repr=False)
    """The address of a proxy, with its password; empty for that of the environment, None for no proxy."""
    paths: Mapping[str, str]
    connect_timeout: float
    read_timeout: float
    total_timeout: float
    keepalive_idle: float
    go_live_max_amount: Mapping[str, int]
    """Minor units by currency: the maximum amount of the payment that is compared before going live."""


def read_gateway(alias: str, given: Mapping[str, Any], *, public_origin: str) -> GatewaySettings:
    """Return the typed settings; `public_origin` is the shop's, for a gateway that has none of its own."""
    values = _with_defaults(given, OPTIONAL)
    url = urlsplit(given["BASE_URL"])
    hosts = {host.lower() for host in values["REDIRECT_HOSTS"]} or {url.netloc.lower()}
    wallet = given.get("WALLET")
    code = _with_defaults(wallet or {}, WALLET_CODE)
    return GatewaySettings(
        alias=alias,
        public_origin=(values["PUBLIC_ORIGIN"] or public_origin).rstrip("/"),
        base_url=str(given["BASE_URL"]),
        account=_account(given, values),
        policy=GatewayPolicy(
            address=_address(given["BASE_URL"], given["MERCHANT_ID"]),
            numbering=values["NUMBERING"],
            sending=values["SENDING_ENABLED"],
            query_rate=float(values["QUERY_RATE"]),
            query_workers=values["QUERY_WORKERS"],
            query_again=timedelta(days=values["QUERY_AGAIN_DAYS"]),
            shares_references=values["SHARES_REFERENCES"],
            book_elsewhere=BookElsewhere(values["BOOK_ELSEWHERE"]),
            late_payment=LatePaymentPolicy(values["LATE_PAYMENT"]),
            ignored_record_types=frozenset(name.lower() for name in values["IGNORED_RECORD_TYPES"]),
            redirect_hosts=frozenset(hosts),
            allow_plain_http=url.scheme == "http",
            billing_address_required=values["BILLING_ADDRESS_REQUIRED"],
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
        auth_secrets=dict(values["AUTH_SECRETS"]),
        fernet_keys=tuple(values[FERNET_KEYS]),
        client_class=values["CLIENT_CLASS"],
        ca_file=str(values["CA_FILE"]) or None,
        client_cert=_client_cert(values["CLIENT_CERT"]),
        proxy=values["PROXY"],
        paths=values["PATHS"],
        connect_timeout=float(values["CONNECT_TIMEOUT"]),
        read_timeout=float(values["READ_TIMEOUT"]),
        total_timeout=float(values["TOTAL_TIMEOUT"]),
        keepalive_idle=float(values["KEEPALIVE_IDLE"]),
        go_live_max_amount=_minor_units(values["GO_LIVE_MAX_AMOUNT"]),
    )


def _address(url: str, merchant_id: str) -> GatewayAddress:
    is_sandbox = merchant_id == SANDBOX_MERCHANT and is_loopback(urlsplit(url).hostname)
    return sandbox_address(url) if is_sandbox else GatewayAddress(url)


def _approval_policy(values: Mapping[str, Any]) -> ApprovalPolicy:
    return ApprovalPolicy(
        limits=_minor_units(values["APPROVAL_LIMITS"]),
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
