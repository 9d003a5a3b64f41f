"""What a customer reads of a payment: the receipt of goods, sums and card, and the data from the wallet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from wallet_gateway.domain.cards import network_name
from wallet_gateway.domain.states import OPENING_KINDS, TransactionKind, TransactionState
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import GatewayTransaction, PaymentOrder, WalletAttempt
from wallet_gateway.protocol.accounts import CardType
from wallet_gateway.protocol.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptLine:
    """One line of the cart; its amount is for all pieces, tax included, after its discount."""

    name: str
    """The product's name."""
    quantity: int
    """Number of pieces."""
    amount: Money
    """For all pieces, tax included, after the line's discount."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptAmount:
    """An amount beside the lines, such as shipping; a deduction is positive, too."""

    label: str
    """As the customer reads it, such as the shipping service."""
    amount: Money
    """Above zero, also for a deduction."""
    is_deduction: bool
    """Whether it is taken off, as a discount."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was bought: the lines, then shipping and discounts, then the total."""

    lines: tuple[ReceiptLine, ...]
    """Empty for an order that was created with an amount only, and once its data was erased."""
    extras: tuple[ReceiptAmount, ...]
    """Shipping, discounts on the whole order, and what the customer chose in the wallet's sheet."""
    total: Money
    """The amount that the customer has approved, or is to pay."""
    tax: Money | None
    """The tax in the total; None if the order does not tell it, or if the sheet has changed the total."""
    refunded: Money | None = None
    """None if nothing was refunded."""
    approved_at: datetime | None = None
    """When the gateway approved it; None if that is not known."""
    card_network: str = ""
    """As people read it, such as `Visa`.

    This and the digits are known only of a card from the wallet's sheet: of a payment on the hosted page, the
    gateway's records name the payer and no card.
    """
    card_last_four: str = ""
    """The last four digits; empty as above."""
    email: str = ""
    """Shortened: `a•••@shop.example`; empty without one, and while nothing is paid."""
    ships_to: str = ""
    """Postal code and city: `20095 Hamburg`; empty as above."""


def order_goods(order: PaymentOrder) -> Receipt:
    """Return goods and sums of an order that is not paid, as it was made. No SQL statement."""
    tax = (order.cart or {}).get("totalTaxAmount")
    return _receipt(order, order.cart_extras, total=order.amount, tax=tax)


@sensitive_variables()
def order_receipt(order: PaymentOrder) -> Receipt | None:
    """Return what a customer has paid for and with, for a thank-you page of the shop's own.

    It names no person, but goods, the last digits of a card, a shortened e-mail address and a city: show it
    to the customer only.

    :param order: any order.
    :returns: the receipt; None for an order that nothing was approved for. One SQL statement, none for an
        order that was just reconciled; one more for a card of the wallet's sheet.
    """
    known = order.known_payments
    if known is not None and known.version == order.version:
        payments = list(known.payments)
    else:
        openings = GatewayTransaction.objects.filter(payment__order=order, kind__in=OPENING_KINDS)
        payments = [row.opened_payment for row in openings.select_related("payment")]
    approved = [payment for payment in payments if payment.authorized]
    if not approved:
        return None
    payment = max(approved, key=lambda payment: payment.number)
    refunded = sum(payment.refunded for payment in payments)
    cart, is_as_ordered = order.cart or {}, payment.amount_minor == order.amount_minor
    goods, tax = cart.get("itemDetails", ()), cart.get("totalTaxAmount")
    extras = list(order.cart_extras)
    given: Mapping[str, Any] = {}
    if payment.opening.kind == TransactionKind.AUTHORIZATION:
        sheets = WalletAttempt.objects.filter(transaction=payment.opening).values_list("price", "given")
        price, given = sheets.first() or ({}, {})
        if not is_as_ordered:
            # The sheet begins with the cart's items; an order without a cart is one line, its total.
            extras = [(label, amount) for label, _, amount in price.get("lines", ())[len(goods) or 1 :]]
    receipt = _receipt(order, extras, total=payment.amount, tax=tax if is_as_ordered else None)
    of_order = order.content.get("addressDetails", {}).get("shippingAddress", {})
    of_sheet = given.get("shippingAddress") or {}
    place = of_sheet.get("postalCode"), of_sheet.get("locality")
    if not of_sheet:
        place = of_order.get("zipPostalCode"), of_order.get("city")
    user, at, host = (given.get("email") or address_of(order)).rpartition("@")
    return replace(
        receipt,
        refunded=Money.from_minor_units(refunded, order.currency) if refunded else None,
        approved_at=payment.opening.approved_at,
        card_network=network_name(payment.card_network),
        card_last_four=payment.card_last_four,
        email=f"{user[0]}•••{at}{host}" if user else "",
        ships_to=" ".join(filter(None, place)),
    )


