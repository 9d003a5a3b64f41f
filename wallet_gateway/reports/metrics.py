"""Metrics for a monitor: the last day's transactions by current state, and the lengths of the queues.

A monitor reads them every few seconds, so each query reads at most one day's rows, or the waiting ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count

from wallet_gateway.domain.polling_schedule import QueryPriority
from wallet_gateway.models import GatewayTransaction, OutboxEvent
from wallet_gateway.models.test_rows import not_left_alone

WITHIN = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """The number of transactions of one kind in one state."""

    gateway: str
    kind: str
    state: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """All metrics at one point in time."""

    begun: tuple[Stand, ...]
    """Transactions begun within the last 24 hours, by current state."""
    queries_due: Mapping[str, int]
    """The number of transactions per gateway that are due for a status query."""
    events_undelivered: int


def read_metrics(now: datetime, aliases: Collection[str], live: Collection[str] = ()) -> Metrics:
    """Count new and waiting transactions. Three SQL statements, however many there are.

    Tests of the `live` gateways are left out.
    """
    rows = GatewayTransaction.objects.filter(not_left_alone(live)).order_by()
    begun = rows.filter(created_at__gt=now - WITHIN).values_list("gateway", "kind", "state")
    # Named one by one, the priorities are ranges of the index.
    queued = rows.filter(query_priority__in=tuple(QueryPriority), next_query_at__lte=now)
    due = dict(queued.values_list("gateway").annotate(Count("pk")))
    return Metrics(
        begun=tuple(
            Stand(gateway=gateway, kind=kind, state=state, number=number)
            for gateway, kind, state, number in begun.annotate(number=Count("pk"))
        ),
        queries_due={alias: due.get(alias, 0) for alias in aliases},
        events_undelivered=OutboxEvent.objects.filter(next_delivery_at__isnull=False).count(),
    )
