"""Questions in several threads: each row once, at the gateway's rate, and a pause is heard."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from tests.contrib.counting_gateway import CountingGateway
from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway import conf
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.http_transport import HttpTransport
from wallet_gateway.domain.lifecycle import OrderState, TransactionKind, TransactionState
from wallet_gateway.gateways import DatabaseClock
from wallet_gateway.models import GatewayPause, GatewayTransaction, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.polling.due import reconcile_due

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor == "sqlite", reason="SQLite has one writer: threads would only wait"
    ),
]


def due_pages(count: int) -> None:
    now = timezone.now()
    for number in range(count):
        payment = a_payment(an_order(amount_minor=1000), reference=f"due-{number}")
        a_transaction(
            payment,
            reference=payment.reference,
            kind=TransactionKind.CHECKOUT,
            amount_minor=1000,
            state=TransactionState.OPEN,
            state_changed_at=now - timedelta(minutes=5),
            expires_at=now + timedelta(minutes=10),
            next_query_at=now - timedelta(minutes=1),
        )


@pytest.fixture
def gateway() -> Iterator[CountingGateway]:
    with CountingGateway(seconds=0.05) as server:
        yield server


@contextmanager
def context_of(gateway: CountingGateway) -> Iterator[GatewayContext]:
    """Make a context that queries this gateway in eight threads."""
    given = conf.gateway_settings("default")
    transport = HttpTransport(base_url=gateway.base_url)
    policy = replace(given.policy, query_workers=8, query_rate=1000.0)
    account = Gateway(account=given.account, transport=transport)
    yield GatewayContext(alias="default", gateway=account, policy=policy, clock=DatabaseClock())
    transport.close()


@pytest.fixture
def context(gateway: CountingGateway) -> Iterator[GatewayContext]:
    with context_of(gateway) as made:
        yield made


def test_every_row_is_asked_about_once_and_several_at_a_time(
    gateway: CountingGateway, context: GatewayContext
) -> None:
    due_pages(60)
    assert reconcile_due(context=context, limit=20) == 60
    assert gateway.asked.most_open > 1
    assert {len(by) for by in gateway.asked.by.values()} == {1}
    assert gateway.asked.at_once == []
    assert set(PaymentOrder.objects.values_list("state", flat=True)) == {OrderState.PAID}


def test_the_rate_holds_for_all_threads_together(gateway: CountingGateway, context: GatewayContext) -> None:
    due_pages(10)
    slow = replace(context, policy=replace(context.policy, query_rate=20.0))
    started = time.monotonic()
    assert reconcile_due(context=slow) == 10
    assert time.monotonic() - started >= 9 / 20 - 0.1


def test_a_pause_is_heard(gateway: CountingGateway, context: GatewayContext) -> None:
    due_pages(100)

    def pause(seconds: float) -> None:
        later = timezone.now() + timedelta(minutes=1)
        GatewayPause.objects.get_or_create(gateway="default")
        GatewayPause.objects.filter(gateway="default").update(queries_until=later)

    # The first wait for the rate is when somebody else hears "too many requests".
    told = replace(context, policy=replace(context.policy, query_rate=20.0), sleep=pause)
    assert reconcile_due(context=told) < 100
    assert GatewayTransaction.objects.filter(state=TransactionState.OPEN).exists()
