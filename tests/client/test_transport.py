"""What holds for every transport: over a real socket, and to an application in this process."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from requests import PreparedRequest
from requests.auth import HTTPBasicAuth

from tests.client.applications import Application, served
from tests.client.calls import ACCOUNT, CALLS, ERROR, EVERY_CALL, Call
from wallet_gateway.client.errors import (
    BadAnswer,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    Refused,
    UnknownReason,
)
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.client.http_transport import HttpTransport
from wallet_gateway.client.request_deadline import steady_seconds
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


def test_a_request_arrives_as_it_was_given(reach: Reach) -> None:
    application = Application(b'{"a": 1}', headers=(("Retry-After", "5"), ("Set-Cookie", "a=b")))
    raw = reach(application).send(
        "POST", "/pay", query={"a": "b c&d"}, body=b'{"amount":"10.00"}', headers={"X-Own": "1"}
    )
    (environ,) = application.requests
    assert application.bodies == [b'{"amount":"10.00"}']
    assert (environ["REQUEST_METHOD"], environ["PATH_INFO"]) == ("POST", "/base/pay")
    assert environ["QUERY_STRING"] == "a=b+c%26d"
    assert environ["CONTENT_TYPE"] == environ["HTTP_ACCEPT"] == "application/json"
    assert environ["CONTENT_LENGTH"] == "18"
    assert environ["HTTP_HOST"].startswith("127.0.0.1")
    assert environ["HTTP_ACCEPT_ENCODING"] == "identity"
    assert environ["HTTP_USER_AGENT"].startswith("django-wallet-gateway/")
    assert environ["HTTP_X_OWN"] == "1"
    assert not {"HTTP_AUTHORIZATION", "HTTP_COOKIE", "HTTP_CONNECTION"} & environ.keys()
    assert (raw.status, raw.body) == (200, b'{"a": 1}')
    assert raw.headers["content-type"] == "application/json"
    assert raw.headers["retry-after"] == "5"
    assert set(raw.headers) <= {"content-type", "date", "retry-after"}
    assert 0 < raw.elapsed < 10


def test_escapes_in_a_path_are_decoded_once(reach: Reach) -> None:
    application = Application()
    reach(application).send("GET", "/accounts/a%2Fb%C3%A9")
    assert application.requests[0]["PATH_INFO"] == "/base/accounts/a/b\xc3\xa9"
    assert application.bodies == [b""]


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


def test_a_packed_answer_is_unpacked(reach: Reach) -> None:
    packed = Application(gzip.compress(b'{"a": 1}'), headers=(("Content-Encoding", "gzip"),))
    assert reach(packed).send("GET", "/").body == b'{"a": 1}'


def test_auth_sets_headers(reach: Reach) -> None:
    application = Application()
    reach(application, auth=HTTPBasicAuth("shop", "pass")).send("POST", "/", body=b"{}")
    assert application.requests[0]["HTTP_AUTHORIZATION"] == "Basic c2hvcDpwYXNz"


def _changes_the_body(request: PreparedRequest) -> PreparedRequest:
    request.body = b'{"amount": "1"}'
    return request


def _breaks(_request: PreparedRequest) -> PreparedRequest:
    raise KeyError(SECRET)


def _breaks_a_line(request: PreparedRequest) -> PreparedRequest:
    request.headers["Authorization"] = f"Bearer {SECRET}\r\nX-More: 1"
    return request


@pytest.mark.parametrize("auth", [_changes_the_body, _breaks, _breaks_a_line])
def test_auth_that_fails_sends_nothing(auth: Callable[..., PreparedRequest], reach: Reach) -> None:
    application = Application()
    with pytest.raises(NotSent) as failure:
        reach(application, auth=auth).send("POST", "/", body=b"{}")
    assert SECRET not in str(failure.value)
    assert application.requests == []


def test_an_expired_right_to_send_sends_nothing(reach: Reach) -> None:
    application = Application()
    with pytest.raises(NotSent) as failure:
        reach(application).send("POST", "/", body=b"{}", not_after=steady_seconds() - 0.01)
    assert failure.value.reason == NotSentReason.STALE_CLAIM
    assert application.requests == []


def test_a_request_hides_its_content() -> None:
    request = SignedRequest(
        method="POST", target="/?key=hunter2", headers={"Authorization": "hunter2"}, body=b"hunter2"
    )
    assert repr(request) == "SignedRequest(method='POST')"
