"""Cancelled orders: oscar's cancellation ends the payment, and the end of the payment frees oscar's goods.

The goods stay allocated until nothing can pay the order any more, wherever it was cancelled.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction as db_transaction
from oscar.core.loading import get_class

from wallet_gateway import payments
from wallet_gateway.contrib.oscar import sources
from wallet_gateway.contrib.oscar.apps import config
from wallet_gateway.models import PaymentOrder


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
