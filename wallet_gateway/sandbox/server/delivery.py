"""How an answer leaves the socket: whole, or broken in one of the ways networks and proxies break answers.

The application chooses by setting ``manner`` on the ``Delivery`` it finds in the WSGI environment under
``KEY``; this file carries the choice out. What is broken inside HTTP (a redirect, a body that is no JSON)
needs no such thing: the application simply answers that.

Waiting in real time, in a way that can be called off: by a reset of the sandbox, and by its end.
"""

from __future__ import annotations

import socket
import struct
import threading
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

ENVIRON_KEY: Final = "wallet_sandbox.delivery"
"""Where the environment of a request holds its ``Delivery``."""

DRIP_SECONDS: Final = 0.08
"""How long after each other the bytes of a dripping answer come."""

GARBAGE_STATUS_LINE: Final = b"HTTP/one-point-one fine thank you\r\n"


class DeliveryMode(StrEnum):
    """The ways an answer can leave."""

    WHOLE = "whole"
    DROPPED = "dropped"
    """The connection is closed without a byte."""
    TRUNCATED = "truncated"
    """All the headers, half the body, then the end of the connection."""
    RESET = "reset"
    """As truncated, but the connection is reset."""
    DRIP = "drip"
    """The body comes one byte at a time."""
    BAD_STATUS_LINE = "bad_status_line"
    """The first line is no status line."""


@dataclass(slots=True, kw_only=True)
class Delivery:
    """The application's wish for one answer; it can be changed, since WSGI has no other way back."""

    mode: DeliveryMode = DeliveryMode.WHOLE
    drip_seconds: float = DRIP_SECONDS


def deliver(connection: socket.socket, *, head: bytes, body: bytes, delivery: Delivery) -> bool:
    """Send one answer and tell whether the connection can be used for another one.

    ``head`` ends with the empty line. Raises ``OSError`` when the peer is gone.
    """
    match delivery.mode:
        case DeliveryMode.WHOLE:
            connection.sendall(head + body)
            return True
        case DeliveryMode.DRIP:
            return _drip(connection, head=head, body=body, seconds=delivery.drip_seconds)
        case DeliveryMode.DROPPED:
            return False
        case DeliveryMode.BAD_STATUS_LINE:
            connection.sendall(GARBAGE_STATUS_LINE + head.partition(b"\r\n")[2] + body)
        case DeliveryMode.TRUNCATED:
            connection.sendall(head + body[: len(body) // 2])
        case DeliveryMode.RESET:
            connection.sendall(head + body[: len(body) // 2])
            _reset(connection)
    return False


def _drip(connection: socket.socket, *, head: bytes, body: bytes, seconds: float) -> bool:
    connection.sendall(head)
    try:
        for byte in body:
            cancellable_sleep(seconds)
            connection.sendall(bytes((byte,)))
    except SleepCancelled:
        return False
    return True


def _reset(connection: socket.socket) -> None:
    # Lingering for zero seconds turns the close into a reset, unless the end was announced before: so it is
    # closed here and now, before the server takes its leave in good order.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class SleepCancelled(Exception):
    """Nobody is to go on waiting, nor to do what was waited for."""


_cancelled = threading.Event()


def cancellable_sleep(seconds: float) -> None:
    """Wait that long; raises ``PauseCalledOff``."""
    if _cancelled.wait(seconds):
        raise SleepCancelled


def cancel_all_sleeps() -> None:
    """Have everybody who waits now stop it; who waits later is not concerned."""
    global _cancelled
    waited_for, _cancelled = _cancelled, threading.Event()
    waited_for.set()
