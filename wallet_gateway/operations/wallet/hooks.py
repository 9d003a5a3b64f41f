"""Arguments and results of the shop's own functions for the wallet button. Values only."""

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
    """The input of a price: the order and the customer's choices on the sheet."""

    order: PaymentOrder
    shipping_address: Mapping[str, str] | None = field(default=None, repr=False)
    """`countryCode`, `postalCode`, `locality`, `administrativeArea`; None if no address is chosen yet."""
    shipping_option: str | None = None
    offers: tuple[str, ...] = ()
    """Redemption codes that the customer entered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippingOption:
    """A shipping option and its price in addition to the order's amount."""

    id: str
    label: str
    amount: Decimal
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetDiscount:
    """A discount, by a redemption code or otherwise."""

    label: str
    amount: Decimal
    """Above zero."""
    code: str = ""
    """The redemption code of the discount."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFault:
    """The reason why the sheet's choices cannot be priced: the interface, PaymentDataError."""

    intent: str
    reason: str
    message: str
    """Shown to the customer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPricing:
    """The result of a shop's pricing function: additions to the order's amount and discounts."""

    options: Sequence[ShippingOption] = ()
    selected_option: str | None = None
    """The option used if the customer chose none, or one that is not offered; by default the first."""
    discounts: Sequence[SheetDiscount] = ()
    errors: Sequence[SheetFault] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationQuestion:
    """The payment that a shop's own 3-D Secure function has to authenticate."""

    order: PaymentOrder
    reference: str
    """The clientSystemTransactionId."""
    account_id: str = field(repr=False)
    amount: Money
    card_network: str
    """Such as `VISA`; this and the digits are empty if the gateway does not tell them."""
    card_last_four: str


Pricer = Callable[[SheetQuestion], SheetPricing]
Chooser = Callable[[PaymentOrder, WalletPolicy], WalletPolicy]
"""Returns a button's appearance and a sheet's required fields, from the order and the settings."""
Authenticator = Callable[[AuthenticationQuestion], ThreeDSecure | Mapping[str, object] | None]
"""Returns None if the customer was not authenticated."""
