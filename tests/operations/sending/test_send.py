"""The one claim and the one send: a second try only when no byte left, and each outcome to its recorder."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.tables import every
from wallet_gateway.client.credentials import MerchantAccount
from wallet_gateway.client.errors import (
    BadAnswer,
    GatewayError,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.client.exchange import Answer, Exchange
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.polling_schedule import LEASE
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.sending.send import (
    Outcomes,
    body_columns,
    claim_columns,
    retry_unsent,
    send_once,
)

ANSWER = Answer(
    message="approved",
    exchange=Exchange(
        method="POST",
        url_path="/pay",
        http_status=200,
        request_body="{}",
        answer_body="{}",
        elapsed_seconds=0.5,
        sent=True,
    ),
)
UNREACHABLE = NotSent(NotSentReason.REFUSED_CONNECTION)


class Wire:
    """Sends nothing: each try ends in the next thing it was given."""

    def __init__(self, *ends: GatewayError | Answer[str]) -> None:
        self._ends = list(ends)
        self.tries = 0

    def send(self) -> Answer[str]:
        self.tries += 1
        end = self._ends.pop(0)
        if isinstance(end, GatewayError):
            raise end
        return end


def test_what_was_answered_is_not_sent_again() -> None:
    wire = Wire(ANSWER)
    assert retry_unsent(wire.send) is ANSWER
    assert wire.tries == 1


@pytest.mark.parametrize(
    "reason", [r for r in NotSentReason if r not in {NotSentReason.TLS, NotSentReason.STALE_CLAIM}]
)
def test_what_never_left_is_tried_once_more(reason: NotSentReason) -> None:
    wire = Wire(NotSent(reason), ANSWER)
    assert retry_unsent(wire.send) is ANSWER
    assert wire.tries == 2


def test_there_is_no_third_try() -> None:
    wire = Wire(UNREACHABLE, NotSent(NotSentReason.DNS), ANSWER)
    with pytest.raises(NotSent) as failure:
        retry_unsent(wire.send)
    assert failure.value.reason == NotSentReason.DNS
    assert wire.tries == 2


@pytest.mark.parametrize("reason", [NotSentReason.TLS, NotSentReason.STALE_CLAIM])
def test_what_would_stay_unsent_is_not_tried_again(reason: NotSentReason) -> None:
    wire = Wire(NotSent(reason), ANSWER)
    with pytest.raises(NotSent):
        retry_unsent(wire.send)
    assert wire.tries == 1


@every(
    "error",
    [
        OutcomeUnknown(UnknownReason.CONNECTION_LOST),
        BadAnswer(UnknownReason.UNREADABLE),
        Refused("1", "no", 400),
    ],
    ids=["OutcomeUnknown", "BadAnswer", "Refused"],
)
@every("before", [(), (UNREACHABLE,)], ids=["first try", "second try"])
def test_what_left_is_never_sent_again(error: GatewayError, before: tuple[GatewayError, ...]) -> None:
    wire = Wire(*before, error, ANSWER)
    with pytest.raises(type(error)) as failure:
        retry_unsent(wire.send)
    assert failure.value is error
    assert wire.tries == len(before) + 1


# A claim


def test_a_claim_counts_on_from_the_last_one_and_holds_the_row_for_a_lease() -> None:
    now = datetime(2026, 5, 17, 12, tzinfo=UTC)
    claim = claim_columns(now=now, attempt_no=2, next_send_at=None)

    assert claim == {
        "state": TransactionState.SENDING,
        "state_changed_at": now,
        "attempt_no": 3,
        "leased_until": now + LEASE,
        "next_send_at": None,
    }
    assert claim_columns(now=now)["attempt_no"] == 1


def test_a_body_is_kept_as_it_is_with_its_hash_and_account() -> None:
    body = '{"name":"Zoë"}'.encode()
    account = MerchantAccount(merchant_id="M", store_id="S", user_id="u", provider="ExampleWalletV2")
    assert body_columns(body, account) == {
        "request_body": '{"name":"Zoë"}',
        "body_hash": hashlib.sha256(body).hexdigest(),
        "merchant_id": "M",
        "store_id": "S",
    }


# The four outcomes


def outcomes() -> Outcomes[str, str]:
    return Outcomes(
        answered=lambda answer: f"answered {answer.message}",
        not_sent=lambda error: f"not sent {error.reason}",
        refused=lambda error: f"refused {error.code}",
        unknown=lambda error: f"unknown {error.reason}",
    )


def not_sent(context: GatewayContext, **retries: bool) -> tuple[str, int]:
    wire = Wire(UNREACHABLE, ANSWER)
    told = send_once(lambda _: wire.send(), outcomes(), context=context, **retries)
    return told, wire.tries


def test_only_who_asks_for_it_has_an_unsent_request_sent_once_more(context: GatewayContext) -> None:
    assert not_sent(context, retries_unsent=True) == ("answered approved", 2)
    assert not_sent(context, retries_unsent=False) == ("not sent refused_connection", 1)
    assert not_sent(context) == ("not sent refused_connection", 1)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Refused("4711", "no", 400), "refused 4711"),
        (BadAnswer(UnknownReason.UNREADABLE), "unknown unreadable"),
        (OutcomeUnknown(UnknownReason.TIMEOUT), "unknown timeout"),
    ],
)
def test_each_outcome_is_handed_to_its_own_recorder_and_nothing_is_sent_again(
    error: GatewayError, told: str, context: GatewayContext
) -> None:
    wire = Wire(error)
    assert send_once(lambda _: wire.send(), outcomes(), context=context, retries_unsent=True) == told
    assert wire.tries == 1


def test_a_fault_of_the_recorder_is_not_taken_for_the_gateways(context: GatewayContext) -> None:
    def record(_: Answer[str]) -> str:
        raise OutcomeUnknown(UnknownReason.TIMEOUT)

    recording = replace(outcomes(), answered=record)
    with pytest.raises(OutcomeUnknown):
        send_once(lambda _: ANSWER, recording, context=context)
