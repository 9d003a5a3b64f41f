"""Attempts to pay: one by its reference, the latest of an order, and whether its payment page is open."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from wallet_gateway.domain.lifecycle import (
    OPENING_KINDS,
    UNENDED_STATES,
    PaymentState,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.polling_schedule import offered_until
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.protocol.text import is_storable

_ONLY_SHOWN = (PaymentState.OFFERED, PaymentState.EXPIRED)
"""States of a button that was shown and not pressed."""


def find_attempt(reference: str) -> Payment:
    """Return the attempt with this reference and its order; raises `Payment.DoesNotExist`."""
    if not is_storable(reference):
        raise Payment.DoesNotExist(f"no attempt has the reference {reference[:64]!r}")
    return Payment.objects.select_related("order").get(reference=reference)


def latest_reference(order: PaymentOrder) -> str:
    """Return the reference of the latest attempt to pay an order; empty without one.

    A later button that was not pressed does not count: the gateway has no record of it.
    """
    latest = Payment.objects.filter(order=order).order_by("-pk").values_list("reference", flat=True)
    return latest.exclude(state__in=_ONLY_SHOWN).first() or latest.first() or ""


def may_turn_out_paid(order: PaymentOrder) -> bool:
    """Return whether the gateway may still report an attempt to pay this order as paid."""
    attempts = GatewayTransaction.objects.filter(payment__order=order, kind__in=OPENING_KINDS)
    on_watch = Q(next_query_at__isnull=False)
    return attempts.filter(Q(state__in=UNENDED_STATES - {TransactionState.NOT_SENT}) | on_watch).exists()


def open_page(order: PaymentOrder, now: datetime) -> str:
    """Return the address of the order's latest payment page if it would be shown again at `now`, or empty."""
    latest = _latest_page(order)
    if latest is None or latest.state != TransactionState.OPEN or latest.expires_at is None:
        return ""
    until = offered_until(opened_at=latest.created_at, expires_at=latest.expires_at)
    return latest.redirect_url if until > now else ""


def is_being_opened(order: PaymentOrder, now: datetime) -> bool:
    """Return whether a process is opening a payment page of the order at `now`."""
    latest = _latest_page(order)
    if latest is None or latest.state != TransactionState.SENDING or latest.leased_until is None:
        return False
    return latest.leased_until > now


def _latest_page(order: PaymentOrder) -> GatewayTransaction | None:
    pages = GatewayTransaction.objects.filter(payment__order=order, kind=TransactionKind.CHECKOUT)
    return pages.order_by("-pk").first()
