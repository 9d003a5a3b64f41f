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


def _made(kind: type[Exception], cause: Exception | None = None) -> Exception:
    """An instance as it is when nothing but its class is known, for constructors differ."""
    error = kind.__new__(kind)
    error.__cause__ = cause
    return error


@every("kind", EVERY_CLASS, ids=lambda kind: f"{kind.__module__}.{kind.__qualname__}")
def test_every_exception_of_the_libraries_becomes_ours_by_the_marker_alone(kind: type[Exception]) -> None:
    assert len(EVERY_CLASS) > 60
    not_sent = map_exception(_made(kind), sent=False, doing="connecting")
    unknown = map_exception(_made(kind), sent=True, doing="waiting for the answer")
    assert (type(not_sent), type(unknown)) == (NotSent, OutcomeUnknown)
    assert kind.__qualname__ in not_sent.detail
    assert kind.__qualname__ in unknown.detail


REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
RESET = ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
NEW_CONNECTION = _made(urllib3.exceptions.NewConnectionError, REFUSED)
REASONS: list[tuple[Exception, NotSentReason | UnknownReason]] = [
    # Before the first byte
    (socket.gaierror(-2, "Name or service not known"), NotSentReason.DNS),
    (REFUSED, NotSentReason.REFUSED_CONNECTION),
    (NEW_CONNECTION, NotSentReason.REFUSED_CONNECTION),
    (_made(urllib3.exceptions.NameResolutionError, socket.gaierror(-3, "x")), NotSentReason.DNS),
    (_made(urllib3.exceptions.ConnectTimeoutError, TimeoutError()), NotSentReason.CONNECT_TIMEOUT),
    (TimeoutError("_ssl.c:989: The handshake operation timed out"), NotSentReason.CONNECT_TIMEOUT),
    (DeadlinePassed("the whole call may take 30 s"), NotSentReason.CONNECT_TIMEOUT),
    (ssl.SSLCertVerificationError("certificate verify failed"), NotSentReason.TLS),
    (ssl.SSLEOFError(8, "EOF occurred in violation of protocol"), NotSentReason.TLS),
    (ClaimExpired("too late"), NotSentReason.STALE_CLAIM),
    (OSError(errno.EHOSTUNREACH, "No route to host"), NotSentReason.OTHER),
    (RESET, NotSentReason.OTHER),
    (AuthChangedRequest("auth changed the body"), NotSentReason.OTHER),
    (KeyError("token"), NotSentReason.OTHER),
    # After it
    (TimeoutError("timed out"), UnknownReason.TIMEOUT),
    (DeadlinePassed("the whole call may take 30 s"), UnknownReason.TIMEOUT),
    (ssl.SSLError(1, "[SSL] record layer failure"), UnknownReason.TLS),
    (http.client.RemoteDisconnected("closed"), UnknownReason.CONNECTION_LOST),
    (RESET, UnknownReason.CONNECTION_LOST),
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


@every(("error", "reason"), REASONS)
def test_the_reason_is_found_at_the_root(error: Exception, reason: NotSentReason | UnknownReason) -> None:
    assert map_exception(error, sent=isinstance(reason, UnknownReason), doing="x").reason == reason


def _raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as raised:  # noqa: BLE001  as it comes back
        return raised


def _judged(error: ssl.SSLCertVerificationError) -> Exception:
    """As TLS makes it."""
    error.verify_message, error.reason = "certificate has expired", "CERTIFICATE_VERIFY_FAILED"
    return error


@every(
    ("error", "described"),
    [
        (REFUSED, "ConnectionRefusedError (Connection refused)"),
        (
            NEW_CONNECTION,
            "ConnectionRefusedError (Connection refused) in urllib3.exceptions.NewConnectionError",
        ),
        (DeadlinePassed("the whole call may take 30 s"), "the whole call may take 30 s"),
        (requests.exceptions.Timeout(f"https://g.example/?key={SECRET}"), "requests.exceptions.Timeout"),
        (http.client.InvalidURL(f"/pay?reference={SECRET}"), "http.client.InvalidURL"),
        (http.client.IncompleteRead(SECRET.encode(), 5), "http.client.IncompleteRead"),
        (UnicodeEncodeError("latin-1", SECRET, 0, 1, "no"), "UnicodeEncodeError"),
        (ValueError(f"Invalid header value {SECRET}"), "ValueError"),
        (
            _judged(ssl.SSLCertVerificationError(1, "certificate verify failed")),
            "ssl.SSLCertVerificationError (certificate has expired)",
        ),
    ],
)
def test_a_description_has_classes_and_the_systems_words_and_nothing_else(
    error: Exception, described: str
) -> None:
    assert describe(error) == described


def test_a_programming_fault_is_described_with_its_place() -> None:
    fault = _raised(KeyError("token"))
    assert describe(fault).startswith("KeyError, at test_exception_map.py:")
    cause = map_exception(fault, sent=True, doing="x").__cause__
    assert str(cause).startswith("KeyError at test_exception_map.py:")
