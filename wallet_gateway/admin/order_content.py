"""What an order's page shows of its content: customer and addresses, which are personal data, and goods.

All values are safe to show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.formats import format_money, format_percent
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.money import Money
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
    sheets = [row.wallet.given for row in transactions if hasattr(row, "wallet") and row.wallet.given]
    given: Mapping[str, Any] = sheets[-1] if sheets else {}
    details = order.content.get("checkoutDetails") or {}
    facts = [(label, text) for label, names in _FACTS.items() if (text := _joined(details, names))]
    email = visible(given.get("email") or "")
    if email and email.casefold() != _joined(details, ("cardholderEmail",)).casefold():
        facts.append((_("E-mail from the wallet"), email))
    addresses = order.content.get("addressDetails") or {}
    headed = (
        (_("Billing address"), addresses.get("billingAddress"), _ADDRESS),
        (_("Shipping address"), addresses.get("shippingAddress"), _ADDRESS),
        (_("Billing address from the wallet"), given.get("billingAddress"), _WALLETS_ADDRESS),
        (_("Shipping address from the wallet"), given.get("shippingAddress"), _WALLETS_ADDRESS),
    )
    written = []
    for heading, address, fields in headed:
        # The lines that are not empty, and each of them once.
        lines = tuple(filter(None, dict.fromkeys(_joined(address or {}, names) for names in fields)))
        if lines:
            written.append(Address(heading=heading, lines=lines))
    return Customer(
        facts=tuple(facts),
        addresses=tuple(written),
        is_erased=order.is_erased,
    )


def customer_name(order: PaymentOrder) -> str:
    """Return who has ordered: the name, or the e-mail address without one; empty without both."""
    details = order.content.get("checkoutDetails") or {}
    return _joined(details, _NAME) or _joined(details, ("cardholderEmail",))


def _joined(values: Mapping[str, Any], names: Iterable[str]) -> str:
    return " ".join(filter(None, (visible(values.get(name) or "") for name in names)))


MAX_LINES = 100
"""Lines that are shown; a longer cart is in the shop's own order."""


def goods_of(order: PaymentOrder) -> dict[str, Any] | None:
    """Return the first lines of the cart, how many more there are, and the sums; None without a cart.

    What the shop left out is empty; a stored text that cannot be read as an amount is shown as it is.
    """
    cart = order.cart
    if cart is None:
        return None
    items, currency = cart.get("itemDetails") or (), order.currency
    # What stands between the lines and the total: shipping, discounts and tax.
    sums: list[tuple[Label, str]] = []
    for name, stored in order.cart_extras:
        if not stored.startswith("-"):
            sums.append((visible(name) or _("Shipping"), _amount(stored, currency)))
        elif amount := _deduction(stored.removeprefix("-"), currency):
            sums.append((visible(name) or _("Discount"), amount))
    if tax := _amount(cart.get("totalTaxAmount"), currency):
        sums.append((_("Tax, contained in the total"), tax))
    return {
        "lines": [
            {
                "name": visible(item.get("productName") or ""),
                "product_id": visible(item.get("productId") or ""),
                "description": visible(item.get("productDescription") or ""),
                "quantity": visible(item.get("productQuantity") or ""),
                "unit": _amount(item.get("unitAmount"), currency),
                "tax": _amount(item.get("totalTaxAmount"), currency),
                "tax_rate": _rate(item.get("taxRate")),
                "discount": _deduction(item.get("discountAmount"), currency),
                "discount_name": visible(item.get("discountName") or ""),
                "total": _amount(item.get("totalAmount"), currency),
            }
            for item in items[:MAX_LINES]
        ],
        "more": max(len(items) - MAX_LINES, 0),
        "sums": sums,
        "total": format_money(order.amount),
    }


def _rate(given: object) -> str:
    """Return a tax rate, a percentage on the wire, as the reader writes it; other texts stay as they are."""
    text = visible(given or "")
    try:
        percent = Decimal(text)
    except InvalidOperation:
        return text
    if not percent.is_finite():
        return text
    decimals = max(-int(percent.normalize().as_tuple().exponent), 0)
    return format_percent(percent / 100, decimals=min(decimals, 4))


def _amount(stored: object, currency: str) -> str:
    amount = _read(stored, currency)
    return format_money(amount) if isinstance(amount, Money) else amount


def _deduction(stored: object, currency: str) -> str:
    amount = _read(stored, currency)
    if isinstance(amount, Money):
        return format_money(amount, negative=True) if amount.minor_units else ""
    return amount and f"\N{MINUS SIGN}{amount}"


def _read(stored: object, currency: str) -> Money | str:
    """Return a stored amount; as safe text if it cannot be read as one, which is empty for None."""
    if stored is None:
        return ""
    try:
        return Money.parse(str(stored), currency, allow_zero=True)
    except ProtocolError:
        return visible(stored)
