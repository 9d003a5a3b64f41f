"""Approval requests that need a second person, for the dashboard and an order's timeline. Read-only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import QuerySet

from wallet_gateway.models import Approval, ApprovalState, PaymentOrder


def waiting_rows(now: datetime) -> QuerySet[Approval]:
    """Return the requests that a second person can decide now, the oldest first."""
    rows = Approval.objects.filter(state=ApprovalState.WAITING, expires_at__gt=now)
    return rows.select_related("payment__order", "deposit", "subject").order_by("expires_at", "pk")


def waiting_approvals(*, now: datetime) -> tuple[Approval, ...]:
    """Return all of these requests with their subjects, in one SQL statement."""
    return tuple(waiting_rows(now))


def approvals_of(order: PaymentOrder) -> Iterator[Approval]:
    """Yield all approval requests ever made for an order, in order of time."""
    rows = Approval.objects.filter(payment__order=order).select_related("payment")
    yield from rows.order_by("pk")
