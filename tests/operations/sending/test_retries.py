"""The second try of a request that moves money: only when no byte left, and only when it can help."""

from __future__ import annotations

import pytest

from tests.tables import every
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
from wallet_gateway.operations.sending.retries import retry_unsent

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
