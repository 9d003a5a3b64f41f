"""GatewayTransaction: one record for one transaction, one slot for one payment, one parent of two."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import a_deposit, a_payment, a_transaction
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def refused(**columns: Any) -> None:
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_transaction(**columns)


# What the table refuses


@pytest.mark.parametrize("amount", [0, -1])
def test_a_transaction_asks_for_something(amount: int) -> None:
    refused(amount_minor=amount)


@pytest.mark.parametrize("approved", [0, -1, 501])
def test_what_is_approved_lies_within_what_was_asked(approved: int) -> None:
    refused(approved_minor=approved)
    assert a_transaction(approved_minor=500).approved_minor == 500
    assert a_transaction(approved_minor=1).approved_minor == 1


def test_a_transaction_has_one_parent_and_not_two() -> None:
    refused(payment=a_payment(), deposit=a_deposit())
    with pytest.raises(IntegrityError), db_transaction.atomic():
        a_transaction(None, deposit=None)
    assert a_transaction(None, deposit=a_deposit()).parent_key.startswith("deposit:")


def test_a_payment_has_one_slot() -> None:
    payment = a_payment()
    first = a_transaction(payment, outstanding_key="payment:1")
    refused(outstanding_key="payment:1")
    first.outstanding_key = None
    first.save()
    a_transaction(payment, outstanding_key="payment:1")
    assert a_transaction(payment).outstanding_key is None
    assert a_transaction(payment).outstanding_key is None


def test_a_gateways_record_belongs_to_one_transaction_of_its_kind() -> None:
    a_transaction(record_id="g1")
    refused(record_id="g1")
    assert a_transaction(record_id="G1").record_id == "G1"
    assert a_transaction(record_id="g1", kind=TransactionKind.REFUND).record_id == "g1"
    assert a_transaction(record_id="g1", gateway="second").record_id == "g1"
    for _ in range(2):
        assert a_transaction(record_id=None).record_id is None


@pytest.mark.parametrize("column", ["reference", "idempotency_key"])
def test_references_and_keys_are_used_once_byte_for_byte(column: str) -> None:
    named: dict[str, Any] = {column: "abc"}
    a_transaction(**named)
    refused(**named)
    other: dict[str, Any] = {column: "ABC"}
    assert getattr(a_transaction(**other), column) == "ABC"
    assert GatewayTransaction.objects.filter(**{column: "aBc"}).count() == 0


def test_many_transactions_may_have_no_key() -> None:
    assert [a_transaction(idempotency_key=None).idempotency_key for _ in range(3)] == [None] * 3


def test_every_word_fits_its_column() -> None:
    columns = {column.name: column for column in GatewayTransaction._meta.fields}
    assert max(map(len, TransactionState)) <= (columns["state"].max_length or 0)
    assert max(map(len, TransactionKind)) <= (columns["kind"].max_length or 0)


# What the row says
