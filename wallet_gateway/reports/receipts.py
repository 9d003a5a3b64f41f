"""The receipt of a paid order: goods, sums, card and time, as a customer reads them. It names no person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wallet_gateway.domain.card_names import network_name
from wallet_gateway.domain.lifecycle import OPENING_KINDS, TransactionKind
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, WalletAttempt
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
    """What was paid: the lines, then shipping and discounts, then the total."""

    lines: tuple[ReceiptLine, ...]
    """Empty for an order that was created with an amount only, and once its data was erased."""
    extras: tuple[ReceiptAmount, ...]
    """Shipping, discounts on the whole order, and what the customer chose in the wallet's sheet."""
    total: Money
    """The amount that the customer has approved."""
    tax: Money | None
    """The tax in the total; None if the order does not tell it, or if the sheet has changed the total."""
    refunded: Money | None
    """None if nothing was refunded."""
    approved_at: datetime | None
    """When the gateway approved it; None if that is not known."""
    card_network: str
    """As people read it, such as `Visa`.

    This and the digits are known only of a card from the wallet's sheet: of a payment on the hosted page, the
    gateway's records name the payer and no card.
    """
    card_last_four: str
    """The last four digits; empty as above."""


def order_receipt(order: PaymentOrder) -> Receipt | None:
    """Return the receipt of an order's latest approved payment; None without one."""
    payments = _payments(order)
    approved = [payment for payment in payments if payment.authorized]
    if not approved:
        return None
    return _receipt(
        order,
        max(approved, key=lambda payment: payment.number),
        refunded=sum(payment.refunded for payment in payments),
    )


def _receipt(order: PaymentOrder, payment: Payment, *, refunded: int) -> Receipt:
    cart, currency = order.cart or {}, order.currency
    is_as_ordered = payment.amount_minor == order.amount_minor
    extras = order.cart_extras if is_as_ordered else _sheet_extras(order, payment)
    tax = cart.get("totalTaxAmount") if is_as_ordered else None
    return Receipt(
        lines=tuple(_lines(cart, currency)),
        extras=tuple(_amounts(extras, currency)),
        total=payment.amount,
        tax=_money(tax, currency) if tax else None,
        refunded=Money.from_minor_units(refunded, currency) if refunded else None,
        approved_at=payment.opening.approved_at,
        card_network=network_name(payment.card_network),
        card_last_four=payment.card_last_four,
    )


def _payments(order: PaymentOrder) -> list[Payment]:
    """Return all payments of an order, each with its opening transaction."""
    known = order.known_payments
    if known is not None and known.version == order.version:
        return list(known.payments)
    rows = GatewayTransaction.objects.filter(payment__order=order, kind__in=OPENING_KINDS)
    return [row.opened_payment for row in rows.select_related("payment")]


def _lines(cart: Mapping[str, Any], currency: str) -> Iterator[ReceiptLine]:
    for item in cart.get("itemDetails", ()):
        yield ReceiptLine(
            name=item["productName"],
            quantity=int(item["productQuantity"]),
            amount=_money(item["totalAmount"], currency),
        )


def _sheet_extras(order: PaymentOrder, payment: Payment) -> list[tuple[str, str]]:
    """Return label and amount of each line of the approved sheet that is no line of the cart."""
    if payment.opening.kind != TransactionKind.AUTHORIZATION:
        return list(order.cart_extras)
    prices = WalletAttempt.objects.filter(transaction=payment.opening).values_list("price", flat=True)
    # The sheet begins with the cart's items; an order without a cart is one line, its total.
    goods = len((order.cart or {}).get("itemDetails", ())) or 1
    lines = (prices.first() or {}).get("lines", ())
    return [(label, amount) for label, _, amount in lines[goods:]]


def _amounts(extras: Iterable[tuple[str, str]], currency: str) -> Iterator[ReceiptAmount]:
    for label, amount in extras:
        yield ReceiptAmount(
            label=label,
            amount=_money(amount.removeprefix("-"), currency),
            is_deduction=amount.startswith("-"),
        )


def _money(text: str, currency: str) -> Money:
    return Money.parse(text, currency, allow_zero=True)
