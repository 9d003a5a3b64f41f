"""The customer on an order's page: who they are, and their addresses. Personal data, made safe to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.protocol.text import visible

Label = str | Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address in lines, as on a letter."""

    heading: Label
    lines: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """What the shop and the wallet tell of an order's customer; empty if neither tells anything."""

    facts: tuple[tuple[Label, str], ...] = field(repr=False)
    addresses: tuple[Address, ...]
    is_erased: bool


_NAME = ("cardholderFirstName", "cardholderLastName")
_FACTS: Mapping[Label, tuple[str, ...]] = {
    _("Name"): _NAME,
    _("E-mail"): ("cardholderEmail",),
    _("Mobile phone"): ("cardholderMobilePhone",),
    _("Phone at home"): ("cardholderHomePhone",),
    _("Phone at work"): ("cardholderWorkPhone",),
    _("Customer reference"): ("cardholderId",),
}
"""The fields of checkout details that are shown. A national identification number is not."""

_Lines = tuple[tuple[str, ...], ...]
_ADDRESS: _Lines = (
    ("firstName", "lastName"),
    ("street", "houseNumber"),
    ("zipPostalCode", "city"),
    ("state", "countryCode"),
    ("telephoneNumber",),
    ("email",),
    ("deliveryMethod",),
)
_WALLETS_ADDRESS: _Lines = (
    ("name",),
    ("address1",),
    ("address2",),
    ("address3",),
    ("postalCode", "locality"),
    ("administrativeArea", "countryCode"),
    ("phoneNumber",),
)


@sensitive_variables()
def customer_of(order: PaymentOrder, transactions: Iterable[GatewayTransaction]) -> Customer:
    """Return the customer of an order, as the shop gave it and as the newest wallet sheet did."""
    given = _given_by_wallet(transactions)
    addresses = order.content.get("addressDetails") or {}
    headed = (
        (_("Billing address"), addresses.get("billingAddress"), _ADDRESS),
        (_("Shipping address"), addresses.get("shippingAddress"), _ADDRESS),
        (_("Billing address from the wallet"), given.get("billingAddress"), _WALLETS_ADDRESS),
        (_("Shipping address from the wallet"), given.get("shippingAddress"), _WALLETS_ADDRESS),
    )
    written = ((heading, tuple(_written(address or {}, lines))) for heading, address, lines in headed)
    return Customer(
        facts=tuple(_facts(order, given)),
        addresses=tuple(Address(heading=heading, lines=lines) for heading, lines in written if lines),
        is_erased=order.is_erased,
    )


def customer_name(order: PaymentOrder) -> str:
    """Return who has ordered: the name, or the e-mail address without one; empty without both."""
    details = order.content.get("checkoutDetails") or {}
    return _joined(details, _NAME) or _joined(details, ("cardholderEmail",))


def _given_by_wallet(transactions: Iterable[GatewayTransaction]) -> Mapping[str, Any]:
    given = (row.wallet.given for row in transactions if hasattr(row, "wallet") and row.wallet.given)
    return next(iter(reversed([*given])), {})


def _facts(order: PaymentOrder, given: Mapping[str, Any]) -> Iterator[tuple[Label, str]]:
    details = order.content.get("checkoutDetails") or {}
    for label, names in _FACTS.items():
        if text := _joined(details, names):
            yield label, text
    email = visible(given.get("email") or "")
    if email and email.casefold() != _joined(details, ("cardholderEmail",)).casefold():
        yield _("E-mail from the wallet"), email


def _written(address: Mapping[str, Any], lines: _Lines) -> Iterator[str]:
    """Yield the lines of an address that are not empty, and each of them once."""
    return (line for line in dict.fromkeys(_joined(address, names) for names in lines) if line)


def _joined(values: Mapping[str, Any], names: Iterable[str]) -> str:
    return " ".join(filter(None, (visible(values.get(name) or "") for name in names)))
