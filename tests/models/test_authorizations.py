"""Which authorizations hold money that nobody has taken or given back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.rows import NOW, a_payment, a_transaction, an_order
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.totals import Reversal, payment_state
from wallet_gateway.models import Payment
from wallet_gateway.models.authorizations import holding, holds, uncaptured

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def authorized(kind: str = TransactionKind.CHECKOUT, gateway: str = "default", **columns: Any) -> str:
    given = {"type": "preauthorization", "authorized": 2000} | columns
    payment = a_payment(an_order(type=given["type"]), **given)
    state = payment_state(payment.totals, TransactionState.APPROVED, TransactionKind(kind))
    Payment.objects.filter(pk=payment.pk).update(state=state)
    transaction = a_transaction(
        payment, reference=payment.reference, kind=kind, state=TransactionState.APPROVED, gateway=gateway
    )
    return str(transaction.reference)


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({}, True),
        ({"kind": TransactionKind.AUTHORIZATION}, True),
        ({"captured": 500}, True),
        ({"captured": 500, "refunded": 200}, True),
        ({"captured": 500, "refunded": 500}, False),
        ({"is_frozen": True}, True),
        ({"captured": 2000}, False),
        ({"captured": 500, "capture_reserved": 1000}, True),
        ({"reversal": Reversal.RESERVED}, False),
        ({"reversal": Reversal.DONE}, False),
        ({"type": "sale", "captured": 0}, False),
    ],
)
def test_what_is_left_decides(columns: dict[str, Any], found: bool) -> None:
    reference = authorized(**columns)
    references = [reference] * found
    assert [transaction.reference for transaction in uncaptured("default", since=NOW)] == references
    assert list(Payment.objects.filter(holds()).values_list("reference", flat=True)) == references


def test_while_all_that_is_left_is_being_captured_a_person_sees_it_and_nothing_more_is_captured() -> None:
    reference = authorized(captured=500, capture_reserved=1500)
    assert list(uncaptured("default", since=NOW)) == []
    assert [transaction.reference for transaction in holding()] == [reference]
    assert [payment.reference for payment in Payment.objects.filter(holds())] == [reference]


def test_a_gateway_is_told_of_its_own_authorizations() -> None:
    authorized(gateway="second")
    assert list(uncaptured("default", since=NOW)) == []
