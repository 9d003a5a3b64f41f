"""Every way a call to the gateway can fail, split by what is known afterwards. No HTTP, no message.

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
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from wallet_gateway.client.exchange import Exchange


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
    exchange: Exchange | None = None
    """What went over the wire, redacted; set by `Gateway`, None where a `Transport` is used alone."""


class NotSent(GatewayError):
    """Not one byte of the request left this machine."""

    may_have_happened = False

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
