"""The status of a payment of django-payments follows the state of its payment order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction as db_transaction
from django.db.models.signals import post_save
from payments import PaymentStatus, get_payment_model

from wallet_gateway import payments as wallet
from wallet_gateway.contrib.bridges import ORDER_CHANGED, columns_of, leads_to, log_missing, take_over
from wallet_gateway.domain.error_codes import AMBIGUOUS_REFERENCE
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.reports.search import orders_with

STATUSES: Final = {
    OrderState.AUTHORIZED: PaymentStatus.PREAUTH,
    OrderState.PART_CAPTURED: PaymentStatus.CONFIRMED,
    OrderState.PAID: PaymentStatus.CONFIRMED,
    OrderState.PART_REFUNDED: PaymentStatus.CONFIRMED,
    OrderState.OVERPAID: PaymentStatus.CONFIRMED,
    OrderState.REFUNDED: PaymentStatus.REFUNDED,
    OrderState.REVERSED: PaymentStatus.REFUNDED,
    OrderState.FAILED: PaymentStatus.REJECTED,
    OrderState.EXPIRED: PaymentStatus.REJECTED,
    OrderState.CANCELLED: PaymentStatus.CANCELLED,
}
"""States of an order; in any other the payment keeps the status that it has."""
_REFUNDED: Final = "_refunded_by_wallet"
"""The mark of an instance that django-payments is about to save as a whole."""


def connect() -> None:
    """Connect the receivers to the plugin's signals, and to the save with which a refund ends."""
    for signal in ORDER_CHANGED:
        signal.connect(follow, dispatch_uid="wallet_gateway.contrib.django_payments", weak=False)
    post_save.connect(
        correct, sender=get_payment_model(), dispatch_uid="wallet_gateway.contrib.django_payments"
    )


def follow(*, order: PaymentOrder, **_rest: Any) -> None:
    """Bring the payment of an order in step; other orders have none."""
    # The shop's own manager may leave rows out, or join others that cannot be locked.
    payment = get_payment_model()._base_manager.filter(token=order.reference).first()
    if payment is not None:
        update(payment, {})
    elif leads_to(order, "process_payment", token=order.reference):
        log_missing(order, "the payment")


def order_of(payment: Any) -> PaymentOrder | None:
    """Return what is to be paid for a payment, at whichever gateway; None without an order.

    The reference is the payment's token, a UUID, which no other order has by chance. Raises
    `wallet.errors.InvalidInput` if two have it all the same, because a shop has copied it.
    """
    found = orders_with(payment.token)
    if len(found) > 1:
        gateways = ", ".join(order.gateway for order in found)
        raise wallet.errors.InvalidInput(*AMBIGUOUS_REFERENCE, reference=payment.token, gateways=gateways)
    return found[0] if found else None


def begin(payment: Any) -> None:
    """Store that the customer is sent to pay, unless the payment has gone on since it was read."""
    if payment.status == PaymentStatus.WAITING:
        with db_transaction.atomic():
            payment.status = columns_of(payment, locks=True)["status"]
            if payment.status == PaymentStatus.WAITING:
                payment.change_status(PaymentStatus.INPUT)


def update(payment: Any, before: Mapping[str, Any]) -> None:
    """Store status and captured amount as the order has them now; nothing without an order.

    The instance gets the columns that others have stored since its row was as in `before`: a later save of
    the whole instance does not write older values back. A change of status is saved together with what the
    receivers of `status_changed` save, or not at all: one that raises is called again when the event is
    delivered again.
    """
    with db_transaction.atomic():
        # One at a time, so that an older state never replaces a newer one.
        now = columns_of(payment, locks=True)
        take_over(payment, before, now)
        payment.status = now["status"]
        order = order_of(payment)
        if order is None:
            return
        totals = wallet.order_summary(order)
        payment.captured_amount = totals.captured.amount - totals.refunded.amount
        payment.save(update_fields=["captured_amount"])
        status = STATUSES.get(totals.state, payment.status)
        if status != payment.status:
            payment.change_status(status)


def expect_save(payment: Any) -> None:
    """Look again at a payment once django-payments has saved it with what it has calculated by itself."""
    setattr(payment, _REFUNDED, True)


def correct(*, instance: Any, update_fields: frozenset[str] | None, **_rest: Any) -> None:
    """Bring a payment in step after that save: another refund may have been stored right before it."""
    is_whole = update_fields is None or "captured_amount" in update_fields
    if is_whole and vars(instance).pop(_REFUNDED, False):
        update(instance, {})
