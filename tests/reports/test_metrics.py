"""What a monitor reads at each scrape: each number counts what it says, and no more than a day's rows."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from prometheus_client import CollectorRegistry

from tests.models.rows import NOW, a_transaction
from wallet_gateway.contrib.prometheus.rows import RowCollector
from wallet_gateway.models import OutboxEvent

pytestmark = [pytest.mark.every_database, pytest.mark.django_db, pytest.mark.usefixtures("clock")]
SECOND = timedelta(seconds=1)


def metrics() -> dict[str, float]:
    """Return what stands in the metrics about rows, by name and labels, without zeros."""
    registry = CollectorRegistry()
    registry.register(RowCollector())
    samples = [sample for family in registry.collect() for sample in family.samples]
    return {
        " ".join(
            (sample.name.removeprefix("wallet_gateway_"), *map(str, sample.labels.values()))
        ): sample.value
        for sample in samples
        if sample.value
    }


def test_the_last_days_transactions_are_counted_by_how_they_stand_and_what_waits_until_now() -> None:
    for age in (timedelta(0), timedelta(hours=24) - SECOND, timedelta(hours=24)):
        a_transaction(kind="CAPTURE", state="APPROVED", created_at=NOW - age)
    a_transaction(kind="REFUND", state="APPROVED", gateway="other")
    for due in (NOW - SECOND, NOW, NOW + SECOND):
        a_transaction(kind="CAPTURE", state="UNKNOWN", next_query_at=due)
    transaction = a_transaction(kind="CAPTURE", state="APPROVED", created_at=NOW - timedelta(days=2))
    for delivery in (NOW + SECOND, None):
        OutboxEvent.objects.create(
            kind="PAID",
            order=transaction.opened_payment.order,
            transaction=transaction,
            currency="EUR",
            occurred_at=NOW,
            next_delivery_at=delivery,
        )
    found = metrics()
    assert {name: number for name, number in found.items() if name.startswith("transactions ")} == {
        "transactions default CAPTURE APPROVED": 2,
        "transactions other REFUND APPROVED": 1,
        "transactions default CAPTURE UNKNOWN": 3,
    }
    assert (found["queries_due default"], found["events_undelivered"]) == (2, 1)


def test_a_scrape_costs_as_many_statements_for_many_rows_as_for_none() -> None:
    metrics()
    statements = []
    for number in (0, 5):
        for _ in range(number):
            a_transaction(kind="CAPTURE", state="UNKNOWN", next_query_at=NOW)
        with CaptureQueriesContext(connection) as asked:
            metrics()
        statements.append(len(asked))
    assert statements[0] == statements[1]
