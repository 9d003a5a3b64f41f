"""What the tables themselves refuse every writer, as the last line behind all checks, and what they store."""

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
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import (
    Allowance,
    ExpiryNotice,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    OutboxEvent,
    Payment,
    PaymentOrder,
    SentMail,
    WalletUsage,
)
from wallet_gateway.models.transactions import STATES_WITH_SECRETS
from wallet_gateway.models.wallet import MOST_RESULTS

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

Columns = dict[str, Any]


def refused(make: Callable[..., Model], **columns: Any) -> None:
    with pytest.raises(IntegrityError), db_transaction.atomic():
        make(**columns)


def a_batch(**columns: Any) -> OperationBatch:
    given = {"kind": "CAPTURE", "created_by": "anna", "created_at": NOW}
    return OperationBatch.objects.create(**given | columns)


def a_batch_row(**columns: Any) -> OperationBatchRow:
    return OperationBatchRow.objects.create(batch=a_batch(), **columns)


def a_mail(**columns: Any) -> SentMail:
    return SentMail.objects.create(**{"order": an_order(), "template": "paid", "sent_at": NOW} | columns)


def an_outbox_event(**columns: Any) -> OutboxEvent:
    transaction = a_transaction()
    assert transaction.payment is not None
    given: Columns = {"order": transaction.payment.order, "transaction": transaction, "currency": "EUR"}
    return OutboxEvent.objects.create(
        **{"kind": "PAID", "amount_minor": 500, "occurred_at": NOW} | given | columns
    )


def an_allowance(**columns: Any) -> Allowance:
    return Allowance.objects.create(**{"gateway": "default", "account": "7", "currency": "EUR"} | columns)


# Sums

WRONG: list[tuple[Callable[..., Model], Columns]] = [
    *((an_order, {"amount_minor": amount}) for amount in (0, -1)),
    *((a_transaction, {"amount_minor": amount}) for amount in (0, -1)),
    *((a_transaction, {"approved_minor": amount}) for amount in (0, -1, 501)),
    *((a_payment, {name: -1}) for name in ("authorized", "captured", "refunded")),
    *((a_payment, {name: -1}) for name in ("capture_reserved", "refund_reserved")),
    (a_payment, {"authorized": 10, "captured": 11}),
    (a_payment, {"authorized": 10, "captured": 6, "capture_reserved": 5}),
    (a_payment, {"capture_reserved": 1}),
    (a_payment, {"authorized": 10, "captured": 5, "refunded": 6}),
    (a_payment, {"authorized": 9, "captured": 5, "refunded": 3, "refund_reserved": 3}),
    (a_payment, {"authorized": 10, "captured": 1, "reversal": "done"}),
    (a_payment, {"authorized": 10, "captured": 1, "reversal": "reserved"}),
    (a_payment, {"authorized": 10, "capture_reserved": 1, "reversal": "done"}),
    *((a_deposit, {name: -1}) for name in ("refunded", "refund_reserved", "refunded_before")),
    (a_deposit, {"is_known": True, "amount_minor": 100, "refunded_before": 101}),
    (a_deposit, {"is_known": True, "amount_minor": 100, "refunded": 101}),
    (a_deposit, {"is_known": True, "amount_minor": 100, "refund_reserved": 101}),
    (
        a_deposit,
        {"is_known": True, "amount_minor": 100, "refunded_before": 40, "refunded": 40, "refund_reserved": 21},
    ),
    (an_approval, {"state": "AGREED", "created_by": "anna", "decided_by": "anna"}),
    (an_approval, {"state": "AGREED", "decided_by": ""}),
    (an_approval, {"amount_minor": 0}),
    (an_approval, {"payment": None}),
    (a_wallet_attempt, {"results_count": MOST_RESULTS + 1}),
    (a_batch_row, {}),
]


@pytest.mark.parametrize(("make", "columns"), WRONG, ids=lambda one: getattr(one, "__name__", str(one))[:70])
def test_what_cannot_be_is_refused(make: Callable[..., Model], columns: Columns) -> None:
    refused(make, **columns)
    if make is a_payment:
        right = a_payment()
        with pytest.raises(IntegrityError), db_transaction.atomic():
            Payment.objects.filter(pk=right.pk).update(**columns)


RIGHT: list[tuple[Callable[..., Model], Columns]] = [
    (a_transaction, {"approved_minor": 500}),
    (a_transaction, {"approved_minor": 1}),
    (a_payment, {"authorized": 2000}),
    (a_payment, {"authorized": 2000, "captured": 2000}),
    (a_payment, {"authorized": 2000, "captured": 1200, "capture_reserved": 800}),
    (a_payment, {"authorized": 2000, "captured": 2000, "refunded": 1500, "refund_reserved": 500}),
    (a_payment, {"authorized": 2000, "reversal": "done"}),
    (a_payment, {"authorized": 3000}),
    (a_payment, {"authorized": 99_999_999_999_999, "captured": 99_999_999_999_999}),
    (a_deposit, {"refunded": 10**9, "refund_reserved": 5}),
    (a_wallet_attempt, {"results_count": MOST_RESULTS}),
]


def test_what_can_be_is_stored() -> None:
    for make, columns in RIGHT:
        row = make(**columns)
        row.refresh_from_db()
        assert {name: getattr(row, name) for name in columns} == columns


