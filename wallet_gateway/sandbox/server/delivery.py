"""How an answer leaves the socket: whole, slowly, or broken as networks and proxies break answers.

The application sets ``mode`` on the ``Delivery`` object under ``ENVIRON_KEY`` in the WSGI environment. Broken
content (a redirect, a body that is not JSON) needs no mode: the application simply answers it.

Waiting is done with a sleep that a reset or the server's shutdown can cancel.
"""

from __future__ import annotations

import socket
import struct
import threading
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

ENVIRON_KEY: Final = "wallet_sandbox.delivery"
"""Key of the ``Delivery`` object in the WSGI environment."""

DRIP_SECONDS: Final = 0.08
"""Seconds between the bytes of a dripping answer."""

GARBAGE_STATUS_LINE: Final = b"HTTP/one-point-one fine thank you\r\n"


class DeliveryMode(StrEnum):
    """The modes of delivery."""

    WHOLE = "whole"
    DROPPED = "dropped"
    """The connection is closed without a byte."""
    TRUNCATED = "truncated"
    """All headers and half of the body, then the connection is closed."""
    RESET = "reset"
    """Like truncated, but the connection is reset."""
    DRIP = "drip"
    """The body is sent one byte at a time."""
    BAD_STATUS_LINE = "bad_status_line"
    """The status line is invalid."""


@dataclass(slots=True, kw_only=True)
class Delivery:
    """The delivery of one answer; mutable, because WSGI offers no other way back to the server."""

    mode: DeliveryMode = DeliveryMode.WHOLE
    drip_seconds: float = DRIP_SECONDS


def deliver(connection: socket.socket, *, head: bytes, body: bytes, delivery: Delivery) -> bool:
    """Send one answer; return whether the connection can be reused.

    ``head`` ends with the empty line. Raises ``OSError`` if the peer has closed the connection, and
    ``SleepCancelled``.
    """
    match delivery.mode:
        case DeliveryMode.WHOLE:
            connection.sendall(head + body)
            return True
        case DeliveryMode.DRIP:
            connection.sendall(head)
            for byte in body:
                cancellable_sleep(delivery.drip_seconds)
                connection.sendall(bytes((byte,)))
            return True
        case DeliveryMode.DROPPED:
            pass
        case DeliveryMode.BAD_STATUS_LINE:
            connection.sendall(GARBAGE_STATUS_LINE + head.partition(b"\r\n")[2] + body)
        case DeliveryMode.TRUNCATED:
            connection.sendall(head + body[: len(body) // 2])
        case DeliveryMode.RESET:
            connection.sendall(head + body[: len(body) // 2])
            # With a linger time of zero, close() resets the connection, unless shutdown() was called before:
            # therefore close it here, before the server shuts it down.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
    return False


class SleepCancelled(Exception):
    """The sleep was cancelled; what follows it must not be done."""


_cancelled = threading.Event()


def cancellable_sleep(seconds: float) -> None:
    """Sleep for a time; raises ``SleepCancelled``."""
    if _cancelled.wait(seconds):
        raise SleepCancelled


def cancel_all_sleeps() -> None:
    """Cancel all current sleeps; later ones are not affected."""
    global _cancelled
    waited_for, _cancelled = _cancelled, threading.Event()
    waited_for.set()
