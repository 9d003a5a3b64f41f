"""Oscar's books: a source for each order, and a transaction and a payment event for each movement of money.

They are written by the receivers alone, from our rows and under our references. So a refund that is made in
another place is there as well, and each movement once, however often it is reported.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured
from django.db import transaction as db_transaction
from django.urls import reverse
from django.utils.translation import get_language, gettext
from oscar.core.loading import get_model

from wallet_gateway import conf, payments
from wallet_gateway.contrib.bridges import leads_to, log_missing, postal_address
from wallet_gateway.contrib.oscar.apps import config
from wallet_gateway.domain.states import PaymentType, TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.protocol.money import Money
from wallet_gateway.reports.search import orders_with

CODE: Final = "wallet-gateway"
PAID, REFUNDED, RELEASED, RESERVED = EVENTS = ("Paid", "Refunded", "Released", "Authorised")
"""Names of oscar's payment event types; the staff choose from them in the dashboard."""
_BY_KIND: Final = {
    TransactionKind.CAPTURE: ("Debit", PAID),
    TransactionKind.REFUND: ("Refund", REFUNDED),
    TransactionKind.REVERSAL: ("Release", RELEASED),
}


def open_source(order: Any) -> None:
    """Store what the wallet is to pay of an order, if other sources leave something.

    Raises `payments.errors.OperationRefused`; call it in the transaction that stores the order.
    """
    # As it is stored: what has just been placed may still have whole numbers and lazy texts.
    order = get_model("order", "Order").objects.get(pk=order.pk)
    due = order.total_incl_tax - sum(source.amount_allocated for source in order.sources.all())
    if due <= 0:
        return
    details = config().order_details(order, due)
    to_pay = payments.create_order(reference=order.number, **details)
    if not is_of_oscar(to_pay):
        raise ImproperlyConfigured(
            "Oscar's orders have one numbering: "
            f"give the gateways {config().gateway!r} and {to_pay.gateway!r} the same NUMBERING."
        )
    kind, _created = get_model("payment", "SourceType").objects.get_or_create(
        code=CODE, defaults={"name": "Wallet"}
    )
    order.sources.create(source_type=kind, currency=order.currency, reference=to_pay.reference)
    for name in EVENTS:
        get_model("order", "PaymentEventType").objects.get_or_create(name=name)


def source_of(order: Any) -> Any:
    """Return the wallet's source of an oscar order; None for an order that is paid in another way."""
    return order.sources.filter(source_type__code=CODE).first()


def source_with(to_pay: PaymentOrder) -> Any:
    """Return the wallet's source of the oscar order that a payment order pays; None for other orders."""
    if not is_of_oscar(to_pay):
        return None
    sources = get_model("payment", "Source").objects
    return sources.filter(source_type__code=CODE, reference=to_pay.reference).first()


def order_to_pay(source: Any) -> PaymentOrder:
    """Return what the wallet's source is to pay; raises `PaymentOrder.DoesNotExist`.

    It may be at another gateway than the one of today; it is never an order of another numbering.
    """
    same = orders_with(source.reference)
    found = min(filter(is_of_oscar, same), key=lambda order: order.gateway != config().gateway, default=None)
    if found is None:
        raise PaymentOrder.DoesNotExist(f"nothing is to be paid under {source.reference!r}")
    return found


def is_of_oscar(to_pay: PaymentOrder) -> bool:
    """Return whether an order has its reference from oscar, and not from another brand of the project."""
    gateway = config().gateway
    numbering = conf.gateway_settings(gateway).policy.numbering
    return to_pay.gateway == gateway or to_pay.numbering == numbering


def locked(pk: int) -> Any:
    """Lock an oscar order until the transaction ends, and return it as it is stored now."""
    return get_model("order", "Order").objects.select_for_update().get(pk=pk)


def record(*, order: PaymentOrder, **_rest: Any) -> Any:
    """Write what is new of a payment order into oscar's books; return the oscar order, or None."""
    source = source_with(order)
    if source is None:
        if is_of_oscar(order) and leads_to(order, "checkout:thank-you"):
            log_missing(order, "the oscar order")
        return None
    with db_transaction.atomic():
        # One receiver at a time.
        placed = locked(source.order_id)
        known = set(source.transactions.values_list("reference", flat=True))
        done = GatewayTransaction.objects.filter(payment__order=order, state=TransactionState.APPROVED)
        for transaction in done.order_by("pk"):
            # The part of an approved amount that our totals contain.
            units = (transaction.approved_minor or transaction.amount_minor) - transaction.excess_minor
            if transaction.reference in known or units <= 0:
                continue
            amount = Money.from_minor_units(units, transaction.currency).amount
            is_sale = transaction.payment_type == PaymentType.SALE
            opens = ("Debit", PAID) if is_sale else ("Authorise", RESERVED)
            kind, event = _BY_KIND.get(TransactionKind(transaction.kind), opens)
            source.transactions.create(
                txn_type=kind, amount=amount, reference=transaction.reference, status=transaction.state
            )
            event_type, _created = get_model("order", "PaymentEventType").objects.get_or_create(name=event)
            placed.payment_events.create(
                event_type=event_type, amount=amount, reference=transaction.reference
            )
        totals = payments.order_summary(order)
        source.amount_allocated = totals.authorized.amount
        source.amount_debited = totals.captured.amount
        source.amount_refunded = totals.refunded.amount
        # Nothing else: the shop may have written into the source what it has just heard of the transactions.
        source.save(update_fields=["amount_allocated", "amount_debited", "amount_refunded"])
    return placed


def order_details(order: Any, amount: Decimal) -> dict[str, Any]:
    """Return the arguments of `payments.create_order` that come from an oscar order."""
    address = order.billing_address or order.shipping_address
    billing = address and postal_address(
        line=address.line1, city=address.line4, postcode=address.postcode, country=address.country_id
    )
    items = [
        payments.Item(
            product_id=line.partner_sku,
            product_name=line.title,
            unit_amount=line.unit_price_incl_tax,
            quantity=line.quantity,
        )
        for line in order.lines.all()
        if line.unit_price_incl_tax
    ]
    items += [
        payments.Item(product_id=charge.code, product_name=charge.name, unit_amount=charge.incl_tax)
        for charge in order.surcharges.all()
        if charge.incl_tax
    ]
    gross = sum((item.unit_amount * item.quantity for item in items), order.shipping_incl_tax)
    discount = order.total_discount_incl_tax
    goods: dict[str, Any] = {"amount": amount}
    # Lines, shipping and discounts are left out if they do not come to the amount.
    if items and discount >= 0 and gross - discount == amount:
        name = order.shipping_method or gettext("Shipping")
        goods = {
            "items": items,
            "shipping": payments.Shipping(name=name, amount=order.shipping_incl_tax),
            "discounts": [payments.Discount(name=gettext("Discount"), amount=discount)] if discount else [],
        }
    return {
        "order_number": order.number,
        "currency": order.currency,
        "language": get_language(),
        "continue_url": reverse("checkout:thank-you"),
        "redirect_when_paid": True,
        "cardholder_email": order.email or None,
        "cardholder_first_name": getattr(address, "first_name", "") or None,
        "cardholder_last_name": getattr(address, "last_name", "") or None,
        "billing_address": billing,
        **goods,
    }
