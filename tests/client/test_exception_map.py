"""What a call becomes when a library or an application fails: whether it was sent decides, not the class."""

from __future__ import annotations

import gzip
import http.client
import inspect
import queue
import socket
import ssl
import zlib
from errno import ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ENETDOWN, EPIPE
from types import ModuleType

import pytest
import requests.exceptions
import urllib3.exceptions
from requests import PreparedRequest

from tests.client.applications import Application
from tests.support.tables import every
from wallet_gateway.client.errors import (
    GatewayError,
    NotSent,
    NotSentReason,
    OutcomeUnknown,
    UnknownReason,
)
from wallet_gateway.testing import InProcessTransport

SECRET = "hunter2"


def failure(error: Exception, *, sent: bool) -> NotSent | OutcomeUnknown:
    """Return what a call becomes when this is raised by the shop's auth, or while the request is out."""

    def sign(request: PreparedRequest) -> PreparedRequest:
        if not sent:
            raise error
        return request

    application = Application(error=error)
    with pytest.raises(GatewayError) as raised:
        InProcessTransport(application, auth=sign).send("POST", "/pay", query={"key": SECRET}, body=b"{}")
    told = raised.value
    assert isinstance(told, NotSent | OutcomeUnknown)
    assert (told.may_have_happened, len(application.requests)) == (sent, sent)
    assert SECRET not in f"{told} {told.__cause__} {vars(told)}"
    return told


def exceptions_of(*modules: ModuleType) -> list[type[Exception]]:
    members = {member for module in modules for _, member in inspect.getmembers(module, inspect.isclass)}
    found = [member for member in members if issubclass(member, Exception)]
    return sorted(found, key=lambda member: (member.__module__, member.__qualname__))


def made(kind: type[Exception], cause: Exception | None = None) -> Exception:
    """An instance as it is when nothing but its class is known, for constructors differ."""
    error = kind.__new__(kind)
    error.__cause__ = cause
    return error


@every("kind", exceptions_of(urllib3.exceptions, requests.exceptions, http.client, ssl, socket, zlib, queue))
def test_every_exception_of_the_libraries_is_nothing_sent_before_and_unknown_after(
    kind: type[Exception],
) -> None:
    before, after = failure(made(kind), sent=False), failure(made(kind), sent=True)
    assert (type(before), type(after)) == (NotSent, OutcomeUnknown)
    assert kind.__qualname__ in before.detail
    assert kind.__qualname__ in after.detail


REFUSED = ConnectionRefusedError(ECONNREFUSED, "Connection refused")
RESET = ConnectionResetError(ECONNRESET, "Connection reset by peer")
EXPIRED = ssl.SSLCertVerificationError(1, "certificate verify failed")
EXPIRED.verify_message, EXPIRED.reason = "certificate has expired", "CERTIFICATE_VERIFY_FAILED"


@every(
    ("error", "reason", "words"),
    [
        # Before the first byte
        (socket.gaierror(-2, "Name or service not known"), NotSentReason.DNS, "Name or service not known"),
        (REFUSED, NotSentReason.REFUSED_CONNECTION, "ConnectionRefusedError (Connection refused)"),
        (
            made(urllib3.exceptions.NewConnectionError, REFUSED),
            NotSentReason.REFUSED_CONNECTION,
            "ConnectionRefusedError (Connection refused) in urllib3.exceptions.NewConnectionError",
        ),
        (made(urllib3.exceptions.NameResolutionError, socket.gaierror(-3, "x")), NotSentReason.DNS, ""),
        (
            made(urllib3.exceptions.ConnectTimeoutError, TimeoutError()),
            NotSentReason.CONNECT_TIMEOUT,
            "TimeoutError in urllib3",
        ),
        (EXPIRED, NotSentReason.TLS, "ssl.SSLCertVerificationError (certificate has expired)"),
        (OSError(EHOSTUNREACH, "No route to host"), NotSentReason.OTHER, "No route to host"),
        (RESET, NotSentReason.OTHER, "Connection reset by peer"),
        # After it
        (TimeoutError("timed out"), UnknownReason.TIMEOUT, "TimeoutError"),
        (ssl.SSLError(1, "[SSL] record layer failure"), UnknownReason.TLS, ""),
        (BrokenPipeError(EPIPE, "Broken pipe"), UnknownReason.CONNECTION_LOST, "Broken pipe"),
        (RESET, UnknownReason.CONNECTION_LOST, "Connection reset by peer"),
        (http.client.IncompleteRead(SECRET.encode(), 5), UnknownReason.CONNECTION_LOST, "IncompleteRead"),
        (http.client.InvalidURL(f"/pay?key={SECRET}"), UnknownReason.BROKEN_HTTP, "http.client.InvalidURL"),
        (zlib.error(SECRET), UnknownReason.BAD_ENCODING, "zlib.error"),
        (UnicodeEncodeError("latin-1", SECRET, 0, 1, "no"), UnknownReason.BROKEN_HTTP, "UnicodeEncodeError"),
        (OSError(ENETDOWN, "Network is down"), UnknownReason.OTHER, "Network is down"),
        (KeyError(SECRET), UnknownReason.OTHER, "KeyError, at applications.py:"),
    ],
)
def test_people_read_the_reason_at_the_root_in_the_words_of_the_system_alone(
    error: Exception, reason: NotSentReason | UnknownReason, words: str
) -> None:
    told = failure(error, sent=isinstance(reason, UnknownReason))
    assert told.reason == reason
    assert words in told.detail


@every(
    ("application", "reason"),
    [
        (Application(b"1" * 600), UnknownReason.TOO_LARGE),
        (Application(headers=(("Content-Length", "400"),)), UnknownReason.CONNECTION_LOST),
        (Application(headers=(("Content-Encoding", "gzip"),)), UnknownReason.BAD_ENCODING),
        (
            Application(gzip.compress(b"1" * 600), headers=(("Content-Encoding", "gzip"),)),
            UnknownReason.TOO_LARGE,
        ),
    ],
)
def test_an_answer_in_this_process_is_read_as_strictly_as_one_over_a_socket(
    application: Application, reason: UnknownReason
) -> None:
    with pytest.raises(OutcomeUnknown) as unknown:
        InProcessTransport(application, max_answer_bytes=500).send("POST", "/pay", body=b"{}")
    assert (unknown.value.reason, len(application.requests)) == (reason, 1)
