"""Receivers of the plugin's signals: oscar's books, the order's status, and oscar's mail once it is paid.

Oscar's cancellation ends the payment, and the end of the payment frees oscar's goods, wherever the order was
cancelled.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction as db_transaction
from django.urls import NoReverseMatch, reverse
from django.utils import translation
from oscar.apps.order.signals import order_status_changed
from oscar.core.loading import get_class

from wallet_gateway import conf, payments, signals
from wallet_gateway.contrib.mails.once import send_once
from wallet_gateway.contrib.oscar import sources
from wallet_gateway.contrib.oscar.apps import config
from wallet_gateway.domain.states import LatePayment, TransactionKind
from wallet_gateway.models import PaymentOrder
from wallet_gateway.models.fields import label_of
from wallet_gateway.protocol.money import Money


def connect() -> None:
    """Connect the receivers to the plugin's signals, and to oscar's change of a status."""
    for signal, receiver in (
        (signals.order_authorized, confirm),
        (signals.order_paid, confirm),
        (signals.order_captured_in_part, sources.record),
        (signals.order_refunded, sources.record),
        (signals.order_reversed, sources.record),
        (signals.order_anomaly, report),
        (signals.order_unfrozen, sources.record),
        (signals.order_released, release),
        (signals.operation_refused, note_refusal),
        (order_status_changed, follow_status),
    ):
        signal.connect(receiver, dispatch_uid="wallet_gateway.contrib.oscar", weak=False)


def report(*, order: PaymentOrder, **_rest: Any) -> None:
    """Record what has happened; a payment that came after the cancellation is a note for the staff."""
    placed = sources.record(order=order)
    if placed is not None and order.late_payment == LatePayment.REPORTED:
        _note_late_payment(placed)


def note_refusal(
    *,
    order: PaymentOrder | None,
    event_id: str,
    kind: TransactionKind,
    amount: Money,
    explanation: str,
    **_rest: Any,
) -> None:
    """Tell the staff of an operation that the dashboard had left open: it was not carried out."""
    placed = sources.record(order=order) if order is not None else None
    if placed is not None:
        message = f"{label_of(kind)} of {amount} by wallet was not carried out: {explanation}"
        send_once(order, "oscar_refused", lambda: add_note(placed, message), event_id=event_id)


def confirm(*, order: PaymentOrder, **_rest: Any) -> None:
    """Record the payment; the first time also move the oscar order on, and send its confirmation."""
    placed = sources.record(order=order)
    if placed is not None:
        send_once(order, "oscar_order_placed", lambda: _confirm_first(placed.pk, order))


def _confirm_first(pk: int, to_pay: PaymentOrder) -> None:
    """Do what follows the first word of a payment; it is done again until the mail is sent."""
    with db_transaction.atomic():
        # As it is now: it may have been cancelled, or written by the shop, since the payment was recorded.
        placed = sources.locked(pk)
        if is_late := to_pay.is_cancelled or placed.status == config().cancelled_status:
            _note_late_payment(placed)
        elif (status := config().paid_status) in placed.available_statuses():
            placed.set_status(status)
        elif placed.status != status:
            # The money is here, so a person must know.
            message = f"Paid by wallet; the status {placed.status!r} does not lead to {status!r}."
            add_note(placed, message)
    if is_late:
        return
    context = {"user": placed.user, "order": placed, "lines": placed.lines.all()}
    try:
        if placed.user:
            path = reverse("customer:order", args=[placed.number])
        else:
            path = reverse("customer:anon-order", args=[placed.number, placed.verification_hash()])
    except NoReverseMatch:
        path = ""
    if path:
        context |= {"status_path": path, "status_url": conf.settings().public_origin + path}
    with translation.override(to_pay.language or None):
        get_class("order.utils", "OrderDispatcher")().send_order_placed_email_for_user(placed, context)


def _note_late_payment(placed: Any) -> None:
    message = f"Paid by wallet after the cancellation; the status {placed.status!r} was left as it is."
    add_note(placed, message)


# Cancelled orders: their goods stay allocated until nothing can pay the order any more


def follow_status(*, order: Any, new_status: str, **_rest: Any) -> None:
    """Take no new payment for an oscar order that was cancelled, once the cancellation is committed."""
    if new_status == config().cancelled_status and (source := sources.source_of(order)):
        db_transaction.on_commit(lambda: _cancel(order, source))


def _cancel(placed: Any, source: Any) -> None:
    try:
        to_pay = payments.cancel(sources.order_to_pay(source), by="oscar")
    except payments.errors.InvalidState as error:
        if error.code is not payments.errors.ErrorCode.ORDER_REFUNDED:
            add_note(placed, str(error))
        return
    if to_pay.is_released:
        # It may have been released while its oscar order had another status.
        release(order=to_pay)


def release(*, order: PaymentOrder, **_rest: Any) -> None:
    """Free the goods of an order that can no longer be paid; first cancel one that only waited for it."""
    source = sources.source_with(order)
    if source is None:
        return
    with db_transaction.atomic():
        placed = sources.locked(source.order_id)
        if not _is_cancelled(placed, source):
            add_note(placed, f"Not paid by wallet in time; the status {placed.status!r} was left as it is.")
            return
        # A line whose product has left the catalogue has no stock.
        if lines := list(placed.lines.filter(stockrecord__isnull=False)):
            get_class("order.processing", "EventHandler")().cancel_stock_allocations(placed, lines)


def _is_cancelled(placed: Any, source: Any) -> bool:
    """Return whether an oscar order is cancelled now; not if somebody moved it on, or paid in another way."""
    status = config().cancelled_status
    if placed.status == status:
        return True
    others = placed.sources.exclude(pk=source.pk).filter(amount_allocated__gt=0)
    if status not in placed.available_statuses() or placed.status_changes.exists() or others.exists():
        return False
    placed.set_status(status)
    return True


def add_note(placed: Any, message: str) -> None:
    """Tell the staff, once, on the order's page of the dashboard."""
    placed.notes.get_or_create(note_type="System", message=message)
