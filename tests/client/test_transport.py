"""What holds for every transport: over a real socket, and to an application in this process."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.client.applications import Application, served
from tests.client.calls import ACCOUNT, CALLS, ERROR, EVERY_CALL, Call
from wallet_gateway.client.errors import (
    BadAnswer,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.http_transport import HttpTransport
from wallet_gateway.client.transport import SignedRequest, Transport
from wallet_gateway.testing import InProcessTransport

Reach = Callable[..., Transport]
SECRET = "hunter2-and-more"


def _in_process(application: Application, _stack: contextlib.ExitStack, **options: Any) -> Transport:
    return InProcessTransport(application, base_url="http://127.0.0.1/base", **options)


def _over_http(application: Application, stack: contextlib.ExitStack, **options: Any) -> Transport:
    transport = HttpTransport(base_url=stack.enter_context(served(application)) + "/base", **options)
    stack.callback(transport.close)
    return transport


@pytest.fixture(
    params=[pytest.param(_over_http, marks=pytest.mark.wire, id="http"), pytest.param(_in_process, id="wsgi")]
)
def reach(request: pytest.FixtureRequest) -> Iterator[Reach]:
    """Makes a transport to an application."""
    with contextlib.ExitStack() as stack:
        yield lambda application, **options: request.param(application, stack, **options)


@pytest.mark.parametrize(("call", "good"), EVERY_CALL)
def test_every_call_is_made_once_and_read(call: Call, good: bytes, reach: Reach) -> None:
    application = Application(good)
    answer = call(Gateway(account=ACCOUNT, transport=reach(application)))
    assert answer.exchange.http_status == 200
    (environ,) = application.requests
    moves_money = call in {CALLS[name][0] for name in ("follow_up", "detached_refund", "authorize")}
    assert (environ.get("HTTP_CONNECTION") == "close") is moves_money


@pytest.mark.parametrize(
    ("application", "error", "reason"),
    [
        (Application(ERROR, status="422 No"), Refused, None),
        (Application(ERROR, status="500 Error"), OutcomeUnknown, UnknownReason.SERVER_ERROR),
        (Application(b"", status="302 Found"), OutcomeUnknown, UnknownReason.REDIRECT),
        (Application(ERROR, status="429 Slow"), OutcomeUnknown, UnknownReason.RATE_LIMITED),
        (Application(b"<html>", status="403 No"), OutcomeUnknown, UnknownReason.FOREIGN_ANSWER),
        (Application(b'{"state": "App'), BadAnswer, UnknownReason.UNREADABLE),
        (Application(b"1" * 600), OutcomeUnknown, UnknownReason.TOO_LARGE),
        (Application(headers=(("Content-Length", "400"),)), OutcomeUnknown, UnknownReason.CONNECTION_LOST),
        (Application(headers=(("Content-Encoding", "gzip"),)), OutcomeUnknown, UnknownReason.BAD_ENCODING),
        (Application(headers=(("Content-Encoding", "br"),)), OutcomeUnknown, UnknownReason.BAD_ENCODING),
        (
            Application(gzip.compress(b"1" * 600), headers=(("Content-Encoding", "gzip"),)),
            OutcomeUnknown,
            UnknownReason.TOO_LARGE,
        ),
        (Application(error=KeyError(SECRET)), OutcomeUnknown, None),
    ],
    ids=[
        *("refused", "500", "302", "429", "403", "cut JSON", "too large", "cut off", "no gzip", "br", "bomb"),
        "crash",
    ],
)
def test_a_bad_answer_is_what_is_known_and_the_request_is_made_once(
    application: Application, error: type[Exception], reason: UnknownReason | None, reach: Reach
) -> None:
    application.requests.clear()
    gateway = Gateway(account=ACCOUNT, transport=reach(application, max_answer_bytes=500))
    with pytest.raises(error) as failure:
        CALLS["follow_up"][0](gateway)
    assert type(failure.value) is error
    assert reason is None or failure.value.reason == reason  # type: ignore[attr-defined]
    assert SECRET not in str(failure.value)
    assert len(application.requests) == 1


def test_a_request_hides_its_content() -> None:
    request = SignedRequest(
        method="POST", target="/?key=hunter2", headers={"Authorization": "hunter2"}, body=b"hunter2"
    )
    assert repr(request) == "SignedRequest(method='POST')"
