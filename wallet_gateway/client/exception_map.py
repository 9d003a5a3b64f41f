"""Map another library's exception to one of this package's. Pure: no I/O, no clock, no HTTP library.

Whether the request may be sent again is decided by the write marker alone. The exception's class only chooses
the reason that people read: the libraries raise the same class before and after a request has left.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import traceback
import zlib
from collections.abc import Iterator
from pathlib import PurePath

from wallet_gateway.client.errors import NotSent, NotSentReason, OutcomeUnknown, UnknownReason

_LONGEST_TEXT = 500


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
    known = _known(error, sent=sent, detail=f"{doing}: {describe(error)}")
    known.__cause__ = _as_text(error)
    return known


def _known(error: Exception, *, sent: bool, detail: str) -> NotSent | OutcomeUnknown:
    links = tuple(_root_first(error))
    if sent:
        reasons = (reason for link in links for kinds, reason in _UNKNOWN if isinstance(link, kinds))
        return OutcomeUnknown(next(reasons, UnknownReason.OTHER), detail=detail)
    causes = (reason for link in links for kinds, reason in _NOT_SENT if isinstance(link, kinds))
    return NotSent(next(causes, NotSentReason.OTHER), detail=detail)


def _as_text(error: Exception) -> LibraryError:
    where = places(error)
    return LibraryError((f"{_classes(error)} at {where}" if where else _classes(error))[:_LONGEST_TEXT])


def describe(error: BaseException) -> str:
    """Name a failure by its classes, root first, with text of the operating system or TLS only."""
    return _classes(error) + _place(error)


def _classes(error: BaseException) -> str:
    return " in ".join(dict.fromkeys(_name(link) for link in _root_first(error)))


def _root_first(error: BaseException) -> Iterator[BaseException]:
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = _below(link)
    return reversed(chain)


def _below(error: BaseException) -> BaseException | None:
    """Return what an exception was raised for: requests and urllib3 give it as an argument or a reason.

    Not `__context__`: it reaches into whatever the caller was handling.
    """
    given = (*error.args, getattr(error, "reason", None))
    return error.__cause__ or next((each for each in given if isinstance(each, BaseException)), None)


def _name(error: BaseException) -> str:
    if isinstance(error, TransportError):
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
    """Return where a failure other than the network's was raised, so that a bug can be found."""
    if isinstance(error, OSError | http.client.HTTPException | TransportError):
        return ""
    last = places(error, most=1)
    return f", at {last}" if last else ""


def places(error: BaseException, *, most: int = 8) -> str:
    """Return the last places of a traceback as text, outermost first; empty without a traceback."""
    lines = [
        f"{PurePath(frame.f_code.co_filename).name}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    return " > ".join(lines[-most:])
