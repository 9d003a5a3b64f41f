"""Requests for a second person's approval, for the dashboard and an order's timeline. Reads only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import QuerySet

from wallet_gateway.models import Approval, ApprovalState, PaymentOrder


def waiting_rows(now: datetime) -> QuerySet[Approval]:
    """Return the requests on which a second person may decide, the oldest first."""
    rows = Approval.objects.filter(state=ApprovalState.WAITING, expires_at__gt=now)
    return rows.select_related("payment__order", "deposit", "subject").order_by("expires_at", "pk")


def waiting_approvals(*, now: datetime) -> tuple[Approval, ...]:
    """Return them all, with what each is about, in one statement."""
    return tuple(waiting_rows(now))


def approvals_of(order: PaymentOrder) -> Iterator[Approval]:
    """Yield what was ever asked for on an order that took a second person, in order of time."""
    rows = Approval.objects.filter(payment__order=order).select_related("payment")
    yield from rows.order_by("pk")
