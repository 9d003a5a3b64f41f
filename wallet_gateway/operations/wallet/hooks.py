"""What a shop's own functions are asked for the wallet button, and what they answer. Values only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.models import PaymentOrder
from wallet_gateway.protocol.authorizations import ThreeDSecure
from wallet_gateway.protocol.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetQuestion:
    """What the price depends on: the order, and what the customer chose on the sheet."""

    order: PaymentOrder
    shipping_address: Mapping[str, str] | None = field(default=None, repr=False)
    """`countryCode`, `postalCode`, `locality`, `administrativeArea`; None while there is none."""
    shipping_option: str | None = None
    offers: tuple[str, ...] = ()
    """Redemption codes that the customer entered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippingOption:
    """One way to ship, and what it costs on top of the order."""

    id: str
    label: str
    amount: Decimal
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetDiscount:
    """Something taken off, by a redemption code or otherwise."""

    label: str
    amount: Decimal
    """Above zero."""
    code: str = ""
    """The redemption code it is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFault:
    """Why the sheet's choices cannot be priced: the interface, PaymentDataError."""

    intent: str
    reason: str
    message: str
    """Shown to the customer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPricing:
    """What a shop's pricing answers: what comes on top of the order's amount, and what is taken off."""

    options: Sequence[ShippingOption] = ()
    selected_option: str | None = None
    """The one that counts where the customer chose none, or one that is not offered; else the first."""
    discounts: Sequence[SheetDiscount] = ()
    errors: Sequence[SheetFault] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationQuestion:
    """Which payment a shop's own 3-D Secure is asked to answer for."""

    order: PaymentOrder
    reference: str
    """The clientSystemTransactionId."""
    account_id: str
    amount: Money
    card_network: str
    card_last_four: str


Pricer = Callable[[SheetQuestion], SheetPricing]
Chooser = Callable[[PaymentOrder, WalletPolicy], WalletPolicy]
"""Given the order and what the settings say, returns how its button looks and what its sheet asks for."""
Authenticator = Callable[[AuthenticationQuestion], ThreeDSecure | Mapping[str, object] | None]
"""None says that the customer was not authenticated."""
