"""The authorizations that expire first, with the time left, for lists and the dashboard."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db.models import Q, QuerySet

from wallet_gateway.domain.capture_deadline import CaptureWindow
from wallet_gateway.models import Payment
from wallet_gateway.models.authorizations import holding, holds, uncaptured
from wallet_gateway.models.test_rows import not_left_alone
from wallet_gateway.protocol.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiringAuthorization:
    """One authorization with an amount left to capture."""

    payment: Payment
    left: Money
    expires_at: datetime

    def time_left(self, now: datetime) -> timedelta:
        """Return how long the authorization is reliable; negative once it may have expired."""
        return self.expires_at - now


def expiring_authorizations(
    windows: Mapping[str, CaptureWindow],
    *,
    now: datetime,
    limit: int = 100,
    live: Collection[str] = (),
) -> tuple[ExpiringAuthorization, ...]:
    """Return the authorizations within their warning time, the most urgent first. One query per gateway.

    Tests of the `live` gateways are left out.
    """
    counted = not_left_alone(live)
    found = [
        expiring(transaction.payment, window, transaction.approved_at)
        for gateway, window in windows.items()
        for transaction in uncaptured(gateway, since=window.warns_from(now)).filter(counted)[:limit]
        if transaction.payment is not None and transaction.approved_at is not None
    ]
    return tuple(islice(sorted(found, key=lambda row: row.expires_at), limit))


def expiring(payment: Payment, window: CaptureWindow, authorized_at: datetime) -> ExpiringAuthorization:
    """Return one authorization with the amount left to capture and its expiry time."""
    left = payment.authorized - payment.captured - payment.capture_reserved
    return ExpiringAuthorization(
        payment=payment,
        left=Money.from_minor_units(left, payment.currency),
        expires_at=window.expires_at(authorized_at),
    )


def held_since(orders: Collection[int]) -> Mapping[int, datetime]:
    """Return since when each order's oldest uncaptured authorization has held money. One SQL statement."""
    rows = holding().filter(payment__order__in=orders).order_by("-approved_at")
    found = rows.values_list("payment__order_id", "approved_at")
    return {order: since for order, since in found if since is not None}


def expiring_payments(expires_from: Mapping[str, datetime]) -> QuerySet[Payment]:
    """Return the payments that hold money and began before the time given for their gateway."""
    soon = Q(pk__in=())
    for gateway, instant in expires_from.items():
        soon |= Q(order__gateway=gateway, created_at__lt=instant)
    return Payment.objects.filter(holds(), soon)


def expiring_orders(expires_from: Mapping[str, datetime]) -> Q:
    """Return the condition that a payment of an order holds money and expires soon."""
    if len(set(expires_from.values())) != 1:
        return Q(pk__in=expiring_payments(expires_from).values("order_id"))
    # One time for all gateways (as with a single gateway) avoids joining the payments to their orders.
    [instant] = set(expires_from.values())
    held = Payment.objects.filter(holds(), created_at__lt=instant)
    return Q(gateway__in=tuple(expires_from), pk__in=held.values("order_id"))
