"""How a call ended, in words of closed lists only."""

from __future__ import annotations

import pytest

from wallet_gateway.client.calls import CallOutcome, CallRecord, call_record
from wallet_gateway.client.errors import (
    BadAnswer,
    GatewayError,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.client.exchange import Exchange

EXCHANGE = Exchange(
    method="GET",
    url_path="/api/v5/paymentAccounts/{transactionAccountId}",
    http_status=422,
    request_body='{"cardholderEmail":"eve@example.com"}',
    answer_body='{"message":"eve@example.com is known to us"}',
    elapsed_seconds=0.5,
    sent=True,
)


@pytest.mark.parametrize(
    ("error", "outcome", "reason"),
    [
        (None, CallOutcome.ANSWERED, ""),
        (Refused("4711", "eve@example.com is blocked", 422), CallOutcome.REFUSED, ""),
        (NotSent(NotSentReason.DNS, detail="eve.example"), CallOutcome.NOT_SENT, "dns"),
        (OutcomeUnknown(UnknownReason.TIMEOUT), CallOutcome.UNKNOWN, "timeout"),
        (BadAnswer(UnknownReason.WRONG_SHAPE), CallOutcome.UNKNOWN, "wrong_shape"),
    ],
    ids=["answered", "refused", "not-sent", "unknown", "bad-answer"],
)
def test_an_ended_call_says_what_is_known_and_nothing_that_was_said(
    error: GatewayError | None, outcome: CallOutcome, reason: str
) -> None:
    call = call_record("payment_account", EXCHANGE, error)
    assert call == CallRecord(
        operation="payment_account",
        method="GET",
        path="/api/v5/paymentAccounts/{transactionAccountId}",
        outcome=outcome,
        reason=reason,
        http_status=422,
        elapsed_seconds=0.5,
    )
    assert "eve" not in repr(call)
