"""Every way a call to the gateway can fail, split by what is known afterwards. No I/O, no HTTP library.

GatewayError
  NotSent           proof that not one byte of the request left: the same request may be sent again
  Refused           the gateway said no, in its own error body
  OutcomeUnknown    the request left, or began to; it may have been executed and must not be sent again
    BadAnswer       a success by its HTTP status that cannot be read or contradicts itself

Callers catch at these levels::

    try:
        answer = gateway.follow_up(request)
    except NotSent: ...          # release or retry, nothing happened
    except Refused: ...          # ask the status query once, then believe it
    except OutcomeUnknown: ...   # ask the status query until it knows

The exceptions can be pickled and hold no secret: neither an `Authorization` value nor a URL's query nor an
unredacted body nor another library's exception, whose text or attributes may carry all of these.

`map_exception` makes one of another library's. Whether the request may be sent again is decided by the write
marker alone. The exception's class only chooses the reason that people read: the libraries raise the same
class before and after a request has left.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import traceback
import zlib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import PurePath
from typing import ClassVar

from wallet_gateway.client.exchange import CallOutcome, Exchange

_LONGEST_TEXT = 500


class NotSentReason(StrEnum):
    """Why nothing left."""

    REFUSED_CONNECTION = "refused_connection"
    DNS = "dns"
    TLS = "tls"
    """The handshake failed: certificate, host name, protocol version, or a wrong clock on this machine."""
    CONNECT_TIMEOUT = "connect_timeout"
    """No connection, TLS handshake included, within its time."""
    PROXY = "proxy"
    """The proxy did not connect us to the gateway: it wants a password, or allows no such tunnel."""
    NO_API_KEY = "no_api_key"
    """The request needs the key service's API key, and there is none at the moment."""
    STALE_CLAIM = "stale_claim"
    """The caller's right to send had run out when the connection was ready."""
    OTHER = "other"


class UnknownReason(StrEnum):
    """Why the outcome is unknown although the request left."""

    TIMEOUT = "timeout"
    """No complete answer in time; part of one does not count."""
    CONNECTION_LOST = "connection_lost"
    TLS = "tls"
    BROKEN_HTTP = "broken_http"
    """What came is not HTTP: status line, header, length or chunk."""
    BAD_ENCODING = "bad_encoding"
    """A compressed body that does not unpack."""
    TOO_LARGE = "too_large"
    REDIRECT = "redirect"
    """A 3xx, which is never followed: a wrong base URL, or a proxy between us and the gateway."""
    SERVER_ERROR = "server_error"
    RATE_LIMITED = "rate_limited"
    TRY_LATER = "try_later"
    """408 or 425."""
    FOREIGN_ANSWER = "foreign_answer"
    """A 4xx that is not the gateway's own error body: a firewall or proxy answered."""
    UNREADABLE = "unreadable"
    WRONG_SHAPE = "wrong_shape"
    CONTRADICTORY = "contradictory"
    """Error and success in one object."""
    OTHER = "other"


class GatewayError(Exception):
    """A call to the gateway that brought no answer to rely on. Raised only as one of its children."""

    may_have_happened: ClassVar[bool]
    """Whether the request may have been executed."""
    outcome: ClassVar[CallOutcome]
    """What is known after the call, as metrics have it."""
    reason: StrEnum | str = ""
    """Why, if no answer came that can be used."""
    exchange: Exchange | None = None
    """What went over the wire, redacted; set by `Gateway`, None where a `Transport` is used alone."""


