"""What background jobs remember: one row for each subject, the latest word counts, and names are exact."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from django.db import transaction as db_transaction
from django.db.models import Model, QuerySet
from django.test.utils import CaptureQueriesContext

from tests.models.rows import NOW, a_payment, an_order
from wallet_gateway.models import ExpiryNotice, GoLiveCheck, Job, JobPosition, SentMail, SweepHeartbeat
from wallet_gateway.protocol.money import Money

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


@pytest.mark.parametrize("model", [SweepHeartbeat, JobPosition])
def test_a_row_that_another_worker_inserts_at_the_same_moment_is_no_error(
    model: type[Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    SweepHeartbeat.beat("default", now=NOW)
    JobPosition.move(Job.ERASE_EVENT_BODIES, 3, now=NOW)
    monkeypatch.setattr(QuerySet, "update", lambda self, **columns: 0)
    SweepHeartbeat.beat("default", now=NOW)
    JobPosition.move(Job.ERASE_EVENT_BODIES, 4, now=NOW)
    assert model._default_manager.count() == 1


def test_a_job_goes_on_where_it_was_for_each_gateway_apart() -> None:
    assert JobPosition.of(Job.LEDGER_COMPARISON, gateway="a") == 0
    JobPosition.move(Job.LEDGER_COMPARISON, 7, gateway="a", now=NOW)
    JobPosition.move(Job.LEDGER_COMPARISON, 9, gateway="a", now=NOW)
    JobPosition.move(Job.ERASE_EVENT_BODIES, 3, now=NOW)
    assert JobPosition.of(Job.LEDGER_COMPARISON, gateway="a") == 9
    assert JobPosition.of(Job.LEDGER_COMPARISON, gateway="b") == 0
    assert JobPosition.of(Job.ERASE_EVENT_BODIES) == 3


def test_a_payment_has_one_notice_and_an_order_each_mail_once() -> None:
    payment, order = a_payment(), an_order()
    ExpiryNotice.objects.create(payment=payment, claimed_at=NOW)
    SentMail.objects.create(order=order, template="paid", sent_at=NOW)
    SentMail.objects.create(order=order, template="refunded", event_id="e-1", sent_at=NOW)
    SentMail.objects.create(order=order, template="refunded", event_id="e-2", sent_at=NOW)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        ExpiryNotice.objects.create(payment=payment, claimed_at=NOW)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        SentMail.objects.create(order=order, template="paid", sent_at=NOW)


def test_each_go_live_check_is_kept_with_its_amount() -> None:
    given = {"gateway": "default", "order": an_order(), "currency": "EUR", "checked_at": NOW}
    GoLiveCheck.objects.create(**given, amount_minor=100, checked_by="anna")
    GoLiveCheck.objects.create(**given, amount_minor=200, checked_by="ben")
    assert [str(check.amount) for check in GoLiveCheck.objects.all()] == ["2.00 EUR", "1.00 EUR"]
    assert Money.parse("1.00", "EUR") == GoLiveCheck.objects.get(checked_by="anna").amount
