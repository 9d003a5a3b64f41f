"""Single-row statements: what is written is what Django itself would have written and read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, models

from tests.models.rows import an_order
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.models.single_rows import insert_row, select_row, update_row

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
NOON = datetime(2026, 3, 29, 12, 30, 15, 123456, tzinfo=UTC)
ODD = {"text": "50 % off 'all' ; -- \\ ü 漢", "list": [1, {"a": None}]}


@pytest.fixture
def payment() -> Payment:
    """A payment of an order with odd content, inserted by the statement."""
    order = an_order(amount_minor=2**62, content=ODD, created_at=NOON)
    shared: dict[str, Any] = {"type": "sale", "currency": "EUR", "amount_minor": 2**62, "created_at": NOON}
    payment = Payment(order=order, number=1, reference="REF-1", **shared)
    insert_row(payment)
    return payment


def a_page(payment: Payment, **columns: Any) -> GatewayTransaction:
    given: dict[str, Any] = {"gateway": "default", "kind": "CHECKOUT", "currency": "EUR", "amount_minor": 100}
    instants = {"state": "SENDING", "state_changed_at": NOON, "created_at": NOON}
    page = GatewayTransaction(payment=payment, reference=payment.reference, **given, **instants, **columns)
    insert_row(page)
    return page


def columns_of(row: models.Model) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_an_inserted_row_has_a_key_reads_back_as_it_was_written_and_is_as_one_that_was_saved(
    payment: Payment,
) -> None:
    text = "%s 50 % 'quoted' \\"
    page = a_page(payment, request_body=text, leased_until=NOON, holds_reservation=True)
    for row in (payment, page):
        assert columns_of(type(row).objects.get(pk=row.pk)) == columns_of(row)
    payment.number = 7
    payment.save()
    assert Payment.objects.get().number == 7


def test_none_is_null_in_an_insert_and_in_an_update(payment: Payment) -> None:
    page = a_page(payment, expires_at=NOON)
    rows = GatewayTransaction.objects.filter(pk=page.pk, idempotency_key__isnull=True)
    assert rows.filter(leased_until__isnull=True).exists()
    columns = {"leased_until": NOON, "expires_at": None}
    assert update_row(GatewayTransaction, where={"id": page.pk}, columns=columns)
    assert rows.filter(leased_until=NOON, expires_at__isnull=True).exists()


def test_a_constraint_speaks_as_it_does_to_save(payment: Payment) -> None:
    payment.pk = None
    with pytest.raises(IntegrityError):
        insert_row(payment)


@pytest.mark.parametrize("number", [1, 2])
def test_an_update_writes_the_row_that_stands_as_named_and_leaves_one_that_has_moved_on(
    number: int, payment: Payment
) -> None:
    columns = {"captured": 5, "authorized": 9}
    written = update_row(Payment, where={"id": payment.pk, "number": number}, columns=columns)
    assert written is (number == 1)
    stored = Payment.objects.get()
    assert (stored.captured, stored.authorized) == ((5, 9) if written else (0, 0))


def test_a_selected_row_equals_the_one_a_query_set_reads(payment: Payment) -> None:
    found = select_row(PaymentOrder, where={"reference": payment.order.reference})
    expected = PaymentOrder.objects.get()
    assert (found, columns_of(found)) == (expected, columns_of(expected))
    found.save()
    assert PaymentOrder.objects.count() == 1


def test_a_name_that_is_no_column_is_refused(payment: Payment) -> None:
    with pytest.raises(Exception, match="nothing"):
        update_row(PaymentOrder, where={"nothing": 1}, columns={"version": 2})
