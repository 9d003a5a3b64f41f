"""States as badges: the word, in the colour of what it means."""

from __future__ import annotations

import pytest

from wallet_gateway.admin.badges import state_column
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Approval, GatewayTransaction, OperationBatch, PaymentOrder


@pytest.mark.parametrize(
    ("row", "tone", "word"),
    [
        (PaymentOrder(state=OrderState.PAID), "good", "Paid"),
        (PaymentOrder(state=OrderState.PENDING), "wait", "Pending"),
        (PaymentOrder(state=OrderState.FROZEN), "bad", "Frozen"),
        (PaymentOrder(state=OrderState.REFUNDED), "plain", "Refunded"),
        (GatewayTransaction(state=TransactionState.ANOMALY), "bad", "Anomaly"),
        (OperationBatch(state="RUNNING"), "wait", "Running"),
        (Approval(state="AGREED"), "good", "Agreed to"),
    ],
)
def test_a_state_is_a_word_in_the_colour_of_its_meaning(row: object, tone: str, word: str) -> None:
    shown = f'<span class="wallet-badge wallet-badge--{tone}">{word}</span>'
    assert state_column("state")(row) == shown
