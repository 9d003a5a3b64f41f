"""The authorizations that lapse first, with a countdown, for lists and the dashboard."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db.models import Q, QuerySet

from wallet_gateway.domain.capture_deadline import CaptureWindow
from wallet_gateway.domain.lifecycle import PaymentState
from wallet_gateway.models import Payment
from wallet_gateway.models.authorizations import holding, uncaptured
from wallet_gateway.protocol.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingAuthorization:
    """One authorization of which something is left to capture."""

    payment: Payment
    left: Money
    ends_at: datetime

    def time_left(self, now: datetime) -> timedelta:
        """Return how long it can still be relied on; below zero once it may have lapsed."""
        return self.ends_at - now


def ending_authorizations(
    windows: Mapping[str, CaptureWindow], *, now: datetime, limit: int = 100
) -> tuple[EndingAuthorization, ...]:
    """Return what is within its warning time, the most urgent first. One statement for each gateway."""
    found = [
        ending(transaction.payment, window, transaction.state_changed_at)
        for gateway, window in windows.items()
        for transaction in uncaptured(gateway)
        .filter(state_changed_at__lte=window.told_from(now))
        .order_by("state_changed_at")[:limit]
        if transaction.payment is not None
    ]
    return tuple(islice(sorted(found, key=lambda row: row.ends_at), limit))


def ending(payment: Payment, window: CaptureWindow, authorized_at: datetime) -> EndingAuthorization:
    """Return one authorization with what is left of it and when it lapses."""
    left = payment.authorized - payment.captured - payment.capture_reserved
    return EndingAuthorization(
        payment=payment,
        left=Money.from_minor_units(left, payment.currency),
        ends_at=window.ends_at(authorized_at),
    )


def held_since(orders: Collection[int]) -> Mapping[int, datetime]:
    """Return since when the oldest uncaptured authorization of each of these orders holds. One statement."""
    rows = holding().filter(payment__order__in=orders).order_by("-state_changed_at")
    return dict(rows.values_list("payment__order_id", "state_changed_at"))


HOLDING = (PaymentState.AUTHORIZED, PaymentState.PART_CAPTURED)
"""States of a payment of which something is left to capture."""


def lapsing(lapse_from: Mapping[str, datetime]) -> QuerySet[Payment]:
    """Return the payments that hold money and were begun before the instant named for their gateway."""
    soon = Q(pk__in=())
    for gateway, instant in lapse_from.items():
        soon |= Q(order__gateway=gateway, created_at__lt=instant)
    return Payment.objects.filter(soon, state__in=HOLDING)


def lapsing_orders(lapse_from: Mapping[str, datetime]) -> Q:
    """Return the condition that a payment of an order holds money and lapses soon."""
    if len(set(lapse_from.values())) != 1:
        return Q(pk__in=lapsing(lapse_from).values("order_id"))
    # One instant for all, as where there is one gateway: their payments need not look their orders up.
    [instant] = set(lapse_from.values())
    held = Payment.objects.filter(state__in=HOLDING, created_at__lt=instant)
    return Q(gateway__in=tuple(lapse_from), pk__in=held.values("order_id"))
