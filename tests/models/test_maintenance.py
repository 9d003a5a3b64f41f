"""What background jobs remember: one row for each subject, the latest word counts, and names are exact."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.models.rows import NOW
from wallet_gateway.models import Job, JobPosition, SweepHeartbeat

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_the_latest_heartbeat_of_a_gateway_counts() -> None:
    SweepHeartbeat.beat("default", now=NOW)
    SweepHeartbeat.beat("Default", now=NOW)
    SweepHeartbeat.beat("default", now=NOW + timedelta(minutes=1))
    swept = dict(SweepHeartbeat.objects.values_list("gateway", "swept_at"))
    assert swept == {"default": NOW + timedelta(minutes=1), "Default": NOW}


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_and_a_position_are_single_statements_so_no_isolation_makes_workers_collide() -> None:
    """In one transaction, the second worker would not see the row that the first one has inserted."""
    for _ in range(2):
        with CaptureQueriesContext(connection) as statements:
            SweepHeartbeat.beat("default", now=NOW)
            JobPosition.move(Job.ERASE_EVENT_BODIES, 3, now=NOW)
    texts = [entry["sql"] for entry in statements.captured_queries]
    assert [text.split()[0] for text in texts] == ["UPDATE", "UPDATE"]


def test_a_row_that_another_worker_inserts_at_the_same_moment_is_no_error() -> None:
    inserted: list[str] = []

    def overtake(execute: Callable[..., Any], sql: str, *given: Any) -> Any:  # noqa: ANN401
        if sql.startswith("INSERT") and not inserted:
            inserted.append(sql)
            SweepHeartbeat.beat("default", now=NOW)
            JobPosition.move(Job.ERASE_EVENT_BODIES, 3, now=NOW)
        return execute(sql, *given)

    with connection.execute_wrapper(overtake):
        SweepHeartbeat.beat("default", now=NOW)
    inserted.clear()
    JobPosition.objects.all().delete()
    with connection.execute_wrapper(overtake):
        JobPosition.move(Job.ERASE_EVENT_BODIES, 4, now=NOW)
    assert (SweepHeartbeat.objects.count(), JobPosition.objects.count()) == (1, 1)


def test_a_job_goes_on_where_it_was_for_each_gateway_apart() -> None:
    assert JobPosition.of(Job.LEDGER_COMPARISON, gateway="a") == 0
    JobPosition.move(Job.LEDGER_COMPARISON, 7, gateway="a", now=NOW)
    JobPosition.move(Job.LEDGER_COMPARISON, 9, gateway="a", now=NOW)
    JobPosition.move(Job.ERASE_EVENT_BODIES, 3, now=NOW)
    assert JobPosition.of(Job.LEDGER_COMPARISON, gateway="a") == 9
    assert JobPosition.of(Job.LEDGER_COMPARISON, gateway="b") == 0
    assert JobPosition.of(Job.ERASE_EVENT_BODIES) == 3
