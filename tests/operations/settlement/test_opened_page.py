"""The settlement of an open page: the rows are those of any other settlement, whichever way is taken."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.conftest import MakeOrder, Start, VirtualClock
from tests.operations.ways_of_writing import in_each_way
from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.operations.context import GatewayContext

pytestmark = [pytest.mark.every_database, pytest.mark.django_db, in_each_way]
OWN = {"id", "transaction_id", "payment_id", "reference", "request_body", "answer_body", "body_hash"}
BY_CHANCE = OWN | {"redirect_url", "next_query_at", "elapsed_ms"}


def columns_of(row: GatewayTransaction | TransactionEvent) -> dict[str, Any]:
    names = [field.attname for field in row._meta.concrete_fields]
    return {name: getattr(row, name) for name in names if name not in BY_CHANCE}


def opened(make_order: MakeOrder, start: Start) -> tuple[dict[str, Any], dict[str, Any]]:
    transaction = GatewayTransaction.objects.get(reference=start(make_order()).reference)
    assert columns_of(transaction.opened_payment.opening) == columns_of(transaction)
    return columns_of(transaction), columns_of(transaction.events.get())


def test_it_leaves_the_rows_that_the_general_way_leaves(
    make_order: MakeOrder, start: Start, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    quickly = opened(make_order, start)
    monkeypatch.setattr("wallet_gateway.operations.settlement.opened_page._is_plain", lambda *_: False)
    assert opened(make_order, start) == quickly


def test_what_is_returned_is_what_is_stored(
    make_order: MakeOrder, start: Start, context: GatewayContext
) -> None:
    payment = start(make_order())
    stored = GatewayTransaction.objects.get()
    for name in (field.attname for field in stored._meta.concrete_fields):
        assert getattr(payment.opening, name) == getattr(stored, name), name
