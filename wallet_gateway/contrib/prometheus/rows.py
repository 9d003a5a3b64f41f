"""Metrics from the database rows, read at each scrape: the same from every process and every machine.

No counter is kept in memory, so a stopped process loses nothing, and late events update the numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import Error
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from wallet_gateway import gateways
from wallet_gateway.payments import maintenance
from wallet_gateway.reports.health import Health, Metrics, read_metrics

logger = logging.getLogger("wallet_gateway.prometheus")


class RowCollector(Collector):
    """Reads the rows at each scrape in a few SQL statements, whose cost does not grow with the shop's age."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Return no metrics: registering must not query a database that may not be available yet."""
        return ()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the metric families; if the database does not answer, only the metric that says so."""
        try:
            health = maintenance.health()
            found = read_metrics(health.now, maintenance.gateway_aliases(), gateways.live_aliases())
            families = [*_families(health, found)]
        except (Error, ImproperlyConfigured):
            # The registry may be the shop's, and its own metrics must be there while our settings are wrong.
            logger.exception("the rows could not be read for the metrics")
            families = []
        yield _gauge("rows_read", "1 where the database answered this scrape, else 0.", bool(families))
        yield from families


@cache
def register() -> RowCollector:
    """Register the row metrics in the default registry of the Prometheus library."""
    collector = RowCollector()
    REGISTRY.register(collector)
    return collector


def _families(health: Health, found: Metrics) -> Iterator[GaugeMetricFamily]:
    since = health.oldest_unknown_since
    age = (health.now - since).total_seconds() if since else 0
    yield _gauge("unknown_outcomes", "Transactions whose outcome nobody knows.", health.unknown)
    yield _gauge("oldest_unknown_seconds", "Seconds since the oldest of them; 0 where there is none.", age)
    yield _gauge("anomalies", "Contradictions that wait for a decision.", health.anomalies)
    yield _gauge("overpaid_orders", "Orders that were paid more than once.", health.overpaid)
    yield _gauge("waiting_for_a_person", "Transactions left to a person.", health.waiting_for_a_person)
    yield _gauge("unattended", "Transactions that neither a sweep nor a person handles.", health.unattended)
    yield _gauge("unreleased_orders", "Orders that are not released long after their end.", health.unreleased)
    yield _gauge("orphans", "Transactions at gateways that the settings do not name.", health.orphans)
    words = "Accounts that cannot be used, because they are wrong or cannot be read."
    yield _gauge("wrong_accounts", words, len(health.wrong_accounts))
    words = "Operations that were refused afterwards and that nobody has seen."
    yield _gauge("refused_afterwards", words, health.refused_afterwards)
    yield _gauge("discrepancies", "Open differences between our books and a gateway's.", health.discrepancies)
    yield _gauge("unit_mix_ups", "Of those, amounts in the wrong unit.", health.mix_ups)
    yield _gauge("events_overdue", "Events that receivers have refused for long.", health.events_overdue)
    yield _gauge("idle_batches", "Running batches that no worker drives.", health.idle_batches)
    words = "Orders whose wallet button a limit has closed within the last hour."
    yield _gauge("wallet_buttons_closed", words, health.buttons_closed)
    # Without the word: a gateway may write any, and each would be a time series of its own.
    held = sum(each.held for each in health.undocumented_states)
    yield _gauge("undocumented_states", "Transactions held by a word that is no documented state.", held)
    words = "Gateways that show one operation in their answers about two payments."
    yield _gauge("sharing_gateways", words, len(health.sharing))
    words = "Seconds since a gateway was last swept; +Inf where it never was."
    swept = {
        (alias,): (health.now - at).total_seconds() if at else float("inf")
        for alias, at in health.swept_at.items()
    }
    yield _family("seconds_since_sweep", words, swept, "gateway")
    words = "Status queries about what has ended that are more than a day late."
    behind = {(alias,): number for alias, number in health.queries_behind.items()}
    yield _family("queries_behind", words, behind, "gateway")
    words = "1 where nothing new is sent to a gateway, by who decided so: a person, or the breaker."
    decided = {pause.gateway: "person" if pause.by else "breaker" for pause in health.pauses}
    paused = {
        (alias, by): decided.get(alias) == by for alias in health.swept_at for by in ("person", "breaker")
    }
    yield _family("sending_paused", words, paused, "gateway", "by")
    words = "Transactions begun within the last 24 hours, by how they stand now."
    yield _family("transactions", words, found.begun, "gateway", "kind", "state")
    due = {(alias,): number for alias, number in found.queries_due.items()}
    yield _family("queries_due", "Transactions whose status query is due.", due, "gateway")
    words = "Events that the shop's receivers have not taken yet."
    yield _gauge("events_undelivered", words, found.events_undelivered)


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"wallet_gateway_{name}", words, value=value)


def _family(name: str, words: str, values: Mapping[Any, float], *labels: str) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"wallet_gateway_{name}", words, labels=labels)
    for value_of, value in values.items():
        family.add_metric(value_of, value)
    return family
