"""How to treat one gateway where the interface leaves a choice; built from the settings elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urlsplit

from wallet_gateway.domain.error_codes import StoredEnum
from wallet_gateway.domain.states import TransactionKind

# What needs a second person


GIVING_BACK = frozenset({TransactionKind.REFUND, TransactionKind.DETACHED_REFUND})
"""The operations to which the limits apply."""
LIMITED_PERIOD = timedelta(hours=24)
"""The time over which the limit per person and day adds up; it moves on with the clock."""

Limits = Mapping[str, int]
"""Minor units by currency. If any limit is set, a missing currency has the limit zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPolicy:
    """One gateway's rules for refunds, detached refunds and decisions on unknown outcomes."""

    limits: Limits = field(default_factory=dict)
    """Of one payment."""
    day_limits: Limits = field(default_factory=dict)
    """Of everything that one account gives back within `LIMITED_PERIOD`."""
    waiting_time: timedelta = timedelta(days=7)
    """How long a request waits for a second person before it expires."""

    def limit_for(self, currency: str) -> int | None:
        """Return the amount of one payment that one person may refund alone; None if there is no limit."""
        return _limit(self.limits, currency)

    def day_limit_for(self, currency: str) -> int | None:
        """Return what one account may give back alone within a day; None if there is no limit."""
        return _limit(self.day_limits, currency)

    def is_needed(self, minor: int, currency: str) -> bool:
        """Return whether an amount of one payment needs a second person."""
        limit = self.limit_for(currency)
        return limit is not None and minor > limit


NOBODY_ALONE = ApprovalPolicy(limits={"": 0}, day_limits={"": 0})
"""The policy while a gateway's own is not known: every amount needs a second person."""


def _limit(limits: Limits, currency: str) -> int | None:
    return limits.get(currency, 0) if limits else None


# Authorizations that expire


class CapturePolicy(StrEnum):
    """What happens to an authorization that is about to expire."""

    ASK = "ask"
    """Notify people, who decide."""
    CAPTURE = "capture"
    """Capture the remaining amount."""
    REVERSE = "reverse"
    """Reverse the authorization, if nothing of it was captured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureWindow:
    """When a gateway's authorizations expire, and what to do before."""

    length: timedelta = timedelta(days=7)
    warning: timedelta = timedelta(days=2)
    """How long before its end an authorization is announced."""
    policy: CapturePolicy = CapturePolicy.ASK

    def expires_at(self, authorized_at: datetime) -> datetime:
        """Return when an authorization can no longer be relied on."""
        return authorized_at + self.length

    def warns_from(self, now: datetime) -> datetime:
        """Return the latest authorization time that must have been announced by now."""
        return now - max(self.length - self.warning, timedelta())


# The limits of a wallet button


class WalletLimit(StoredEnum):
    """What is counted for each order; what is used up closes the order's button."""

    SESSIONS = "SESSIONS"
    """Browsers that were shown the button."""
    ATTEMPTS = "ATTEMPTS"
    """Buttons shown that could be paid with, and references for another card: one payment attempt each."""
    PRICES = "PRICES"
    """Prices that an open sheet asked for."""
    DISCOUNT_CODES = "DISCOUNT_CODES"
    """Different discount codes that were tried on the sheet, right or wrong."""
    RESULTS = "RESULTS"
    """Results that were posted for an attempt without an outcome, and reports of a sheet that failed."""
    AUTHORIZATIONS = "AUTHORIZATIONS"
    """Cards that were claimed to be sent to the gateway, also if no byte left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletLimits:
    """How many of each `WalletLimit` one order may use, under the same name in lower case.

    A customer with several cards, devices and reloads stays far below the defaults.
    """

    sessions: int = 30
    """Browsers that may be shown the button."""
    attempts: int = 60
    """Buttons and references for another card."""
    prices: int = 200
    """Prices that open sheets may ask for."""
    discount_codes: int = 20
    """Different discount codes that may be tried."""
    results: int = 40
    """Results and failures that may be posted."""
    authorizations: int = 20
    """Cards that may be sent to the gateway."""

    def maximum(self, limit: WalletLimit, *, raised: int = 0) -> int:
        """Return how many are allowed in all; each time that a person has raised the limits adds as many."""
        base: int = getattr(self, limit.lower())
        return base * (1 + raised)


# The address of a gateway


SANDBOX_COMMAND = "python -m wallet_gateway.sandbox"
SANDBOX_PORT = 8001
"""The port on which the sandbox listens where none is given."""


@dataclass(frozen=True, slots=True)
class GatewayAddress:
    """The base URL of a gateway, which holds no secret; `str` is the URL alone."""

    url: str
    start_command: str = ""
    """The command that starts the sandbox at this address; empty for any other gateway."""

    def __str__(self) -> str:
        return self.url


UNKNOWN_ADDRESS = GatewayAddress("?")
"""The address of a gateway without a base URL, such as one that a test has made."""


def sandbox_address(url: str) -> GatewayAddress:
    """Return the address of a sandbox on this machine, with the command that starts it."""
    port = urlsplit(url).port
    option = "" if port in {None, SANDBOX_PORT} else f" --port {port}"
    return GatewayAddress(url, SANDBOX_COMMAND + option)


# What is chosen for one gateway

CALLBACKS = ("PAYMENT_AUTHORIZATION", "SHIPPING_ADDRESS", "SHIPPING_OPTION", "OFFER")
"""What an open sheet may request from the shop: the interface, callbackIntents."""
USUAL_CALLBACKS = CALLBACKS[:3]
"""Those of a shop that does not name them: a field for codes is for shops that take codes."""

KEY_LIFETIME = timedelta(minutes=30)
"""How long keys are used whose end the gateway does not tell; the interface names none."""

MOST_WALLET_DECIMALS = 2
"""Wallets write two decimals or none; other currencies use the hosted page."""


class BookElsewhere(StrEnum):
    """What happens to an operation made elsewhere, for example in the provider's portal."""

    ASK = "ask"
    """A person decides: the payment is frozen until then."""
    BOOK = "book"
    """It is booked from the gateway's record."""


