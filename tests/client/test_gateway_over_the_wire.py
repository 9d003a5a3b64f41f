"""The gateway's methods over real sockets: whatever comes back, each request arrives once at most."""

from __future__ import annotations

import pytest

from tests.client.calls import ACCOUNT, CALLS, ERROR, EVERY_CALL, Call
from tests.client.conftest import Connect
from tests.client.servers import RawServer, answer, hangs_up, says, unused_port
from wallet_gateway.client.errors import BadAnswer, NotSent, OutcomeUnknown, UnknownReason
from wallet_gateway.client.gateway import Gateway

pytestmark = pytest.mark.wire

ELSEWHERE = ("Location: /elsewhere",)
DISTRUSTED = {
    "a firewall's 403": (answer(b"<html>", status="403 Forbidden"), UnknownReason.FOREIGN_ANSWER),
    "500 with an error body": (answer(ERROR, status="500 Error"), UnknownReason.SERVER_ERROR),
    "429": (answer(ERROR, status="429 Slow", headers=("Retry-After: 7",)), UnknownReason.RATE_LIMITED),
    "408": (answer(ERROR, status="408 Late"), UnknownReason.TRY_LATER),
    "302": (answer(b"", status="302 Found", headers=ELSEWHERE), UnknownReason.REDIRECT),
    "307": (answer(b"", status="307 Again", headers=ELSEWHERE), UnknownReason.REDIRECT),
    "nothing": (answer(b"", status="204 No Content"), UnknownReason.UNREADABLE),
    "cut-off JSON": (answer(b'{"state": "App'), UnknownReason.UNREADABLE),
    "NaN": (answer(b'{"state": NaN}'), UnknownReason.UNREADABLE),
    "a field twice": (answer(b'{"a": 1, "a": 2}'), UnknownReason.UNREADABLE),
    "fields that collide": (answer(b'{"a": 1, "A": 2}'), UnknownReason.UNREADABLE),
    "nested too deep": (answer(b"[" * 5_000), UnknownReason.UNREADABLE),
    "no UTF-8": (answer(b'{"state": "\xff"}'), UnknownReason.UNREADABLE),
}


def over(base_url: str, connect: Connect) -> Gateway:
    return Gateway(account=ACCOUNT, transport=connect(base_url))


@pytest.mark.parametrize(("call", "good"), EVERY_CALL)
def test_every_call_goes_over_the_wire_once(call: Call, good: bytes, connect: Connect) -> None:
    with RawServer(says(answer(good))) as server:
        call(over(server.base_url, connect))
    (request,) = server.requests
    moves_money = call in {CALLS[name][0] for name in ("follow_up", "detached_refund", "authorize")}
    assert (request.headers.get("connection") == "close") is moves_money


@pytest.mark.parametrize(("call", "_good"), EVERY_CALL)
@pytest.mark.parametrize(("said", "reason"), DISTRUSTED.values(), ids=DISTRUSTED)
def test_an_answer_to_distrust_leaves_the_outcome_unknown_and_the_request_sent_once(
    call: Call, _good: bytes, said: bytes, reason: UnknownReason, connect: Connect
) -> None:
    with RawServer(says(said)) as server, pytest.raises(OutcomeUnknown) as failure:
        call(over(server.base_url, connect))
    assert isinstance(failure.value, BadAnswer) is (reason is UnknownReason.UNREADABLE)
    assert failure.value.reason == reason
    assert len(server.requests) == 1
    assert failure.value.exchange is not None
    assert failure.value.exchange.sent


@pytest.mark.parametrize(("call", "_good"), EVERY_CALL)
def test_a_lost_answer_is_unknown_and_asked_for_once(call: Call, _good: bytes, connect: Connect) -> None:
    with RawServer(hangs_up) as server, pytest.raises(OutcomeUnknown):
        call(over(server.base_url, connect))
    assert len(server.requests) == 1


@pytest.mark.parametrize(("call", "_good"), EVERY_CALL)
def test_a_gateway_that_is_not_there_got_nothing(call: Call, _good: bytes, connect: Connect) -> None:
    with pytest.raises(NotSent) as failure:
        call(over(f"http://127.0.0.1:{unused_port()}", connect))
    assert failure.value.exchange is not None
    assert not failure.value.exchange.sent
