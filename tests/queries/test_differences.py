"""What was made elsewhere is read from a discrepancy, and nothing is from one that says something else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.rows import NOW, a_payment, a_transaction
from tests.tables import every
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import Discrepancy
from wallet_gateway.protocol.money import Money
from wallet_gateway.queries.differences import MadeElsewhere, differences_of, made_elsewhere

pytestmark = pytest.mark.django_db

PARAMS = {"type": "Ecom.Refund", "given": "7.00", "currency": "EUR", "record": "SBX-1"}


def a_difference(**columns: Any) -> Discrepancy:
    given: dict[str, Any] = {
        "kind": "MADE_ELSEWHERE",
        "gateway": "default",
        "payment": a_payment(),
        "fingerprint": f"f-{Discrepancy.objects.count()}",
        "explanation_code": "made_elsewhere",
        "explanation_params": PARAMS,
        "found_at": NOW,
    }
    return Discrepancy.objects.create(**given | columns)


def test_an_operation_made_elsewhere_is_read_with_its_amount_and_the_gateways_id() -> None:
    refund = MadeElsewhere(kind=TransactionKind.REFUND, amount=Money.parse("7.00", "EUR"), record_id="SBX-1")
    assert made_elsewhere(a_difference()) == refund
    assert made_elsewhere(a_difference(closed_at=NOW)) == refund


@every(
    "params",
    [{}, PARAMS | {"given": "7,00"}, PARAMS | {"currency": "XXQ"}, PARAMS | {"type": "ecom.other"}],
)
def test_what_cannot_be_read_as_an_operation_is_none(params: dict[str, str]) -> None:
    assert made_elsewhere(a_difference(explanation_params=params)) is None


def test_a_booked_one_and_another_kind_are_none() -> None:
    assert made_elsewhere(a_difference(kind="UNKNOWN_TYPE")) is None
    assert made_elsewhere(a_difference(booked_as=a_transaction(), closed_at=NOW)) is None


def test_an_order_has_those_of_all_its_payments_in_order_of_time(
    django_assert_num_queries: Any,  # noqa: ANN401 - a context manager of pytest-django
) -> None:
    first = a_difference()
    assert first.payment is not None
    second = a_difference(payment=a_payment(first.payment.order), transaction=a_transaction())
    a_difference()
    with django_assert_num_queries(1):
        rows = differences_of(first.payment.order)
        assert rows[1].transaction is not None
    assert rows == (first, second)
