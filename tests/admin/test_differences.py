"""A discrepancy in plain words: what is different, and what this person may do about it."""

from __future__ import annotations

import pytest
from django.utils import translation

from tests.models.rows import NOW, a_payment
from tests.tables import every
from wallet_gateway.admin.differences import sentence_of_difference
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import PaymentType, TransactionKind
from wallet_gateway.domain.outcomes import wire_type
from wallet_gateway.models import Discrepancy

pytestmark = pytest.mark.django_db


def elsewhere(kind: TransactionKind) -> Discrepancy:
    return Discrepancy(
        kind="MADE_ELSEWHERE",
        explanation_code="made_elsewhere",
        explanation_params={
            "type": wire_type(kind, PaymentType.SALE),
            "given": "7.00",
            "currency": "EUR",
            "record": "SBX-1",
        },
        payment=a_payment(),
        found_at=NOW,
    )


@every(
    ("kind", "beginning"),
    [
        (TransactionKind.REFUND, "€7.00 were refunded elsewhere,"),
        (TransactionKind.CAPTURE, "€7.00 were captured elsewhere,"),
        (TransactionKind.REVERSAL, "An authorization of €7.00 was reversed elsewhere,"),
    ],
)
def test_what_was_made_elsewhere_is_told_with_its_amount(kind: TransactionKind, beginning: str) -> None:
    assert sentence_of_difference(elsewhere(kind)).startswith(beginning)


@every("kind", list(DiscrepancyKind))
def test_every_kind_has_a_sentence_of_its_own(kind: DiscrepancyKind) -> None:
    with translation.override("en"):
        told = {each: sentence_of_difference(Discrepancy(kind=each)) for each in DiscrepancyKind}
    assert told[kind].endswith(".")
    assert list(told.values()).count(told[kind]) == 1
