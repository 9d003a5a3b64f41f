"""The health of payments as a page, for people with the permission: the same values as the monitors' view."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import path
from django.utils import timezone

from tests.admin.conftest import MakePerson
from tests.models.rows import a_transaction, an_order
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


def test_each_problem_says_what_to_do(guard: Client) -> None:
    a_transaction(state=TransactionState.UNKNOWN, state_changed_at=timezone.now() - timedelta(hours=1))
    page = text_of(guard)
    assert "default was never swept" in page
    assert "manage.py wallet_sweep" in page
    assert "Unknown outcomes" in page


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
