"""What waits for a person, the oldest first: for the desk. One statement for each kind of work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import IntentState, PaymentState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment

MOST_SHOWN = 10
"""Rows of one kind of work that the desk shows; the lists have the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What a person has to look at; of each kind one more than is shown, where there are more."""

    unknown: tuple[GatewayTransaction, ...]
    """Outcomes that nobody knows."""
    anomalies: tuple[GatewayTransaction, ...]
    """Evidence that contradicts the request or itself."""
    stuck: tuple[GatewayTransaction, ...]
    """Not sent, or pending for too long, and left to a person."""
    discrepancies: tuple[Discrepancy, ...]
    shortfalls: tuple[Discrepancy, ...]
    """Detached refunds approved for less than was asked."""
    expiring: tuple[Payment, ...]
    """Authorisations that will soon be worth nothing."""

    @property
    def is_empty(self) -> bool:
        """Whether nobody needs to do anything."""
        doubts = self.unknown or self.anomalies or self.discrepancies
        return not (doubts or self.stuck or self.shortfalls or self.expiring)


def waiting(lapse_from: Mapping[str, datetime]) -> Waiting:
    """Return what waits for a person. Six statements.

    `lapse_from` says for each gateway before which instant an authorisation made there is about to lapse.
    """
    left_to_person = Q(needs_operator=True) & ~Q(state__in=[IntentState.UNKNOWN, IntentState.ANOMALY])
    short = Q(kind=DiscrepancyKind.REFUND_SHORT)
    return Waiting(
        unknown=_intents(Q(state=IntentState.UNKNOWN)),
        anomalies=_intents(Q(state=IntentState.ANOMALY)),
        stuck=_intents(left_to_person & Q(state__in=_WAITING_STATES)),
        discrepancies=_differences(~short),
        shortfalls=_differences(short),
        expiring=_expiring(lapse_from),
    )


_WAITING_STATES = (
    IntentState.SENDING,
    IntentState.NOT_SENT,
    IntentState.PENDING,
    IntentState.AWAITING_3DS,
)


def _intents(which: Q) -> tuple[GatewayTransaction, ...]:
    rows = GatewayTransaction.objects.filter(which).select_related("payment__order", "deposit")
    return tuple(rows.order_by("state_since", "pk")[: MOST_SHOWN + 1])


def _differences(which: Q) -> tuple[Discrepancy, ...]:
    rows = Discrepancy.objects.filter(which, closed_at__isnull=True)
    return tuple(rows.select_related("payment__order", "deposit", "intent").order_by("pk")[: MOST_SHOWN + 1])


def _expiring(lapse_from: Mapping[str, datetime]) -> tuple[Payment, ...]:
    held = Q(state__in=[PaymentState.AUTHORISED, PaymentState.PART_CAPTURED])
    soon = Q(pk__in=())
    for gateway, instant in lapse_from.items():
        soon |= Q(order__gateway=gateway, created_at__lt=instant)
    rows = Payment.objects.filter(held & soon).select_related("order")
    return tuple(rows.order_by("created_at", "pk")[: MOST_SHOWN + 1])
