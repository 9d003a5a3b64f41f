"""What the provider makes of a transaction: by fault, by amount, by outcome."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.tables import every
from wallet_gateway.protocol.money import Money
from wallet_gateway.sandbox.models import Outcome
from wallet_gateway.sandbox.payments.provider_decision import (
    decide_request,
    decision_for_outcome,
)
from wallet_gateway.sandbox.state import FaultMode


def euros(amount: str) -> Money:
    return Money(Decimal(amount), "EUR")


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
