"""What the tables refuse every writer, as tables: rows that cannot be, names that are used once."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction
from django.db.models import F, Model, ProtectedError

from tests.models.rows import (
    NOW,
    a_deposit,
    a_payment,
    a_transaction,
    a_wallet_attempt,
    an_approval,
    an_order,
)
from tests.support.tables import every
from wallet_gateway.models import (
    Allowance,
    ExpiryNotice,
    OperationBatch,
    OperationBatchRow,
    OutboxEvent,
    Payment,
    SentMail,
    WalletUsage,
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
Make = Callable[..., Model]
Columns = dict[str, Any] | Callable[[], dict[str, Any]]


def a_batch_row(**columns: Any) -> OperationBatchRow:
    batch = OperationBatch.objects.create(kind="CAPTURE", created_by="anna", created_at=NOW)
    return OperationBatchRow.objects.create(batch=batch, **columns)


def an_outbox_event(**columns: Any) -> OutboxEvent:
    transaction = a_transaction()
    given = {"order": transaction.opened_payment.order, "currency": "EUR", "occurred_at": NOW}
    return OutboxEvent.objects.create(kind="PAID", transaction=transaction, **given, **columns)


def a_known_deposit(**columns: Any) -> Model:
    return a_deposit(is_known=True, amount_minor=100, **columns)


def both() -> dict[str, Any]:
    return {"payment": a_payment(), "deposit": a_deposit()}


def no_parent() -> dict[str, Any]:
    return {"payment": None, "deposit": None}


@every(
    ("make", "columns"),
    [
        *((an_order, {"amount_minor": amount}) for amount in (0, -1)),
        *((a_transaction, {"amount_minor": amount}) for amount in (0, -1)),
        # What is approved lies within what was asked: 500.
        *((a_transaction, {"approved_minor": approved}) for approved in (0, -1, 501)),
        (a_transaction, both),
        (a_transaction, no_parent),
        (a_batch_row, {}),
        (a_batch_row, lambda: {"order": an_order(), "deposit": a_deposit()}),
        (an_approval, no_parent),
        (an_approval, {"amount_minor": 0}),
        (an_approval, {"state": "AGREED", "created_by": "anna", "decided_by": "anna"}),
        (an_approval, {"state": "AGREED", "decided_by": ""}),
        *((a_deposit, {name: -1}) for name in ("refunded", "refund_reserved", "refunded_before")),
        *((a_known_deposit, {name: 101}) for name in ("refunded", "refund_reserved", "refunded_before")),
        (a_known_deposit, {"refunded_before": 40, "refunded": 40, "refund_reserved": 21}),
        (a_wallet_attempt, {"results_count": 6}),
    ],
)
def test_a_row_that_cannot_be_is_refused(make: Make, columns: Columns) -> None:
    with pytest.raises(IntegrityError), db_transaction.atomic():
        make(**(columns() if callable(columns) else columns))


TEN, REVERSED = {"authorized": 10}, {"authorized": 10, "reversal": "DONE"}


@every(
    "columns",
    [
        *(
            {name: -1}
            for name in ("authorized", "captured", "refunded", "capture_reserved", "refund_reserved")
        ),
        {"capture_reserved": 1},
        {**TEN, "captured": 11},
        {**TEN, "captured": 6, "capture_reserved": 5},
        {**TEN, "captured": 5, "refunded": 6},
        {**TEN, "captured": 5, "refunded": 3, "refund_reserved": 3},
        {**TEN, "captured": 1, "reversal": "RESERVED"},
        {**REVERSED, "captured": 1},
        {**REVERSED, "capture_reserved": 1},
    ],
)
def test_sums_that_cannot_be_are_refused_to_a_new_row_and_to_a_change(columns: dict[str, Any]) -> None:
    payment = a_payment()
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_payment(**columns)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        Payment.objects.filter(pk=payment.pk).update(**columns)


def test_a_blind_addition_beyond_the_limit_is_refused() -> None:
    payment = a_payment(authorized=10, captured=9)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        Payment.objects.filter(pk=payment.pk).update(captured=F("captured") + 2)


MOST = 99_999_999_999_999


@every(
    ("make", "columns"),
    [
        (a_payment, {"authorized": 2000, "captured": 1200, "capture_reserved": 800}),
        (a_payment, {"authorized": 2000, "captured": 2000, "refunded": 1500, "refund_reserved": 500}),
        (a_payment, {"authorized": 2000, "reversal": "DONE"}),
        # More than was asked for, and fourteen digits.
        (a_payment, {"authorized": MOST, "captured": MOST}),
        *((a_transaction, {"approved_minor": approved}) for approved in (1, 500)),
        # Of an unknown deposit the table knows no limit.
        (a_deposit, {"refunded": 10**9, "refund_reserved": 5}),
        (a_wallet_attempt, {"results_count": 5}),
    ],
)
def test_what_can_be_is_stored(make: Make, columns: dict[str, Any]) -> None:
    row = make(**columns)
    row.refresh_from_db()
    assert {name: getattr(row, name) for name in columns} == columns


KEY = uuid.UUID(int=7)


@every(
    ("make", "once", "others"),
    [
        (an_order, {"reference": "A-1"}, [{"reference": "a-1"}]),
        (an_order, {"token": "t" * 22}, [{"token": "T" * 22}]),
        (a_payment, {"reference": "A-1"}, [{"reference": "a-1"}]),
        (a_transaction, {"reference": "A-1"}, [{"reference": "a-1"}]),
        (
            a_transaction,
            {"idempotency_key": "A-1"},
            [{"idempotency_key": key} for key in ("a-1", None, None)],
        ),
        # One slot for a payment's open operation.
        (a_transaction, {"outstanding_key": "payment:1"}, [{"outstanding_key": None}] * 2),
        # A gateway's record is of one transaction of its kind.
        (
            a_transaction,
            {"record_id": "g1"},
            [
                {"record_id": "G1"},
                {"record_id": "g1", "kind": "REFUND"},
                {"record_id": "g1", "gateway": "second"},
                {"record_id": None},
                {"record_id": None},
            ],
        ),
        (
            a_deposit,
            {"parent_transaction_id": "OLD-a"},
            [
                {"parent_transaction_id": "OLD-A"},
                {"parent_transaction_id": "OLD-a", "gateway": "second"},
            ],
        ),
        # What waits for a second person: one request for each subject, and one for each key.
        (an_approval, {"outstanding_key": "payment:1"}, [{}, {}]),
        (an_approval, {"idempotency_key": "K-1"}, [{"idempotency_key": "k-2"}]),
        (an_outbox_event, {"event_id": KEY}, [{}, {}]),
        # One account of the wallet pays one attempt.
        (
            a_wallet_attempt,
            {"account_id": "a-1"},
            [
                {"account_id": "A-1"},
                {"account_id": "a-1", "gateway": "other"},
                {"account_id": None},
                {"account_id": None},
            ],
        ),
        (
            Allowance.objects.create,
            {"gateway": "default", "account": "7", "currency": "EUR"},
            [{"gateway": "default", "account": "8", "currency": "EUR"}],
        ),
    ],
)
def test_a_name_is_used_once_to_the_byte(
    make: Make, once: dict[str, Any], others: list[dict[str, Any]]
) -> None:
    with db_transaction.atomic():
        make(**once)
        with pytest.raises(IntegrityError), db_transaction.atomic():
            make(**once)
        for other in others:
            row = make(**other)
            row.refresh_from_db()
            assert {name: getattr(row, name) for name in other} == other
        db_transaction.set_rollback(True)


def test_an_order_numbers_its_payments_and_has_one_row_of_counters_and_each_mail_once() -> None:
    order, payment, attempt = an_order(), a_payment(number=1), a_wallet_attempt()
    mail = {"order": order, "template": "paid", "sent_at": NOW}
    ways: list[Callable[[], object]] = [
        lambda: a_payment(order, number=1),
        lambda: WalletUsage.objects.create(order=order),
        lambda: ExpiryNotice.objects.create(payment=payment, claimed_at=NOW),
        lambda: SentMail.objects.create(**mail),
    ]
    for make in ways:
        make()
        with pytest.raises(IntegrityError), db_transaction.atomic():
            make()
    for event in ("e-1", "e-2"):
        SentMail.objects.create(**mail, event_id=event)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_wallet_attempt(attempt.transaction)


def test_a_payment_and_its_order_cannot_be_deleted_from_under_their_transactions() -> None:
    payment = a_transaction().payment
    assert payment is not None
    for row in (payment, payment.order):
        with pytest.raises(ProtectedError):
            row.delete()
