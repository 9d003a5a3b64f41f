"""What a monitor watches: the last day's transactions as they stand, and what waits its turn.

It asks every few seconds, so nothing here reads more rows than a day brings, or than wait.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count

from wallet_gateway.models import GatewayTransaction, OutboxEvent

WITHIN = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """How many transactions of one kind stand in one state."""

    gateway: str
    kind: str
    state: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Numbers at one instant."""

    begun: tuple[Stand, ...]
    """What was begun within the last 24 hours, by how it stands now."""
    questions_due: Mapping[str, int]
    """For each gateway how many transactions are to be asked about by now."""
    events_undelivered: int


def read_metrics(now: datetime, aliases: Collection[str]) -> Metrics:
    """Count what was begun and what waits. Three statements, whatever their number."""
    rows = GatewayTransaction.objects.order_by()
    begun = rows.filter(created_at__gt=now - WITHIN).values_list("gateway", "kind", "state")
    due = dict(rows.filter(next_query_at__lte=now).values_list("gateway").annotate(Count("pk")))
    return Metrics(
        begun=tuple(
            Stand(gateway=gateway, kind=kind, state=state, number=number)
            for gateway, kind, state, number in begun.annotate(number=Count("pk"))
        ),
        questions_due={alias: due.get(alias, 0) for alias in aliases},
        events_undelivered=OutboxEvent.objects.filter(next_delivery_at__isnull=False).count(),
    )
