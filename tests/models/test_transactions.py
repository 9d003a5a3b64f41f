"""GatewayTransaction: one record for one intent, one slot for one payment, one parent of two."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from tests.models.rows import NOW, a_deposit, a_payment, an_intent
from tests.tables import every
from wallet_gateway.domain.lifecycle import OUTSTANDING_STATES, IntentState, TransactionKind
from wallet_gateway.domain.recovery import Position
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.protocol.money import Money

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def refused(**columns: Any) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        an_intent(**columns)


# What the table refuses


@pytest.mark.parametrize("amount", [0, -1])
def test_an_intent_asks_for_something(amount: int) -> None:
    refused(amount_minor=amount)


@pytest.mark.parametrize("approved", [0, -1, 501])
def test_what_is_approved_lies_within_what_was_asked(approved: int) -> None:
    refused(approved_minor=approved)
    assert an_intent(approved_minor=500).approved_minor == 500
    assert an_intent(approved_minor=1).approved_minor == 1


def test_an_intent_has_one_parent_and_not_two() -> None:
    refused(payment=a_payment(), deposit=a_deposit())
    with pytest.raises(IntegrityError), transaction.atomic():
        an_intent(None, deposit=None)
    assert an_intent(None, deposit=a_deposit()).slot.startswith("deposit:")


def test_a_payment_has_one_slot() -> None:
    payment = a_payment()
    first = an_intent(payment, open_slot="payment:1")
    refused(open_slot="payment:1")
    first.open_slot = None
    first.save()
    an_intent(payment, open_slot="payment:1")
    assert an_intent(payment).open_slot is None
    assert an_intent(payment).open_slot is None


def test_a_gateways_record_belongs_to_one_intent_of_its_kind() -> None:
    an_intent(record_id="g1")
    refused(record_id="g1")
    assert an_intent(record_id="G1").record_id == "G1"
    assert an_intent(record_id="g1", kind=TransactionKind.REFUND).record_id == "g1"
    assert an_intent(record_id="g1", gateway="second").record_id == "g1"
    for _ in range(2):
        assert an_intent(record_id=None).record_id is None


@pytest.mark.parametrize("column", ["reference", "key"])
def test_references_and_keys_are_used_once_byte_for_byte(column: str) -> None:
    named: dict[str, Any] = {column: "abc"}
    an_intent(**named)
    refused(**named)
    other: dict[str, Any] = {column: "ABC"}
    assert getattr(an_intent(**other), column) == "ABC"
    assert GatewayTransaction.objects.filter(**{column: "aBc"}).count() == 0


def test_many_intents_may_have_no_key() -> None:
    assert [an_intent(key=None).key for _ in range(3)] == [None] * 3


def test_every_word_fits_its_column() -> None:
    columns = {column.name: column for column in GatewayTransaction._meta.fields}
    assert max(map(len, IntentState)) <= (columns["state"].max_length or 0)
    assert max(map(len, TransactionKind)) <= (columns["kind"].max_length or 0)


# What the row says


def test_amounts_are_money() -> None:
    intent = an_intent(approved_minor=250)
    assert intent.amount == Money.from_minor_units(500, "EUR")
    assert intent.approved_amount == Money.from_minor_units(250, "EUR")
    assert an_intent().approved_amount is None


@every("state", IntentState)
def test_an_intent_is_outstanding_until_the_gateway_has_said(state: IntentState) -> None:
    assert an_intent(state=state).is_outstanding is (state in OUTSTANDING_STATES)


def test_its_place_in_a_timetable() -> None:
    intent = an_intent(expires_at=NOW, decided_by_person=True, confirmed_at=NOW)
    position = intent.position(state=IntentState.UNKNOWN, since=NOW + timedelta(hours=1), rung=3)
    assert position == Position(
        kind=TransactionKind.CAPTURE,
        state=IntentState.UNKNOWN,
        since=NOW + timedelta(hours=1),
        expires_at=NOW,
        rung=3,
        decided_by_person=True,
        confirmed=True,
    )


def test_a_slot_names_its_parent() -> None:
    intent = an_intent()
    assert intent.slot == f"payment:{intent.payment_id}"
    assert str(intent) == f"CAPTURE {intent.reference}"
