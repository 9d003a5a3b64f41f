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
    """The order that is priced."""
    shipping_address: Mapping[str, str] | None = field(default=None, repr=False)
    """`countryCode`, `postalCode`, `locality`, `administrativeArea`; None if no address is chosen yet."""
    shipping_option: str | None = None
    """Id of the option that the customer chose; None before that."""
    offers: tuple[str, ...] = ()
    """Redemption codes that the customer entered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippingOption:
    """A shipping option and its price in addition to the order's amount."""

    id: str
    """Text that the sheet reports back when it is chosen: "express"."""
    label: str
    """What the customer reads."""
    amount: Decimal
    """Added to the order's amount, in major units, zero or more."""
    description: str = ""
    """A second line for the customer; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetDiscount:
    """A discount, by a redemption code or otherwise."""

    label: str
    """What the customer reads."""
    amount: Decimal
    """Above zero."""
    code: str = ""
    """The redemption code of the discount."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFault:
    """The reason why the sheet's choices cannot be priced: the interface, PaymentDataError."""

    intent: str
    """What it is about: `SHIPPING_ADDRESS`, `SHIPPING_OPTION` or `OFFER`."""
    reason: str
    """The wallet's word, such as `SHIPPING_ADDRESS_UNSERVICEABLE`."""
    message: str
    """Shown to the customer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPricing:
    """The result of a shop's pricing function: additions to the order's amount and discounts."""

    options: Sequence[ShippingOption] = ()
    """Ways of shipping for the address; empty without a choice."""
    selected_option: str | None = None
    """The option used if the customer chose none, or one that is not offered; by default the first."""
    discounts: Sequence[SheetDiscount] = ()
    """What is taken off the order's amount."""
    errors: Sequence[SheetFault] = ()
    """Why the choices cannot be priced; then nothing else counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthenticationQuestion:
    """The payment that a shop's own 3-D Secure function has to authenticate."""

    order: PaymentOrder
    """The order that is paid."""
    reference: str
    """The clientSystemTransactionId."""
    account_id: str = field(repr=False)
    """The transactionAccountId of the card at the gateway."""
    amount: Money
    """What will be charged."""
    card_network: str
    """Such as `VISA`; this and the digits are empty if the gateway does not tell them."""
    card_last_four: str
    """The last four digits of the card."""


Pricer = Callable[[SheetQuestion], SheetPricing]
Chooser = Callable[[PaymentOrder, WalletPolicy], WalletPolicy]
"""Returns a button's appearance and a sheet's required fields, from the order and the settings."""
Authenticator = Callable[[AuthenticationQuestion], ThreeDSecure | Mapping[str, object] | None]
"""Returns None if the customer was not authenticated."""
