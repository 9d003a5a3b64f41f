"""Receivers of the plugin's signals: oscar's books, the order's status, and oscar's mail once it is paid."""

from __future__ import annotations

from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils import translation
from oscar.core.loading import get_class

from wallet_gateway import conf, signals
from wallet_gateway.contrib.mails.once import send_once
from wallet_gateway.contrib.oscar import sources
from wallet_gateway.contrib.oscar.apps import config
from wallet_gateway.models import PaymentOrder


def connect() -> None:
    """Connect the receivers to the plugin's signals."""
    for signal, receiver in (
        (signals.order_authorized, confirm),
        (signals.order_paid, confirm),
        (signals.order_captured_in_part, record),
        (signals.order_refunded, record),
        (signals.order_reversed, record),
        (signals.order_anomaly, record),
    ):
        signal.connect(receiver, dispatch_uid="wallet_gateway.contrib.oscar", weak=False)


def record(*, order: PaymentOrder, **_rest: Any) -> None:
    """Write what has happened into oscar's books."""
    sources.record(order)


def confirm(*, order: PaymentOrder, **_rest: Any) -> None:
    """Record the payment; the first time also move the oscar order on, and send its confirmation."""
    placed = sources.record(order)
    if placed is not None:
        send_once(order, "oscar_order_placed", lambda: _confirm_first(placed, order.language))


def _confirm_first(placed: Any, language: str) -> None:
    """Do what follows the first word of a payment; it is done again until the mail is sent."""
    status = config().paid_status
    if status in placed.available_statuses():
        placed.set_status(status)
    elif placed.status != status:
        # Cancelled in the meantime, for example: the money is here, so a person must know.
        message = f"Paid by wallet; the status {placed.status!r} does not lead to {status!r}."
        placed.notes.get_or_create(note_type="System", message=message)
    _send_confirmation(placed, language)


def _send_confirmation(placed: Any, language: str) -> None:
    path = _status_path(placed)
    context = {"user": placed.user, "order": placed, "lines": placed.lines.all()}
    if path:
        context |= {"status_path": path, "status_url": conf.settings().public_origin + path}
    with translation.override(language or None):
        get_class("order.utils", "OrderDispatcher")().send_order_placed_email_for_user(placed, context)


def _status_path(placed: Any) -> str:
    try:
        if placed.user:
            return reverse("customer:order", args=[placed.number])
        return reverse("customer:anon-order", args=[placed.number, placed.verification_hash()])
    except NoReverseMatch:
        return ""