class NotSent(GatewayError):
    """Not one byte of the request left this machine."""

    may_have_happened = False
    outcome = CallOutcome.NOT_SENT
    reason: NotSentReason

    def __init__(self, reason: NotSentReason, *, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return _sentence(f"nothing was sent ({self.reason})", self.detail)


class Refused(GatewayError):
    """The gateway answered with its error body, and with an HTTP status that is not a fault of its own.

    A refusal of the first sending is believed after one status query that shows nothing: had something on the
    way repeated the request, the first copy may have succeeded and the second been refused.
    """

    may_have_happened = False
    outcome = CallOutcome.REFUSED

    def __init__(self, code: str, message: str, http_status: int) -> None:
        super().__init__(code, message, http_status)
        self.code = code
        self.message = message
        self.http_status = http_status

    def __str__(self) -> str:
        return _sentence(f"the gateway refused (code {self.code}, HTTP {self.http_status})", self.message)


class OutcomeUnknown(GatewayError):
    """The request left, and no answer says what became of it.

    `retry_after` is the wait in seconds the gateway asked for before the next request, at most 900.
    """

    may_have_happened = True
    outcome = CallOutcome.UNKNOWN
    reason: UnknownReason

    def __init__(self, reason: UnknownReason, retry_after: float | None = None, *, detail: str = "") -> None:
        super().__init__(reason, retry_after)
        self.reason = reason
        self.retry_after = retry_after
        self.detail = detail

    def __str__(self) -> str:
        return _sentence(f"the outcome is unknown ({self.reason})", self.detail)


class BadAnswer(OutcomeUnknown):
    """A 2xx whose body is unreadable, of the wrong spec, or error and success at once."""


def _sentence(what: str, why: str) -> str:
    return f"{what}: {why}" if why else what


class TransportError(Exception):
    """What a transport itself finds wrong; its text holds nothing of a request or an answer."""


class LibraryError(Exception):
    """The cause of a failed call as text: the classes, the system's words, and the last lines that ran.

    It stands for another library's exception, whose attributes and frames hold the request. It is never
    raised, so it has no traceback.
    """


class DeadlinePassed(TransportError, TimeoutError):
    """The whole call took longer than it may."""


class ClaimExpired(TransportError):
    """The caller's right to send ended before the first byte left."""


class AuthChangedRequest(TransportError):
    """The shop's auth changed more of the request than its headers."""


class AnswerTooLarge(TransportError):
    """More came, or unpacked, than an answer may have."""


class AnswerCutOff(TransportError, ConnectionError):
    """The answer ended before its end, or in the midst of a part."""


class ProxyRefused(TransportError):
    """The proxy did not connect us to the gateway."""


# The first row that fits is taken, so the special classes stand above the general ones.
_NOT_SENT: tuple[tuple[tuple[type[BaseException], ...], NotSentReason], ...] = (
    ((ClaimExpired,), NotSentReason.STALE_CLAIM),
    ((ProxyRefused,), NotSentReason.PROXY),
    ((socket.gaierror, socket.herror), NotSentReason.DNS),
    ((TimeoutError,), NotSentReason.CONNECT_TIMEOUT),
    ((ssl.SSLError,), NotSentReason.TLS),
    ((ConnectionRefusedError,), NotSentReason.REFUSED_CONNECTION),
)
_UNKNOWN: tuple[tuple[tuple[type[BaseException], ...], UnknownReason], ...] = (
    ((AnswerTooLarge,), UnknownReason.TOO_LARGE),
    ((zlib.error,), UnknownReason.BAD_ENCODING),
    ((TimeoutError,), UnknownReason.TIMEOUT),
    ((ssl.SSLError,), UnknownReason.TLS),
    ((ConnectionError, http.client.IncompleteRead), UnknownReason.CONNECTION_LOST),
    ((http.client.HTTPException, ValueError), UnknownReason.BROKEN_HTTP),
)


def map_exception(error: Exception, *, sent: bool, doing: str) -> NotSent | OutcomeUnknown:
    """Return what is known after a failure: NotSent without the write marker, OutcomeUnknown with it.

    The result is chained to a `LibraryError`, not to the failure itself, whose text or attributes may hold
    the URL with its query, the value of a header or a part of a body. Raise it outside the handler, or Python
    chains the failure after all.
    """
    links, detail = tuple(_root_first(error)), f"{doing}: {describe(error)}"
    known: NotSent | OutcomeUnknown
    if sent:
        reasons = (reason for link in links for kinds, reason in _UNKNOWN if isinstance(link, kinds))
        known = OutcomeUnknown(next(reasons, UnknownReason.OTHER), detail=detail)
    else:
        causes = (reason for link in links for kinds, reason in _NOT_SENT if isinstance(link, kinds))
        known = NotSent(next(causes, NotSentReason.OTHER), detail=detail)
    where = places(error)
    text = f"{_classes(error)} at {where}" if where else _classes(error)
    known.__cause__ = LibraryError(text[:_LONGEST_TEXT])
    return known


def describe(error: BaseException) -> str:
    """Name a failure by its classes, root first, with text of the operating system or TLS only.

    Of one that is not the network's the place where it was raised is named, too, so that a bug can be found.
    """
    is_of_network = isinstance(error, OSError | http.client.HTTPException | TransportError)
    last = "" if is_of_network else places(error, most=1)
    return f"{_classes(error)}, at {last}" if last else _classes(error)


def _classes(error: BaseException) -> str:
    return " in ".join(dict.fromkeys(_name(link) for link in _root_first(error)))


def _root_first(error: BaseException) -> Iterator[BaseException]:
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        # requests and urllib3 give what an exception was raised for as an argument or a reason. Not
        # `__context__`: it reaches into whatever the caller was handling.
        given = (*link.args, getattr(link, "reason", None))
        link = link.__cause__ or next((each for each in given if isinstance(each, BaseException)), None)
    return reversed(chain)


def _name(error: BaseException) -> str:
    if isinstance(error, TransportError):
        return str(error)
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    text: str | None = None
    # TLS sets these two by hand, so an instance may be without them.
    if isinstance(error, ssl.SSLError):
        text = getattr(error, "verify_message", None) or getattr(error, "reason", None)
    # Others derive from OSError too, with any text; those with a number come from the system.
    elif isinstance(error, OSError) and isinstance(error.errno, int):
        text = error.strerror
    return f"{name} ({text})" if text else name


def places(error: BaseException, *, most: int = 8) -> str:
    """Return the last places of a traceback as text, outermost first; empty without a traceback."""
    lines = [
        f"{PurePath(frame.f_code.co_filename).name}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    return " > ".join(lines[-most:])