class LatePaymentPolicy(StrEnum):
    """What happens to a payment that is approved after its order was cancelled."""

    REPORT = "report"
    """A person decides: the order is frozen until then, and no signal says that it is paid."""
    ACCEPT = "accept"
    """It counts as any other payment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayPolicy:
    """The choices for one gateway. Every default is the cautious choice."""

    address: GatewayAddress = UNKNOWN_ADDRESS
    """Where the gateway is called; errors name it."""
    numbering: str = ""
    """The numbering of its orders: within one, a reference is unique; empty for the one that is shared."""
    sending: bool = True
    """False is the emergency stop: nothing new is sent, status queries continue."""
    query_rate: float = 5.0
    """The maximum number of status queries per second in a sweep."""
    query_workers: int = 1
    """Query threads of one sweep; use more than one where answers are slow and the rate is high."""
    query_again: timedelta = timedelta(days=180)
    """How long after its approval a payment is queried again; nothing of it is, if this is zero."""
    shares_references: bool = False
    """Whether the gateway also files follow-ups under the reference of their original."""
    book_elsewhere: BookElsewhere = BookElsewhere.ASK
    """Whether operations made elsewhere are booked without a person."""
    late_payment: LatePaymentPolicy = LatePaymentPolicy.REPORT
    """Whether a payment of a cancelled order is accepted without a person."""
    ignored_record_types: frozenset[str] = frozenset()
    """Types of status records, in lower case, that are notes of the gateway and need nobody."""
    redirect_hosts: frozenset[str] = frozenset()
    """Hosts to which a customer may be sent; with the port if it is not the scheme's default."""
    allow_plain_http: bool = False
    """Whether a payment page without TLS is accepted; only for a loopback address."""
    billing_address_required: bool = False
    """Whether every order needs a billing address."""
    currencies: frozenset[str] | None = None
    """The ISO 4217 codes that an order may have; None for all."""
    capture_window: CaptureWindow = field(default_factory=CaptureWindow)
    """How long authorizations can be captured, and what happens before they expire."""
    approval_policy: ApprovalPolicy = field(default_factory=ApprovalPolicy)
    """The amounts above which one person alone may not refund."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletPolicy:
    """The wallet button of one gateway: what its sheet requests, where its scripts are, how it looks.

    Made from the settings, which have the defaults; a shop's function may change it for one order.
    """

    gateway_name: str
    """The gateway's name in the wallet's tokenization settings."""
    profile: str
    """`test` or `prod`."""
    gateway_url: str
    """Where the browser creates payment accounts."""
    pay_js_url: str
    """Where the wallet's own script is."""
    wallet_js_url: str
    """Empty if the script is our own."""
    wallet_js_integrity: str
    """Hashes that a hosted wallet.js must match; empty if it may change."""
    wallet_js_cors: bool
    """Whether the host of a hosted wallet.js answers CORS."""
    trusted_types: tuple[str, ...] | None
    """The trusted-types policies of the wallet's own script; None if they are not known."""
    country: str
    """ISO 3166, two letters."""
    merchant_no: str
    """The merchant's number at the wallet; 12 to 18 characters, needed in production."""
    merchant_name: str
    """The name that the sheet shows."""
    card_networks: tuple[str, ...]
    """Of `VISA`, `MASTERCARD`, `AMEX`, `DISCOVER` and `JCB`."""
    allow_prepaid: bool
    """Whether prepaid cards can be chosen."""
    allow_credit: bool
    """Whether credit cards can be chosen."""
    accept_unauthenticated: bool
    """Whether a card is charged when 3-D Secure was not available: the shop bears the risk."""
    email_required: bool
    """Whether the sheet asks for the e-mail address."""
    billing_address: str
    """`MIN` or `FULL`; empty if no address is requested."""
    billing_phone_required: bool
    """Whether the billing address must have a phone number; nothing if no address is requested."""
    shipping_address: bool
    """Whether the sheet asks for a shipping address."""
    shipping_phone_required: bool
    """The same of the shipping address."""
    shipping_countries: tuple[str, ...]
    """ISO 3166 codes of two letters that may be chosen; empty for all."""
    callbacks: tuple[str, ...]
    """What the open sheet requests from the shop, as far as the order supports it."""
    limits: WalletLimits
    """How often the button of one order may be used."""
    use_wallet_button: bool
    """Whether the wallet draws the button; otherwise the shop does."""
    button_color: str
    """The wallet's word for the color, such as `black`."""
    button_type: str
    """The wallet's word for the text on the button, such as `buy`."""
    button_locale: str
    """Language of the button; empty for that of the page."""
    button_size_mode: str
    """Either `static` or `fill`."""
    # What no setting says, and a shop's function may say for an order
    existing_payment_method_required: bool = False
    """Whether the button needs a customer with a card in the wallet."""
    checkout_option: str = "DEFAULT"
    """`DEFAULT` or `COMPLETE_IMMEDIATE_PURCHASE`: whether the sheet says that the card is charged at once."""
    total_price_label: str = ""
    """The sheet's word for the total; empty for that of the page's language."""
