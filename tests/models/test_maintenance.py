"""What background jobs remember: one row for each subject, the latest word counts, and names are exact."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.models.rows import NOW, an_order
from wallet_gateway.models import GoLiveCheck, Job, JobPosition
from wallet_gateway.protocol.money import Money

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
JOB = Job.ERASE_EVENT_BODIES


def test_the_latest_heartbeat_of_a_gateway_counts() -> None:
    JobPosition.move(Job.SWEEP, gateway="default", now=NOW)
    JobPosition.move(Job.SWEEP, gateway="Default", now=NOW)
    JobPosition.move(Job.SWEEP, gateway="default", now=NOW + timedelta(minutes=1))
    JobPosition.move(JOB, 3, gateway="default", now=NOW + timedelta(minutes=2))
    swept = dict(JobPosition.objects.filter(job=Job.SWEEP).values_list("gateway", "moved_at"))
    assert swept == {"default": NOW + timedelta(minutes=1), "Default": NOW}


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_and_a_position_are_single_statements_so_no_isolation_makes_workers_collide() -> None:
    """In one transaction, the second worker would not see the row that the first one has inserted."""
    for _ in range(2):
        with CaptureQueriesContext(connection) as statements:
            JobPosition.move(Job.SWEEP, gateway="default", now=NOW)
            JobPosition.move(JOB, 3, now=NOW)
    texts = [entry["sql"] for entry in statements.captured_queries]
    assert [text.split()[0] for text in texts] == ["UPDATE", "UPDATE"]


@pytest.mark.django_db(transaction=True)
def test_a_row_that_another_worker_inserts_at_the_same_moment_is_no_error() -> None:
    inserted: list[str] = []

    def as_if_inserted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:  # noqa: ANN401
        """Let the UPDATE find nothing, and the INSERT a row that is there since."""
        if sql.startswith("INSERT") and not inserted:
            inserted.append(sql)
            execute(sql, params, many, context)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(as_if_inserted):
        JobPosition.move(JOB, 4, now=NOW)
    assert len(inserted) == 1
    assert JobPosition.objects.count() == 1
    JobPosition.objects.all().delete()


def test_a_job_goes_on_where_it_was_for_each_gateway_apart() -> None:
    assert JobPosition.of(Job.LEDGER_COMPARISON, gateway="a") == 0
    JobPosition.move(Job.LEDGER_COMPARISON, 7, gateway="a", now=NOW)
    JobPosition.move(Job.LEDGER_COMPARISON, 9, gateway="a", now=NOW)
    JobPosition.move(JOB, 3, now=NOW)
    assert JobPosition.of(Job.LEDGER_COMPARISON, gateway="a") == 9
    assert JobPosition.of(Job.LEDGER_COMPARISON, gateway="b") == 0
    assert JobPosition.of(JOB) == 3


def test_each_go_live_check_is_kept_with_its_amount() -> None:
    given = {"gateway": "default", "order": an_order(), "currency": "EUR", "checked_at": NOW}
    GoLiveCheck.objects.create(**given, amount_minor=100, checked_by="anna")
    GoLiveCheck.objects.create(**given, amount_minor=200, checked_by="ben")
    assert [str(check.amount) for check in GoLiveCheck.objects.all()] == ["2.00 EUR", "1.00 EUR"]
    assert Money.parse("1.00", "EUR") == GoLiveCheck.objects.get(checked_by="anna").amount
