"""The dashboard: who may see it, what it lists, its figures in three forms, and the emergency stop."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.admin.conftest import MakePerson, PaidOrder
from tests.explanations import commented
from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway import payments
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.polling_schedule import QueryPriority
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, SweepHeartbeat
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

DASHBOARD = "/admin/wallet_gateway/dashboard/"
FIGURES = f"{DASHBOARD}figures/"
"""The page with its figures, as a browser without scripts shows it."""
STOP = f"{DASHBOARD}default/stop/"
RESUME = f"{DASHBOARD}default/resume/"
DAY = datetime(2026, 5, 17, 12, tzinfo=UTC)
MAY = {"first": "2026-05-01", "last": "2026-05-31"}


def a_sale(minor: int = 2000, currency: str = "EUR", at: datetime = DAY) -> None:
    payment = a_payment(an_order(amount_minor=minor, currency=currency))
    a_transaction(
        payment,
        kind=TransactionKind.CHECKOUT,
        state=TransactionState.APPROVED,
        currency=currency,
        amount_minor=minor,
        approved_minor=minor,
        created_at=at - timedelta(seconds=90),
        state_changed_at=at,
    )


def text_of(client: Client, **given: str) -> str:
    answer = client.get(FIGURES, given)
    assert answer.status_code == 200
    return answer.content.decode()


# What waits


def test_each_thing_that_waits_links_to_its_page(onlooker: Client) -> None:
    unknown = a_transaction(state=TransactionState.UNKNOWN)
    found = Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", found_at=DAY, fingerprint="f", **commented("<b>capture</b>")
    )
    page = text_of(onlooker)
    assert f"/admin/wallet_gateway/gatewaytransaction/{unknown.pk}/change/" in page
    assert f"/admin/wallet_gateway/discrepancy/{found.pk}/change/" in page
    assert "&lt;b&gt;capture" in page
    assert "Nothing waits for anybody" not in page


def test_an_authorization_near_its_end_is_named(
    onlooker: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order("30.00")
    order.payments.update(created_at=datetime.now(UTC) - timedelta(days=6))
    page = text_of(onlooker)
    assert "Authorizations about to expire" in page
    assert "€30.00" in page


def test_a_sweep_that_does_not_run_and_queries_that_fall_behind_are_told_here_too(superuser: Client) -> None:
    assert "default was never swept" in text_of(superuser)
    now = timezone.now()
    SweepHeartbeat.beat("default", now=now - timedelta(minutes=20))
    late = now - timedelta(days=2)
    a_transaction(state=TransactionState.APPROVED, query_priority=QueryPriority.REPEATED, next_query_at=late)
    page = text_of(superuser)
    assert "default was last swept 20 minutes ago" in page
    assert "default: status queries that are more than a day late: 1" in page
    assert "Nothing waits for anybody." not in page

    GatewayTransaction.objects.all().delete()
    SweepHeartbeat.beat("default", now=now)
    assert "Nothing waits for anybody." in text_of(superuser)


def test_the_whole_page_takes_at_most_twenty_statements(onlooker: Client) -> None:
    for number in range(30):
        a_transaction(state=TransactionState.UNKNOWN)
        a_sale(at=DAY + timedelta(hours=number))
    with CaptureQueriesContext(connection) as asked:
        text_of(onlooker, **MAY)
    assert len(asked) <= 20


# Figures


def test_the_page_counts_nothing_and_links_to_its_figures(onlooker: Client) -> None:
    a_sale(2000)
    with CaptureQueriesContext(connection) as asked:
        page = onlooker.get(DASHBOARD, MAY).content.decode()
    assert not [query["sql"] for query in asked if "SUM(" in query["sql"].upper()]
    assert "€20.00" not in page
    query = "?first=2026-05-01&amp;last=2026-05-31"
    assert f'href="{FIGURES}{query}#wallet-figures"' in page
    assert f'data-wallet-figures="{FIGURES}part/{query}"' in page


def test_table_and_csv_say_the_same(onlooker: Client) -> None:
    a_sale(2000)
    a_sale(1050)
    page = text_of(onlooker, **MAY)
    assert 'data-value="30.50"' in page
    answer = onlooker.get(f"{DASHBOARD}figures.csv", MAY)
    rows = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    taken = [row for row in rows if row["figure"] == "Taken" and row["day"] == "2026-05-17"]
    assert [(row["currency"], row["value"], row["test"]) for row in taken] == [("EUR", "30.50", "yes")]
    assert answer["Content-Disposition"] == 'attachment; filename="figures-test-2026-05-01-2026-05-31.csv"'


def test_the_figures_stand_beside_those_of_as_many_days_before(onlooker: Client) -> None:
    a_sale(3000)
    a_sale(2000, at=DAY - timedelta(days=31))
    page = text_of(onlooker, **MAY)
    assert "before: <bdi>€20.00</bdi>" in page
    assert "(+50.0%)" in page
    assert "<bdi>Mar 31, 2026</bdi> to <bdi>Apr 30, 2026</bdi>" in page
    assert "Today is not over yet." not in page
    assert "Today is not over yet." in text_of(onlooker, first="2026-01-01", last="2026-12-31")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"first": "2026-06-01", "last": "2026-05-01"}, "The first day is after the last."),
        ({"first": "2020-01-01", "last": "2026-05-01"}, "At most 366 days."),
        ({"first": "1972-12-31", "last": "1973-01-02"}, "There is nothing to show for these days."),
        ({"first": "0001-01-01", "last": "0001-01-02"}, "There is nothing to show for these days."),
        ({"first": "9999-12-30", "last": "9999-12-31"}, "There is nothing to show for these days."),
        ({"first": "17.05.2026", "last": "2026-05-31"}, "Enter a valid date."),
        ({"first": "\0", "last": "2026-05-31"}, "Enter a valid date."),
        ({**MAY, "currency": "EUROS"}, "Ensure this value has at most 3 characters"),
    ],
)
def test_a_range_that_is_none_is_said_and_the_page_stands(
    given: dict[str, str], said: str, onlooker: Client
) -> None:
    assert said in text_of(onlooker, **given)
    assert onlooker.get(f"{DASHBOARD}figures.csv", given).status_code == 200


# The stop


@pytest.fixture
def guard(make_person: MakePerson) -> Client:
    """Gerda, who may stop sending."""
    return make_person("stop_sending", name="gerda")


def test_the_stop_asks_for_a_reason_first(guard: Client) -> None:
    assert STOP in text_of(guard)
    answer = guard.post(STOP, {"reason": " "})
    assert "This field is required." in answer.content.decode()
    assert not GatewayPause.objects.exists()


def test_a_stop_and_its_end_are_done_named_and_logged(guard: Client, wallet_sandbox: SandboxControl) -> None:
    order = payments.create_order(reference="S-1", currency="EUR", amount=Decimal("5.00"))

    assert guard.post(STOP, {"reason": "double captures"}).headers["Location"] == DASHBOARD
    with pytest.raises(payments.errors.OperationError):
        payments.start_checkout(order)
    page = text_of(guard)
    assert "by gerda: <bdi>double captures</bdi>" in page
    assert RESUME in page
    assert "double captures" in LogEntry.objects.latest("pk").change_message

    guard.post(RESUME, {"reason": "mended"})
    assert payments.start_checkout(order).redirect_url
    assert STOP in text_of(guard)


def test_without_the_permission_there_is_no_button_and_no_stop(onlooker: Client) -> None:
    assert STOP not in text_of(onlooker)
    for address in (STOP, RESUME):
        assert onlooker.get(address).status_code == 403
        assert onlooker.post(address, {"reason": "because"}).status_code == 403
    assert not GatewayPause.objects.exists()
