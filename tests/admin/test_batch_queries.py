"""Ask the gateway about many at once: from either list, a row for each with what its word changed."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.db.models import Model
from django.test import Client

from tests.admin.conftest import MakePerson, PaidOrder, carry_on
from tests.models.rows import a_deposit, a_transaction, an_order
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, OperationBatch
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rested(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    naps: list[float] = []
    monkeypatch.setattr("wallet_gateway.payments.batches.time.sleep", naps.append)
    return naps


def choose(client: Client, model: str, *rows: Model) -> str:
    data = {"action": "query_many", "_selected_action": [row.pk for row in rows]}
    page = client.post(f"/admin/wallet_gateway/{model}/", data, follow=True).content.decode()
    batch = OperationBatch.objects.order_by("pk").last()
    return page if batch is None else carry_on(client, batch)


def page_of(batch: OperationBatch) -> str:
    return f"/admin/wallet_gateway/operationbatch/{batch.pk}/progress/"


def test_each_order_says_what_the_gateways_word_changed(
    onlooker: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl, rested: list[float]
) -> None:
    lost, same = paid_order(), paid_order()
    wallet_sandbox.fault("capture", "drop_after")
    payments.capture(lost, Decimal("5.00"))

    page = choose(onlooker, "paymentorder", lost, same, an_order())

    assert "3 of 3 orders" in page
    assert "Capture of €5.00: Approved." in page
    assert "The gateway was asked; everything stands as before." in page
    assert "Nothing was ever asked of the gateway." in page
    assert 'http-equiv="refresh"' not in page
    assert sorted(rested) == [0.0, 0.2, 0.4]
    assert LogEntry.objects.filter(change_message__startswith="Asked the gateway.").count() == 3


def test_transactions_are_asked_about_by_their_order_or_deposit_each_once(
    operator: Client, paid_order: PaidOrder, wallet_sandbox: SandboxControl
) -> None:
    order = paid_order()
    payments.capture(order, Decimal("5.00"))
    detached = a_transaction(deposit=a_deposit(), kind="DETACHED_REFUND", state="UNKNOWN")
    before = len(wallet_sandbox.journal())

    page = choose(operator, "gatewaytransaction", *GatewayTransaction.objects.all())

    assert "2 of 2" in page
    assert order.reference in page
    assert str(detached.deposit) in page
    assert len(wallet_sandbox.journal()) == before + 3


def test_it_takes_nothing_but_seeing_the_rows(make_person: MakePerson) -> None:
    order = an_order()
    assert "1 of 1 orders" in choose(make_person(seeing=("paymentorder",)), "paymentorder", order)
    stranger = make_person(seeing=("transactionevent",))
    assert stranger.get(page_of(OperationBatch.objects.get())).status_code == 403
