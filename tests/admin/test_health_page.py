"""The health of payments as a page, for people with the permission: the same values as the monitors' view."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import path
from django.utils import timezone
from pytest_django import Settings

from tests.admin.conftest import MakePerson
from tests.models.rows import a_transaction, an_order
from wallet_gateway import documentation
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import SweepHeartbeat

pytestmark = pytest.mark.django_db

# The addresses of a project without the package's own.
urlpatterns = [path("admin/", admin.site.urls)]
HEALTH = "/admin/wallet_gateway/dashboard/health/"


@pytest.fixture
def guard(make_person: MakePerson) -> Client:
    """Somebody who may see the health of payments."""
    return make_person("view_health")


def text_of(client: Client) -> str:
    answer = client.get(HEALTH)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_dashboard_leads_there_with_the_permission_only(guard: Client, onlooker: Client) -> None:
    dashboard = "/admin/wallet_gateway/dashboard/"
    assert HEALTH in guard.get(dashboard).content.decode()
    assert HEALTH not in onlooker.get(dashboard).content.decode()
    assert onlooker.get(HEALTH).status_code == 403


def test_each_problem_says_what_to_do(guard: Client) -> None:
    a_transaction(state=TransactionState.UNKNOWN, state_changed_at=timezone.now() - timedelta(hours=1))
    page = text_of(guard)
    assert "default was never swept" in page
    assert "manage.py wallet_sweep" in page
    assert "Unknown outcomes" in page


def test_where_nothing_is_wrong_it_says_so_and_shows_the_values_all_the_same(guard: Client) -> None:
    SweepHeartbeat.beat("default", now=timezone.now())
    page = text_of(guard)
    assert "nothing waits for anybody" in page
    assert "Open differences" in page


def test_every_number_with_a_list_leads_to_its_rows(guard: Client) -> None:
    transaction = a_transaction(state=TransactionState.UNKNOWN)
    a_transaction(state=TransactionState.APPROVED)
    links = dict(re.findall(r'<dt><a href="([^"]+)">([^<]+)</a></dt>', text_of(guard)))
    for link, label in links.items():
        listed = guard.get(link.replace("&amp;", "&"))
        assert listed.status_code == 200, label
        assert listed.context["cl"].params, f"{label} leads to a list of everything"
    (unknown,) = (link for link, label in links.items() if label == "Unknown outcomes")
    assert [row.pk for row in guard.get(unknown).context["cl"].result_list] == [transaction.pk]


def test_the_lists_hold_as_many_rows_as_the_numbers_say(guard: Client) -> None:
    long_ago = timezone.now() - timedelta(days=3)
    a_transaction(state=TransactionState.PENDING, needs_operator=True)
    a_transaction(state=TransactionState.CREATED, state_changed_at=long_ago)
    a_transaction(state=TransactionState.UNKNOWN, gateway="gone")
    an_order(cancelled_at=long_ago, release_check_at=long_ago, state="CANCELLED")
    SweepHeartbeat.beat("default", now=timezone.now())
    rows = re.findall(r'<dt>(?:<a href="([^"]+)">)?([^<]+)(?:</a>)?</dt><dd>(\d+)</dd>', text_of(guard))
    counted = {label: int(number) for _link, label, number in rows}
    assert [label for link, label, _number in rows if not link] == ["Signals that are late"]
    for label in (
        "Transactions that wait for a person",
        "Transactions that nobody goes on with",
        "Unfinished at a gateway that the settings do not name",
        "Orders that are not released long after their end",
    ):
        (link,) = (link for link, name, _number in rows if name == label)
        assert guard.get(link.replace("&amp;", "&")).context["cl"].result_count == counted[label] >= 1, label


def test_a_problem_leads_to_the_published_runbook(guard: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    a_transaction(state=TransactionState.ANOMALY)
    monkeypatch.setattr(documentation, "ADDRESS", "https://docs.example/{page}.html#{anchor}")
    assert 'href="https://docs.example/runbook.html#contradictions"' in text_of(guard)


def test_without_the_permission_for_a_list_a_number_leads_nowhere(make_person: MakePerson) -> None:
    person = make_person("view_health", seeing=("gatewaytransaction",))
    page = text_of(person)
    assert "/gatewaytransaction/" in page
    assert "/discrepancy/" not in page
    assert "Open differences" in page


def test_a_monitor_is_told_where_it_finds_the_same_as_json(guard: Client, settings: Settings) -> None:
    assert 'href="/wallet/health/"' in text_of(guard)
    settings.ROOT_URLCONF = __name__
    assert "as JSON" not in text_of(guard)