def _receipt(
    order: PaymentOrder, extras: Iterable[tuple[str, str]], *, total: Money, tax: str | None
) -> Receipt:
    def money(text: str) -> Money:
        return Money.parse(text, order.currency, allow_zero=True)

    return Receipt(
        lines=tuple(
            ReceiptLine(
                name=item["productName"],
                quantity=int(item["productQuantity"]),
                amount=money(item["totalAmount"]),
            )
            for item in (order.cart or {}).get("itemDetails", ())
        ),
        extras=tuple(
            ReceiptAmount(
                label=label, amount=money(amount.removeprefix("-")), is_deduction=amount.startswith("-")
            )
            for label, amount in extras
        ),
        total=total,
        tax=money(tax) if tax else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletReceipt:
    """One card that was or will be charged, and its data from the wallet. Personal data; never a secret."""

    card_network: str
    """`VISA`, `MASTERCARD`, `AMEX`, `DISCOVER` or `JCB`; empty if the gateway does not tell it."""
    card_last_four: str
    """The only part of the card number that is stored; empty as above, or once it was erased."""
    is_tokenized: bool
    """Whether a device's account number stands for the card's."""
    amount: Money
    """The amount that the customer approved on the sheet."""
    lines: tuple[tuple[str, Decimal], ...]
    """The lines of the amount as the sheet showed them; deductions are negative."""
    email: str = field(default="", repr=False)
    """This and the addresses are empty if the wallet was not asked for them."""
    billing_address: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Keys as in the interface: `name`, `address1`, `locality`, `postalCode`, `countryCode`, ..."""
    shipping_address: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Keys as of the billing address."""

    @property
    def card_brand(self) -> str:
        """The card's network as people read it: `Visa`, `American Express`; empty as above."""
        return network_name(self.card_network)


_NOT_CHARGED = (
    TransactionState.AWAITING_RESULT,
    TransactionState.REJECTED,
    TransactionState.NOT_SENT,
    TransactionState.ABANDONED,
)


@sensitive_variables()
def wallet_receipt(order: PaymentOrder) -> WalletReceipt | None:
    """Return the wallet data of the card that pays an order.

    :param order: any order.
    :returns: network, last digits, amount and what the sheet was asked for; None if no wallet card pays it.
        One SQL statement.
    """
    rows = GatewayTransaction.objects.filter(payment__order=order, kind=TransactionKind.AUTHORIZATION)
    charged = rows.exclude(state__in=_NOT_CHARGED).exclude(payment__card_type="")
    transaction = charged.select_related("payment", "wallet").order_by("-pk").first()
    if transaction is None:
        return None
    payment, given, price = transaction.opened_payment, transaction.wallet.given, transaction.wallet.price
    return WalletReceipt(
        card_network=payment.card_network,
        card_last_four=payment.card_last_four,
        is_tokenized=payment.card_type == CardType.TOKEN,
        amount=Money.from_minor_units(price.get("total", transaction.amount_minor), transaction.currency),
        lines=tuple((label, Decimal(amount)) for label, _, amount in price.get("lines", ())),
        email=given.get("email", ""),
        billing_address=given.get("billingAddress", {}),
        shipping_address=given.get("shippingAddress", {}),
    )


def address_of(order: PaymentOrder) -> str:
    """Return the customer's e-mail address from the order; empty if it has no valid one."""
    address: str = order.content.get("checkoutDetails", {}).get("cardholderEmail") or ""
    try:
        validate_email(address)
    except ValidationError:
        # The shop's input is unchecked: it may contain several addresses, or the beginning of a header.
        return ""
    return address
