"""What the provider makes of a transaction: by fault, by amount, by outcome."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.tables import every
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.models import Outcome, RecordState
from wallet_gateway.sandbox.payments.provider_decision import (
    UNDOCUMENTED_STATE,
    success_of,
    verdict_of_outcome,
    verdict_on_request,
)
from wallet_gateway.sandbox.state import Twist

TYPES = {
    "ecom.sale": "CapturedByProvider",
    "ecom.preAuthorization": "AuthorizedByProvider",
    "ecom.capture": "CapturedByProvider",
    "ecom.refund": "RefundedByProvider",
    "ecom.reversalPreauthorization": "ReversedByProvider",
    "detached.refund": "RefundedByProvider",
}


def euros(amount: str) -> Money:
    return Money(Decimal(amount), "EUR")


@every(("record_type", "word"), TYPES.items())
def test_what_works_is_approved_with_the_word_of_its_type(record_type: str, word: str) -> None:
    verdict = success_of(record_type)
    assert (verdict.state, verdict.provider_state_code) == ("Approved", word)


@every(
    ("amount", "twist", "state", "word"),
    [
        ("10.00", Twist.NONE, "Approved", "RefundedByProvider"),
        ("10.00", Twist.PARTIAL, "Approved", "RefundedByProvider"),
        ("10.00", Twist.ERRORED, "Errored", "FailedAtProvider"),
        ("10.00", Twist.UNDOCUMENTED, "Quarantined", "QuarantinedByProvider"),
        ("6660.01", Twist.NONE, "Errored", "RefusedByProvider"),
        ("6660.02", Twist.NONE, "Pending", "PendingAtProvider"),
        ("6660.03", Twist.NONE, "Errored", "FailedAtProvider"),
        ("6660.04", Twist.NONE, "Approved", "RefundedByProvider"),
        ("6660.02", Twist.ERRORED, "Errored", "FailedAtProvider"),
    ],
)
def test_a_fault_decides_before_the_amount_does(amount: str, twist: Twist, state: str, word: str) -> None:
    verdict = verdict_on_request("ecom.refund", euros(amount), twist)
    assert (verdict.state, verdict.provider_state_code) == (state, word)


@pytest.mark.parametrize(
    ("outcome", "state", "word"),
    [
        (Outcome.SUCCESS, "Approved", "AuthorizedByProvider"),
        (Outcome.PENDING, "Pending", "PendingAtProvider"),
        (Outcome.REFUSED, "Errored", "RefusedByProvider"),
        (Outcome.CANCELLED, "Errored", "CancelledByCustomer"),
        (Outcome.ERROR, "Errored", "FailedAtProvider"),
    ],
)
def test_each_outcome_has_its_state_and_word(outcome: Outcome, state: str, word: str) -> None:
    verdict = verdict_of_outcome("ecom.preAuthorization", outcome)
    assert (verdict.state, verdict.provider_state_code) == (state, word)


def test_the_undocumented_state_is_none_of_the_documented_ones() -> None:
    assert UNDOCUMENTED_STATE.casefold() not in {state.casefold() for state in RecordState.values}
