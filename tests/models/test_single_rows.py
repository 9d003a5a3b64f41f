"""Single-row statements: what is written is what Django itself would have written and read."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, models

from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.models.single_rows import insert_row, select_row, update_row

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

NOON = datetime(2026, 3, 29, 12, 30, 15, 123456, tzinfo=UTC)


@pytest.fixture
def order() -> PaymentOrder:
    return PaymentOrder.objects.create(
        reference=f"S-{uuid.uuid4().hex[:8]}",
        type="sale",
        currency="EUR",
        amount_minor=2**62,
        content={"text": "50 % off 'all' ; -- \\ ü 漢", "list": [1, {"a": None}]},
        content_hash="0" * 64,
        created_at=NOON,
        updated_at=NOON,
    )


def payment_of(order: PaymentOrder, **changes: object) -> Payment:
    values: dict[str, object] = {
        "order": order,
        "number": 1,
        "reference": uuid.uuid4().hex,
        "type": "sale",
        "currency": "EUR",
        "amount_minor": 2**62,
        "created_at": NOON,
    }
    return Payment(**(values | changes))


def transaction_of(payment: Payment, **changes: object) -> GatewayTransaction:
    values: dict[str, object] = {
        "payment": payment,
        "gateway": "default",
        "kind": "CHECKOUT",
        "reference": payment.reference,
        "currency": "EUR",
        "amount_minor": 100,
        "state": "SENDING",
        "state_changed_at": NOON,
        "created_at": NOON,
    }
    return GatewayTransaction(**(values | changes))


def columns_of(row: models.Model) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_an_inserted_row_has_a_key_and_reads_back_as_it_was_written(order: PaymentOrder) -> None:
    payment = payment_of(order)
    insert_row(payment)
    transaction = transaction_of(
        payment, request_body="%s 50 % 'quoted' \\", leased_until=NOON, holds_reservation=True
    )
    insert_row(transaction)
    for row in (payment, transaction):
        assert row.pk is not None
        assert columns_of(type(row).objects.get(pk=row.pk)) == columns_of(row)


def test_an_inserted_row_is_as_one_that_was_saved(order: PaymentOrder) -> None:
    payment = payment_of(order)
    insert_row(payment)
    assert not payment._state.adding
    assert payment._state.db == "default"
    payment.number = 7
    payment.save()
    assert Payment.objects.get().number == 7


def test_what_is_none_is_null(order: PaymentOrder) -> None:
    payment = payment_of(order)
    insert_row(payment)
    transaction = transaction_of(payment)
    insert_row(transaction)
    assert GatewayTransaction.objects.filter(
        pk=transaction.pk, leased_until__isnull=True, idempotency_key__isnull=True
    ).exists()


def test_a_constraint_speaks_as_it_does_to_save(order: PaymentOrder) -> None:
    insert_row(payment_of(order))
    with pytest.raises(IntegrityError):
        insert_row(payment_of(order))


def test_an_update_writes_the_row_that_stands_as_named(order: PaymentOrder) -> None:
    payment = payment_of(order)
    insert_row(payment)
    done = update_row(
        Payment, where={"id": payment.pk, "number": 1}, columns={"captured": 5, "authorized": 9}
    )
    assert done
    stored = Payment.objects.get(pk=payment.pk)
    assert (stored.captured, stored.authorized) == (5, 9)


def test_an_update_leaves_a_row_that_has_moved_on(order: PaymentOrder) -> None:
    payment = payment_of(order)
    insert_row(payment)
    assert not update_row(Payment, where={"id": payment.pk, "number": 2}, columns={"authorized": 9})
    assert Payment.objects.get(pk=payment.pk).authorized == 0


def test_an_update_can_write_null_and_instants(order: PaymentOrder) -> None:
    payment = payment_of(order)
    insert_row(payment)
    transaction = transaction_of(payment, leased_until=NOON)
    insert_row(transaction)
    assert update_row(
        GatewayTransaction, where={"id": transaction.pk}, columns={"leased_until": None, "expires_at": NOON}
    )
    stored = GatewayTransaction.objects.get(pk=transaction.pk)
    assert (stored.leased_until, stored.expires_at) == (None, NOON)


def test_a_selected_row_equals_the_one_a_query_set_reads(order: PaymentOrder) -> None:
    found, expected = (
        select_row(PaymentOrder, where={"reference": order.reference}),
        PaymentOrder.objects.get(pk=order.pk),
    )
    assert columns_of(found) == columns_of(expected)
    assert found == expected
    assert not found._state.adding


def test_a_name_that_is_no_column_is_refused(order: PaymentOrder) -> None:
    with pytest.raises(Exception, match="nothing"):
        update_row(PaymentOrder, where={"nothing": 1}, columns={"version": 2})
