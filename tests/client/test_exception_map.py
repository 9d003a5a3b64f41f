"""From foreign exceptions to ours: the marker decides, whatever the exception, and no class is missing."""

from __future__ import annotations

import errno
import http.client
import inspect
import queue
import socket
import ssl
import zlib
from types import ModuleType

import requests.exceptions
import urllib3.exceptions

from tests.tables import every
from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.exception_map import (
    AnswerTooLarge,
    AuthChangedRequest,
    BadEncoding,
    ClaimExpired,
    DeadlinePassed,
    describe,
    map_exception,
)

SECRET = "hunter2"


def _exceptions_of(*modules: ModuleType) -> list[type[Exception]]:
    found = {
        member
        for module in modules
        for _, member in inspect.getmembers(module, inspect.isclass)
        if issubclass(member, Exception)
    }
    return sorted(found, key=lambda member: (member.__module__, member.__qualname__))


EVERY_CLASS = [
    *_exceptions_of(urllib3.exceptions, requests.exceptions, http.client, ssl, socket, zlib, queue),
    *(ValueError, TypeError, KeyError, RuntimeError, RecursionError, MemoryError, UnicodeError, OSError),
]


def _made(kind: type[Exception]) -> Exception:
    """An instance as it is when nothing but its class is known, for constructors differ."""
    return kind.__new__(kind)


@every("kind", EVERY_CLASS, ids=lambda kind: f"{kind.__module__}.{kind.__qualname__}")
def test_every_exception_of_the_libraries_becomes_ours_by_the_marker_alone(kind: type[Exception]) -> None:
    not_sent = map_exception(_made(kind), sent=False, doing="connecting")
    unknown = map_exception(_made(kind), sent=True, doing="waiting for the answer")
    assert type(not_sent) is NotSent
    assert type(unknown) is OutcomeUnknown
    assert kind.__qualname__ in not_sent.detail
    assert kind.__qualname__ in unknown.detail


def test_the_list_of_exceptions_is_the_libraries_own() -> None:
    names = {kind.__qualname__ for kind in EVERY_CLASS}
    assert {
        "ReadTimeoutError",
        "ChunkedEncodingError",
        "RemoteDisconnected",
        "SSLCertVerificationError",
    } <= names
    assert len(EVERY_CLASS) > 60


def _because(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
BEFORE = [
    (socket.gaierror(-2, "Name or service not known"), NotSentReason.DNS),
    (REFUSED, NotSentReason.REFUSED_CONNECTION),
    (_because(_made(urllib3.exceptions.NewConnectionError), REFUSED), NotSentReason.REFUSED_CONNECTION),
    (_because(_made(urllib3.exceptions.NameResolutionError), socket.gaierror(-3, "x")), NotSentReason.DNS),
    (_because(_made(urllib3.exceptions.ConnectTimeoutError), TimeoutError()), NotSentReason.CONNECT_TIMEOUT),
    (TimeoutError("_ssl.c:989: The handshake operation timed out"), NotSentReason.CONNECT_TIMEOUT),
    (DeadlinePassed("the whole call may take 30 s"), NotSentReason.CONNECT_TIMEOUT),
    (ssl.SSLCertVerificationError("certificate verify failed"), NotSentReason.TLS),
    (ssl.SSLEOFError(8, "EOF occurred in violation of protocol"), NotSentReason.TLS),
    (ClaimExpired("too late"), NotSentReason.STALE_CLAIM),
    (OSError(errno.EHOSTUNREACH, "No route to host"), NotSentReason.OTHER),
    (ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"), NotSentReason.OTHER),
    (AuthChangedRequest("auth changed the body"), NotSentReason.OTHER),
    (KeyError("token"), NotSentReason.OTHER),
]
AFTER = [
    (TimeoutError("timed out"), UnknownReason.TIMEOUT),
    (DeadlinePassed("the whole call may take 30 s"), UnknownReason.TIMEOUT),
    (ssl.SSLError(1, "[SSL] record layer failure"), UnknownReason.TLS),
    (http.client.RemoteDisconnected("closed"), UnknownReason.CONNECTION_LOST),
    (ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"), UnknownReason.CONNECTION_LOST),
    (BrokenPipeError(errno.EPIPE, "Broken pipe"), UnknownReason.CONNECTION_LOST),
    (http.client.IncompleteRead(b"{", 5), UnknownReason.CONNECTION_LOST),
    (http.client.BadStatusLine("x"), UnknownReason.BROKEN_HTTP),
    (http.client.LineTooLong("header line"), UnknownReason.BROKEN_HTTP),
    (ValueError("read length must be non-negative or -1"), UnknownReason.BROKEN_HTTP),
    (zlib.error("Error -3"), UnknownReason.BAD_ENCODING),
    (BadEncoding("not gzip"), UnknownReason.BAD_ENCODING),
    (AnswerTooLarge("too large"), UnknownReason.TOO_LARGE),
    (OSError(errno.ENETDOWN, "Network is down"), UnknownReason.OTHER),
    (KeyError("bug"), UnknownReason.OTHER),
]


def _named(value: object) -> str | None:
    return type(value).__qualname__ if isinstance(value, Exception) else None


@every(("error", "reason"), BEFORE, ids=_named)
def test_the_reason_nothing_was_sent_is_found_at_the_root(error: Exception, reason: NotSentReason) -> None:
    assert map_exception(error, sent=False, doing="connecting").reason == reason


@every(("error", "reason"), AFTER, ids=_named)
def test_the_reason_for_an_unknown_outcome_is_found_at_the_root(
    error: Exception, reason: UnknownReason
) -> None:
    assert map_exception(error, sent=True, doing="waiting for the answer").reason == reason


@every(
    ("error", "described"),
    [
        (REFUSED, "ConnectionRefusedError (Connection refused)"),
        (
            _because(_made(urllib3.exceptions.NewConnectionError), REFUSED),
            "ConnectionRefusedError (Connection refused) in urllib3.exceptions.NewConnectionError",
        ),
        (DeadlinePassed("the whole call may take 30 s"), "the whole call may take 30 s"),
        (requests.exceptions.Timeout(f"https://g.example/?key={SECRET}"), "requests.exceptions.Timeout"),
        (http.client.InvalidURL(f"/pay?reference={SECRET}"), "http.client.InvalidURL"),
        (http.client.IncompleteRead(SECRET.encode(), 5), "http.client.IncompleteRead"),
        (UnicodeEncodeError("latin-1", SECRET, 0, 1, "no"), "UnicodeEncodeError"),
        (ValueError(f"Invalid header value {SECRET}"), "ValueError"),
    ],
    ids=_named,
)  # fmt: skip
def test_a_description_has_classes_and_the_systems_words_and_nothing_else(
    error: Exception, described: str
) -> None:
    assert describe(error) == described


def test_a_certificate_is_described_as_tls_judged_it() -> None:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "certificate has expired"
    error.reason = "CERTIFICATE_VERIFY_FAILED"
    assert describe(error) == "ssl.SSLCertVerificationError (certificate has expired)"


def test_a_programming_fault_is_described_with_its_place() -> None:
    try:
        dict[str, str]()["token"]
    except KeyError as error:
        described = describe(error)
    assert described.startswith("KeyError, at test_exception_map.py:")