def test_a_blind_addition_beyond_the_limit_is_refused() -> None:
    payment = a_payment(authorized=10, captured=9)
    with pytest.raises(IntegrityError), db_transaction.atomic():
        Payment.objects.filter(pk=payment.pk).update(captured=F("captured") + 2)


def test_a_cryptogram_is_kept_only_while_it_may_be_sent() -> None:
    secret: Columns = {"kind": "AUTHORIZATION", "wallet_secrets": b"ciphertext"}
    for state in TransactionState:
        if state in STATES_WITH_SECRETS:
            a_transaction(state=state, **secret)
        else:
            refused(a_transaction, state=state, **secret)


# One parent of two


def test_a_row_is_about_a_payment_or_order_or_about_a_deposit_and_not_about_both() -> None:
    payment, deposit, order = a_payment(), a_deposit(), an_order()
    refused(a_transaction, payment=payment, deposit=deposit)
    refused(a_transaction, deposit=None)
    assert a_transaction(None, deposit=deposit).parent_key.startswith("deposit:")
    assert an_approval(payment=payment).parent == payment
    assert an_approval(payment=None, deposit=deposit, kind="DETACHED_REFUND").parent == deposit
    assert a_batch_row(order=order).subject == order
    assert a_batch_row(deposit=deposit).subject == deposit
    refused(a_batch_row, order=order, deposit=deposit)


# Names are used once, byte for byte

ONCE: list[tuple[Callable[..., Model], Columns, list[Columns]]] = [
    (an_order, {"reference": "abc"}, [{"gateway": "two", "numbering": "two"}]),
    (a_payment, {"reference": "abc"}, []),
    (a_transaction, {"reference": "abc"}, []),
    (a_transaction, {"idempotency_key": "abc"}, []),
    (a_transaction, {"record_id": "abc"}, [{"kind": "REFUND"}, {"gateway": "second"}]),
    (a_deposit, {"parent_transaction_id": "abc"}, [{"gateway": "second"}]),
    (a_wallet_attempt, {"account_id": "abc"}, [{"gateway": "second"}]),
    (an_allowance, {"account": "abc"}, [{"gateway": "second"}, {"currency": "USD"}]),
]


@pytest.mark.parametrize(
    ("make", "named", "elsewhere"), ONCE, ids=[f"{row[0].__name__} {row[1]}" for row in ONCE]
)
def test_a_name_is_used_once_byte_for_byte(
    make: Callable[..., Model], named: Columns, elsewhere: list[Columns]
) -> None:
    first = make(**named)
    refused(make, **named)
    for columns in elsewhere:
        make(**named | columns)
    (name,) = named
    assert getattr(make(**{name: "ABC"}), name) == "ABC"
    found = type(first)._default_manager.filter
    assert (found(**{name: "ABC"}).count(), found(**{name: "aBc"}).count()) == (1, 0)


@pytest.mark.parametrize("columns", [{"gateway": "other"}, {"numbering": "other"}], ids=str)
def test_a_reference_is_used_once_in_a_numbering_and_once_at_a_gateway(columns: Columns) -> None:
    an_order(reference="1001")
    refused(an_order, reference="1001", **columns)


def test_rows_of_which_there_is_one() -> None:
    payment, order, attempt = a_payment(), an_order(), a_wallet_attempt()
    ExpiryNotice.objects.create(payment=payment, claimed_at=NOW)
    WalletUsage.objects.create(order=order)
    a_payment(order, number=1)
    a_mail(order=order)
    event = an_outbox_event(event_id=uuid.uuid4())
    for make, columns in (
        (ExpiryNotice.objects.create, {"payment": payment, "claimed_at": NOW}),
        (WalletUsage.objects.create, {"order": order}),
        (a_wallet_attempt, {"transaction": attempt.transaction}),
        (a_payment, {"order": order, "number": 1}),
        (an_order, {"token": order.token}),
        (an_outbox_event, {"event_id": event.event_id}),
        (a_mail, {"order": order}),
    ):
        refused(make, **columns)
    for event_id in ("e-1", "e-2"):
        a_mail(order=order, template="refunded", event_id=event_id)
    assert a_payment(number=1).number == 1
    assert an_outbox_event().event_id != event.event_id


@pytest.mark.parametrize("make", [a_transaction, an_approval])
def test_a_subject_has_one_slot_and_many_may_have_none(make: Callable[..., Any]) -> None:
    first = make(outstanding_key="payment:1")
    refused(make, outstanding_key="payment:1")
    first.outstanding_key = None
    first.save()
    make(outstanding_key="payment:1")
    keys: Columns = {} if make is an_approval else {"idempotency_key": None, "record_id": None}
    for _ in range(2):
        assert make(outstanding_key=None, **keys).outstanding_key is None


def test_a_request_for_approval_has_a_key_of_its_own() -> None:
    an_approval(idempotency_key="K-1")
    refused(an_approval, idempotency_key="K-1")


def test_a_payment_and_its_order_cannot_be_deleted_from_under_their_transactions() -> None:
    transaction = a_transaction()
    assert transaction.payment is not None
    for row in (transaction.payment, transaction.payment.order):
        with pytest.raises(ProtectedError):
            row.delete()


def test_every_word_fits_its_column() -> None:
    for model in (GatewayTransaction, PaymentOrder, Payment, OutboxEvent, MigratedDeposit):
        for field in model._meta.fields:
            if field.choices and field.max_length:
                assert max(len(str(value)) for value, _ in field.flatchoices) <= field.max_length, field
