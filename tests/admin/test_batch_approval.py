"""The page of a batch that waits for a second person: who may decide, what is said, and what is logged."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from tests.admin.conftest import MakePerson, PaidOrder
from tests.conf.test_settings import with_gateway
from wallet_gateway.models import BatchKind, BatchState, OperationBatch
from wallet_gateway.payments import batches

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _limit(settings: Settings) -> None:
    with_gateway(settings, APPROVAL_BATCH_LIMITS={"EUR": "25.00"})


@pytest.fixture
def author(make_person: MakePerson) -> Client:
    return make_person("refund_payment", name="anna")


@pytest.fixture
def second(make_person: MakePerson) -> Client:
    return make_person("refund_payment", "approve_operation", name="bert")


@pytest.fixture
def batch(author: Client, paid_order: PaidOrder) -> OperationBatch:
    """Two refunds of 20.00 EUR, started by anna."""
    orders = [paid_order(type="sale") for _ in range(2)]
    drafted = batches.draft(BatchKind.REFUND, orders, by=User.objects.get(username="anna"))
    assert batches.start(drafted)
    return drafted


def page_of(batch: OperationBatch) -> str:
    return f"/admin/wallet_gateway/operationbatch/{batch.pk}/progress/"


def decide(client: Client, batch: OperationBatch, verb: str, reason: str = "") -> int:
    url = f"/admin/wallet_gateway/operationbatch/{batch.pk}/decide/"
    answer = client.post(url, {verb: "1", "reason": reason})
    batch.refresh_from_db()
    return answer.status_code


def test_the_page_says_what_it_waits_for_and_offers_each_what_they_may_do(
    batch: OperationBatch, author: Client, second: Client, make_person: MakePerson
) -> None:
    assert batch.state == BatchState.AWAITING_APPROVAL
    own, others = (client.get(page_of(batch)).content.decode() for client in (author, second))
    assert "Waits for a second person" in own
    assert "€40.00" in own
    assert 'name="agree"' not in own
    assert 'name="stop"' in own
    assert 'name="agree"' in others
    onlooker = make_person("refund_payment", name="carla").get(page_of(batch)).content.decode()
    assert 'name="agree"' not in onlooker
    assert 'name="stop"' not in onlooker


def test_another_person_agrees_and_both_names_stand_on_the_page_and_in_the_log(
    batch: OperationBatch, second: Client
) -> None:
    assert decide(second, batch, "agree", "seen the list") == 302
    bert = User.objects.get(username="bert")
    assert (batch.state, batch.decided_by_account) == (BatchState.RUNNING, str(bert.pk))
    page = second.get(page_of(batch)).content.decode()
    assert "Second person: bert" in page
    assert "seen the list" in page
    entry = LogEntry.objects.latest("pk")
    assert (entry.user, entry.change_message) == (bert, "Agreed to the whole batch. seen the list")


def test_neither_the_author_nor_one_without_the_permission_decides(
    batch: OperationBatch, author: Client, make_person: MakePerson
) -> None:
    anna = User.objects.get(username="anna")
    anna.username = "anna married"
    anna.save()
    carla = make_person("refund_payment", name="carla")
    assert [decide(client, batch, "agree") for client in (author, carla)] == [403, 403]
    assert batch.state == BatchState.AWAITING_APPROVAL


def test_before_it_is_started_the_page_says_the_limit_and_what_is_left_of_the_day(
    author: Client, paid_order: PaidOrder, settings: Settings
) -> None:
    limits = {"APPROVAL_BATCH_LIMITS": {"EUR": "25.00"}, "APPROVAL_DAY_LIMITS": {"EUR": "30.00"}}
    with_gateway(settings, **limits)
    order = paid_order(type="sale")
    drafted = batches.draft(BatchKind.REFUND, [order], by=User.objects.get(username="anna"))
    page = author.get(f"/admin/wallet_gateway/operationbatch/{drafted.pk}/confirm/").content.decode()
    assert "Above €25.00 in total" in page
    assert "you may refund €30.00 more alone" in page
    assert order.amount.amount == Decimal("20.00")
