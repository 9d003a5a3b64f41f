"""How one gateway is to be treated where the interface leaves a choice; built from settings elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field

from wallet_gateway.domain.capture_deadline import CaptureWindow
from wallet_gateway.domain.dual_control import ApprovalPolicy

CALLBACKS = ("PAYMENT_AUTHORIZATION", "SHIPPING_ADDRESS", "SHIPPING_OPTION", "OFFER")
"""What a sheet may ask the shop about while it is open: the interface, callbackIntents."""

MOST_WALLET_DECIMALS = 2
"""Wallets write two decimals or none; in other currencies there is the hosted page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayPolicy:
    """The choices for one gateway. Every default is the cautious reading."""

    sending: bool = True
    """False is the emergency stop: nothing new is sent, questions go on."""
    query_rate: float = 5.0
    """Status queries a second that the sweep may ask at most."""
    query_workers: int = 1
    """Threads in which one sweep asks; more than one where answers are slow and the rate is high."""
    shares_references: bool = False
    """The gateway files follow-ups under the reference of their original, too."""
    redirect_hosts: frozenset[str] = frozenset()
    """Hosts (with port where it is not the scheme's own) to which a customer may be sent."""
    allow_plain_http: bool = False
    """Whether a payment page without TLS is accepted; only ever for a loopback address."""
    capture_window: CaptureWindow = field(default_factory=CaptureWindow)
    """How long authorizations can be captured, and what happens before they lapse."""
    approval_policy: ApprovalPolicy = field(default_factory=ApprovalPolicy)
    """Above which amounts one person alone may not give money back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletPolicy:
    """The wallet button of one gateway: what its sheet asks for, where its scripts are, how it looks."""

    gateway_name: str
    """What the wallet knows the gateway by, in its tokenization settings."""
    profile: str
    """`test` or `prod`."""
    gateway_url: str
    """Where the browser creates payment accounts."""
    pay_js_url: str
    wallet_js_url: str = ""
    """Empty where the script is our own."""
    country: str
    """ISO 3166, two letters."""
    merchant_no: str = ""
    merchant_name: str = ""
    card_networks: tuple[str, ...]
    allow_prepaid: bool = True
    allow_credit: bool = True
    existing_payment_method_required: bool = False
    accept_unauthenticated: bool = False
    """Whether a card is charged although 3-D Secure was not available: the shop bears the risk."""
    email_required: bool = False
    billing_address: str = ""
    """`MIN` or `FULL`; empty where none is asked for."""
    shipping_address: bool = False
    shipping_countries: tuple[str, ...] = ()
    callbacks: tuple[str, ...] = CALLBACKS
    """What the sheet asks the shop about while it is open, as far as the order has it."""
    use_wallet_button: bool = False
    button_color: str = "default"
    button_type: str = "buy"
    button_locale: str = ""
    button_size_mode: str = "static"
