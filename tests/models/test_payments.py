"""Payment: what the table refuses every writer, and what the row says of itself."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction
from django.db.models import F, ProtectedError

from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import Payment

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

REFUSED = [
    ("negative authorized", {"authorized": -1}),
    ("negative captured", {"captured": -1}),
    ("negative refunded", {"refunded": -1}),
    ("negative capture reserved", {"capture_reserved": -1}),
    ("negative refund reserved", {"refund_reserved": -1}),
    ("captured above authorized", {"authorized": 10, "captured": 11}),
    ("captured and reserved above authorized", {"authorized": 10, "captured": 6, "capture_reserved": 5}),
    ("reserved above authorized", {"capture_reserved": 1}),
    ("refunded above captured", {"authorized": 10, "captured": 5, "refunded": 6}),
    (
        "refunded and reserved above captured",
        {"authorized": 9, "captured": 5, "refunded": 3, "refund_reserved": 3},
    ),
    ("captured though reversed", {"authorized": 10, "captured": 1, "reversal": Reversal.DONE}),
    ("captured though being reversed", {"authorized": 10, "captured": 1, "reversal": Reversal.RESERVED}),
    ("reserved though reversed", {"authorized": 10, "capture_reserved": 1, "reversal": Reversal.DONE}),
]
STORED = [
    ("nothing", {}),
    ("authorized", {"authorized": 2000}),
    ("all captured", {"authorized": 2000, "captured": 2000}),
    ("all under way", {"authorized": 2000, "captured": 1200, "capture_reserved": 800}),
    ("all refunded", {"authorized": 2000, "captured": 2000, "refunded": 1500, "refund_reserved": 500}),
    ("reversed", {"authorized": 2000, "reversal": Reversal.DONE}),
    ("more authorized than asked", {"authorized": 3000}),
    ("fourteen digits", {"authorized": 99_999_999_999_999, "captured": 99_999_999_999_999}),
]


@pytest.mark.parametrize("columns", [row[1] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_sums_that_cannot_be_are_refused_by_the_table(columns: dict[str, Any]) -> None:
    payment = a_payment()
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_payment(**columns)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        Payment.objects.filter(pk=payment.pk).update(**columns)


@pytest.mark.parametrize("columns", [row[1] for row in STORED], ids=[row[0] for row in STORED])
def test_sums_that_can_be_are_stored(columns: dict[str, Any]) -> None:
    payment = a_payment(**columns)
    payment.refresh_from_db()
    assert {name: getattr(payment, name) for name in columns} == columns


def test_a_blind_addition_beyond_the_limit_is_refused() -> None:
    payment = a_payment(authorized=10, captured=9)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        Payment.objects.filter(pk=payment.pk).update(captured=F("captured") + 2)


def test_an_orders_attempts_are_numbered_once() -> None:
    order = an_order()
    a_payment(order, number=1)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_payment(order, number=1)
    assert a_payment(number=1).number == 1


def test_a_reference_is_used_once_byte_for_byte() -> None:
    a_payment(reference="REF-a")
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_payment(reference="REF-a")
    assert a_payment(reference="REF-A").reference == "REF-A"
    assert Payment.objects.filter(reference="ref-a").count() == 0


def test_a_payment_and_its_order_cannot_be_deleted_from_under_their_transactions() -> None:
    transaction = a_transaction()
    assert transaction.payment is not None
    with pytest.raises(ProtectedError):
        transaction.payment.delete()
    with pytest.raises(ProtectedError):
        transaction.payment.order.delete()


# What the row says


@pytest.mark.parametrize("kind", [TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION])
def test_the_transaction_that_opened_it_is_the_one_with_its_reference(kind: TransactionKind) -> None:
    payment = a_payment()
    opening = a_transaction(
        payment,
        kind=kind,
        reference=payment.reference,
        state=TransactionState.OPEN,
        redirect_url="https://p/",
    )
    a_transaction(payment)
    assert payment.opening == opening
    assert (payment.redirect_url, payment.is_open) == ("https://p/", True)
    assert payment.expires_at == opening.expires_at
