"""What the provider makes of a transaction: by fault, by amount, by outcome."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.tables import every
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.models import Outcome, RecordState
from wallet_gateway.sandbox.payments.provider_decision import (
    UNDOCUMENTED_STATE,
    approval_of,
    decide_request,
    decision_for_outcome,
)
from wallet_gateway.sandbox.state import FaultMode

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
    decision = approval_of(record_type)
    assert (decision.state, decision.provider_state_code) == ("Approved", word)


@every(
    ("amount", "fault_mode", "state", "word"),
    [
        ("10.00", FaultMode.NONE, "Approved", "RefundedByProvider"),
        ("10.00", FaultMode.PARTIAL, "Approved", "RefundedByProvider"),
        ("10.00", FaultMode.ERRORED, "Errored", "FailedAtProvider"),
        ("10.00", FaultMode.UNDOCUMENTED, "Quarantined", "QuarantinedByProvider"),
        ("6660.01", FaultMode.NONE, "Errored", "RefusedByProvider"),
        ("6660.02", FaultMode.NONE, "Pending", "PendingAtProvider"),
        ("6660.03", FaultMode.NONE, "Errored", "FailedAtProvider"),
        ("6660.04", FaultMode.NONE, "Approved", "RefundedByProvider"),
        ("6660.02", FaultMode.ERRORED, "Errored", "FailedAtProvider"),
    ],
)
def test_a_fault_decides_before_the_amount_does(
    amount: str, fault_mode: FaultMode, state: str, word: str
) -> None:
    decision = decide_request("ecom.refund", euros(amount), fault_mode)
    assert (decision.state, decision.provider_state_code) == (state, word)


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
    decision = decision_for_outcome("ecom.preAuthorization", outcome)
    assert (decision.state, decision.provider_state_code) == (state, word)


def test_the_undocumented_state_is_none_of_the_documented_ones() -> None:
    assert UNDOCUMENTED_STATE.casefold() not in {state.casefold() for state in RecordState.values}
