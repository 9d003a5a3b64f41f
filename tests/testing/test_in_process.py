"""The in-process transport: the environment an application gets, and what a failing application becomes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from wsgiref.validate import validator

import pytest

from tests.client.applications import Application
from wallet_gateway.client.errors import OutcomeUnknown, UnknownReason
from wallet_gateway.testing import InProcessTransport

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

SECRET = "hunter2-and-more"
JSON = [("Content-Type", "application/json")]


def sent(application: Callable[..., Iterable[bytes]], **options: Any) -> bytes:
    return InProcessTransport(application, **options).send("POST", "/pay", body=b"{}").body


def failure_of(application: Callable[..., Iterable[bytes]], **options: Any) -> OutcomeUnknown:
    with pytest.raises(OutcomeUnknown) as failure:
        sent(application, **options)
    assert failure.value.__context__ is None
    assert SECRET not in f"{failure.value} {failure.value.__cause__}"
    return failure.value


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_environment_is_as_wsgi_demands(method: str) -> None:
    transport = InProcessTransport(validator(Application(b"[]")), base_url="https://gateway.example:8443/v5")
    assert (
        transport.send(method, "/x", query={"a": "1"}, body=b"{}" if method == "POST" else None).body == b"[]"
    )


@pytest.mark.parametrize(
    ("base_url", "host", "port"),
    [
        ("https://gateway.example", "gateway.example", "443"),
        ("http://gateway.example", "gateway.example", "80"),
        ("https://gateway.example:8443/", "gateway.example:8443", "8443"),
    ],
)
def test_the_application_sees_the_address_it_is_given(base_url: str, host: str, port: str) -> None:
    application = Application()
    sent(application, base_url=base_url)
    (environ,) = application.requests
    assert (environ["HTTP_HOST"], environ["SERVER_PORT"], environ["PATH_INFO"]) == (host, port, "/pay")
    assert environ["wsgi.url_scheme"] == base_url.partition(":")[0]


@pytest.mark.parametrize(
    ("error", "reason", "told"),
    [
        (KeyError(SECRET), UnknownReason.OTHER, "calling the application: KeyError, at applications.py:"),
        (TimeoutError(SECRET), UnknownReason.TIMEOUT, "TimeoutError"),
        (ConnectionResetError(SECRET), UnknownReason.CONNECTION_LOST, "ConnectionResetError"),
    ],
    ids=["a bug", "a timeout", "a lost connection"],
)
def test_an_exception_of_the_application_is_an_unknown_outcome(
    error: Exception, reason: UnknownReason, told: str
) -> None:
    failure = failure_of(Application(error=error))
    assert failure.reason == reason
    assert told in str(failure)


class Parts:
    """A body in parts that knows whether it was closed."""

    def __init__(self, *parts: bytes, error: Exception | None = None) -> None:
        self.parts, self.error, self.closed = parts, error, False

    def __iter__(self) -> Iterator[bytes]:
        yield from self.parts
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("error", [None, KeyError(SECRET)], ids=["whole", "broken"])
def test_a_body_is_closed_whether_or_not_it_came_to_its_end(error: Exception | None) -> None:
    parts = Parts(b"[", b"]", error=error)

    def answers(_environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", JSON)
        return parts

    if error is None:
        assert sent(answers) == b"[]"
    else:
        assert failure_of(answers).reason == UnknownReason.OTHER
    assert parts.closed


def test_an_error_after_the_answer_began_is_raised() -> None:
    def too_late(_environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", JSON)(b"[")
        try:
            raise KeyError(SECRET)
        except KeyError:
            start_response("500 Error", JSON, sys.exc_info())
        return []

    assert "KeyError" in str(failure_of(too_late))


def _never_starts(_environ: WSGIEnvironment, _start_response: StartResponse) -> Iterable[bytes]:
    return [b"{}"]


def _says_nothing(_environ: WSGIEnvironment, _start_response: StartResponse) -> Iterable[bytes]:
    return []


def _starts_twice(_environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", JSON)
    start_response("200 OK", JSON)
    return []


@pytest.mark.parametrize(
    "application",
    [
        _never_starts,
        _says_nothing,
        _starts_twice,
        Application(status="OK"),
        Application(status="2000 OK"),
    ],
    ids=["no status", "nothing", "two statuses", "no number", "four digits"],
)
def test_what_is_not_http_is_an_unknown_outcome(application: Callable[..., Iterable[bytes]]) -> None:
    assert failure_of(application).reason == UnknownReason.BROKEN_HTTP


@pytest.mark.parametrize(
    ("method", "length", "body"), [("POST", "-1", b"{}"), ("POST", "1", b"{"), ("HEAD", "2", b"")]
)
def test_an_answer_has_the_length_that_it_would_have_on_a_connection(
    method: str, length: str, body: bytes
) -> None:
    transport = InProcessTransport(Application(headers=(("Content-Length", length),)))
    assert transport.send(method, "/pay").body == body


def test_an_answer_that_comes_too_late_is_an_unknown_outcome() -> None:
    def sleeps(_environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        time.sleep(0.02)
        start_response("200 OK", JSON)
        return [b"{}"]

    assert failure_of(sleeps, total_timeout=0.01).reason == UnknownReason.TIMEOUT
