"""From another library's exception to one of ours. Pure: no I/O, no clock, no HTTP library.

Whether the request may be sent again is decided by the write marker alone. The exception's class only chooses
the reason that people read: the libraries raise the same class before and after a request has left.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import zlib
from collections.abc import Iterator
from pathlib import PurePath
from traceback import walk_tb

from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, UnknownReason


class Fault(Exception):
    """What this room itself finds wrong; its text is ours and holds nothing of a request or an answer."""


class DeadlinePassed(Fault, TimeoutError):
    """The call took the whole of its time."""


class ClaimExpired(Fault):
    """The caller's right to send ran out before the first byte left."""


class UnfaithfulAuth(Fault):
    """The shop's auth changed more of the request than its headers."""


class AnswerTooLarge(Fault):
    """More came, or unpacked, than an answer may have."""


class BadEncoding(Fault):
    """The body is packed in a way that is unknown, or broken."""


# The first row that fits is taken, so what is more special stands above what is more general.
_NOT_SENT: tuple[tuple[tuple[type[BaseException], ...], NotSentReason], ...] = (
    ((ClaimExpired,), NotSentReason.STALE_CLAIM),
    ((socket.gaierror, socket.herror), NotSentReason.DNS),
    ((TimeoutError,), NotSentReason.CONNECT_TIMEOUT),
    ((ssl.SSLError,), NotSentReason.TLS),
    ((ConnectionRefusedError,), NotSentReason.REFUSED_CONNECTION),
)
_UNKNOWN: tuple[tuple[tuple[type[BaseException], ...], UnknownReason], ...] = (
    ((AnswerTooLarge,), UnknownReason.TOO_LARGE),
    ((BadEncoding, zlib.error), UnknownReason.BAD_ENCODING),
    ((TimeoutError,), UnknownReason.TIMEOUT),
    ((ssl.SSLError,), UnknownReason.TLS),
    ((ConnectionError, http.client.IncompleteRead), UnknownReason.CONNECTION_LOST),
    ((http.client.HTTPException, ValueError), UnknownReason.BROKEN_HTTP),
)


def verdict(error: Exception, *, sent: bool, doing: str) -> NotSent | OutcomeUnknown:
    """Say what is known after a failure.

    The result is not chained to the failure, whose text or attributes may hold the URL with its query, the
    value of a header or a part of a body. Raise it outside the handler, or Python chains it after all.
    """
    detail = f"{doing}: {describe(error)}"
    links = tuple(_root_first(error))
    if sent:
        reasons = (reason for link in links for kinds, reason in _UNKNOWN if isinstance(link, kinds))
        return OutcomeUnknown(next(reasons, UnknownReason.OTHER), detail=detail)
    causes = (reason for link in links for kinds, reason in _NOT_SENT if isinstance(link, kinds))
    return NotSent(next(causes, NotSentReason.OTHER), detail=detail)


def describe(error: BaseException) -> str:
    """Name a failure by its classes, root first, with such text only as the operating system or TLS wrote."""
    return " in ".join(dict.fromkeys(_name(link) for link in _root_first(error))) + _place(error)


def _root_first(error: BaseException) -> Iterator[BaseException]:
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        # Not __context__: it reaches into whatever the caller was handling.
        link = link.__cause__
    return reversed(chain)


def _name(error: BaseException) -> str:
    if isinstance(error, Fault):
        return str(error)
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    text = _safe_text(error)
    return f"{name} ({text})" if text else name


def _safe_text(error: BaseException) -> str:
    # TLS sets these two by hand, so an instance may be without them.
    if isinstance(error, ssl.SSLError):
        return str(getattr(error, "verify_message", None) or getattr(error, "reason", None) or "")
    # Others derive from OSError too, with any text; those with a number come from the system.
    if isinstance(error, OSError) and isinstance(error.errno, int):
        return str(error.strerror or "")
    return ""


def _place(error: BaseException) -> str:
    """Where a failure that is not the network's was raised, so that a programming fault can be found."""
    if isinstance(error, OSError | http.client.HTTPException | Fault):
        return ""
    frames = tuple(walk_tb(error.__traceback__))
    if not frames:
        return ""
    frame, line = frames[-1]
    return f", at {PurePath(frame.f_code.co_filename).name}:{line}"
