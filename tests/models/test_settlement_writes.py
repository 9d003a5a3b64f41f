"""One settlement's rows: the same by one statement as by several, and none where one row has moved on."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import a_deposit, a_payment, a_transaction, an_order
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import GatewayTransaction, OutboxEvent, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.models.settlement_writes import RowChange, SettlementRows, write_settlement

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
NOON = datetime(2026, 3, 29, 12, 30, 15, 123456, tzinfo=UTC)
EVENT = uuid.UUID(int=7)


@pytest.fixture
def page() -> GatewayTransaction:
    payment = a_payment(an_order(amount_minor=1000))
    return a_transaction(payment, kind=TransactionKind.CHECKOUT, amount_minor=1000, state="OPEN")


def rows_of(page: GatewayTransaction) -> SettlementRows:
    """The rows by which an open page becomes an approval."""
    payment = page.payment
    assert payment is not None
    columns: dict[str, Any] = {
        "state": "APPROVED",
        "approved_minor": 1000,
        "explanation_params": {"said": "it's 50 % %s"},
        "leased_until": None,
        "state_changed_at": NOON,
    }
    outbox = OutboxEvent(
        event_id=EVENT,
        kind="PAID",
        order=payment.order,
        transaction=page,
        amount_minor=1000,
        currency="EUR",
        occurred_at=NOON,
        next_delivery_at=NOON,
        attempts=1,
    )
    return SettlementRows(
        order=RowChange(
            where={"id": payment.order_id, "version": 0},
            columns={"state": "PAID", "version": 1, "updated_at": NOON},
        ),
        payment=RowChange(
            where={"id": payment.pk},
            columns={"state": "PAID", "is_frozen": False},
            added={"authorized": 1000, "captured": 1000},
        ),
        transaction=RowChange(where={"id": page.pk, "state": "OPEN", "attempt_no": 0}, columns=columns),
        event={
            "transaction_id": page.pk,
            "kind": "RECORDS",
            "state_after": "APPROVED",
            "http_status": None,
            "answer_body": "",
            "occurred_at": NOON,
        },
        outbox=(outbox,),
    )


def write(rows: SettlementRows) -> bool:
    """Write the rows; undo it where a row is not as it was seen."""
    with db_transaction.atomic():
        if not (written := write_settlement(rows)):
            db_transaction.set_rollback(True)
    return written


def all_rows() -> list[list[Any]]:
    tables: tuple[Any, ...] = (PaymentOrder, Payment, GatewayTransaction, TransactionEvent, OutboxEvent)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def test_all_rows_are_written(page: GatewayTransaction) -> None:
    assert write(rows_of(page))
    order, payment, transaction = PaymentOrder.objects.get(), Payment.objects.get(), type(page).objects.get()
    assert (order.state, order.version, order.updated_at) == ("PAID", 1, NOON)
    assert (payment.state, payment.authorized, payment.captured) == ("PAID", 1000, 1000)
    assert (transaction.state, transaction.approved_minor) == ("APPROVED", 1000)
    assert transaction.explanation_params == {"said": "it's 50 % %s"}
    event, told = TransactionEvent.objects.get(), OutboxEvent.objects.get()
    assert (event.transaction_id, event.kind, event.occurred_at) == (page.pk, "RECORDS", NOON)
    assert (event.answer_body, event.request_body, event.explanation_params) == ("", "", {})
    assert (told.event_id, told.transaction_id, told.amount_minor, told.attempts) == (EVENT, page.pk, 1000, 1)


@pytest.mark.parametrize(
    "moved_on",
    [
        pytest.param(lambda: PaymentOrder.objects.update(version=1), id="order"),
        pytest.param(lambda: GatewayTransaction.objects.update(state="PENDING"), id="state"),
        pytest.param(lambda: GatewayTransaction.objects.update(attempt_no=1), id="claim"),
    ],
)
def test_nothing_is_written_where_a_row_has_moved_on(
    page: GatewayTransaction, moved_on: Callable[[], object]
) -> None:
    moved_on()
    before = all_rows()
    assert not write(rows_of(page))
    assert all_rows() == before


def test_nothing_is_written_where_a_constraint_says_no(page: GatewayTransaction) -> None:
    before, rows = all_rows(), rows_of(page)
    assert rows.payment is not None
    with pytest.raises(IntegrityError), db_transaction.atomic():
        write(replace(rows, payment=replace(rows.payment, added={"captured": 1})))
    assert all_rows() == before


@pytest.mark.parametrize("version", [0, 1])
def test_an_order_is_compared_without_a_change(page: GatewayTransaction, version: int) -> None:
    rows, where = rows_of(page), {"id": page.payment.order_id, "version": version}  # type: ignore[union-attr]
    compared = replace(rows, order=RowChange(where=where), payment=None, event=None, outbox=())
    assert write(compared) is (version == 0)
    assert PaymentOrder.objects.get().version == 0


def test_a_row_of_its_own_needs_no_other(page: GatewayTransaction) -> None:
    assert write(SettlementRows(transaction=rows_of(page).transaction))
    assert GatewayTransaction.objects.get().state == "APPROVED"


def test_a_deposit_is_added_to() -> None:
    deposit = a_deposit(amount_minor=500, refund_reserved=200)
    change = RowChange(where={"id": deposit.pk}, added={"refund_reserved": -200, "refunded": 200})
    assert write_settlement(SettlementRows(deposit=change))
    deposit.refresh_from_db()
    assert (deposit.refunded, deposit.refund_reserved) == (200, 0)
