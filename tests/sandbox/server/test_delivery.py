"""How an answer leaves a socket in each manner."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from wallet_gateway.sandbox.server.delivery import (
    GARBAGE_STATUS_LINE,
    Delivery,
    DeliveryMode,
    cancel_all_sleeps,
    deliver,
)

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
BODY = b"0123456789"


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A connection: the server's end and the client's."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname(), timeout=60)
        server, _ = listener.accept()
    with server, client:
        yield server, client


def received(client: socket.socket) -> bytes:
    data = b""
    while block := client.recv(4096):
        data += block
    return data


@pytest.mark.parametrize(
    ("mode", "sent", "goes_on"),
    [
        (DeliveryMode.WHOLE, HEAD + BODY, True),
        (DeliveryMode.DRIP, HEAD + BODY, True),
        (DeliveryMode.DROPPED, b"", False),
        (DeliveryMode.TRUNCATED, HEAD + BODY[:5], False),
        (DeliveryMode.BAD_STATUS_LINE, GARBAGE_STATUS_LINE + b"Content-Length: 10\r\n\r\n" + BODY, False),
    ],
)
def test_what_is_sent_and_whether_the_connection_goes_on(
    ends: tuple[socket.socket, socket.socket], mode: DeliveryMode, sent: bytes, goes_on: bool
) -> None:
    server, client = ends
    delivery = Delivery(mode=mode, drip_seconds=0.001)
    assert deliver(server, head=HEAD, body=BODY, delivery=delivery) is goes_on
    server.close()
    assert received(client) == sent


def test_a_reset_is_a_reset(ends: tuple[socket.socket, socket.socket]) -> None:
    server, client = ends
    assert deliver(server, head=HEAD, body=BODY, delivery=Delivery(mode=DeliveryMode.RESET)) is False
    with pytest.raises(ConnectionResetError):
        received(client)


def test_a_drip_that_is_called_off_ends_in_the_middle(ends: tuple[socket.socket, socket.socket]) -> None:
    server, client = ends
    timer = threading.Timer(0.1, cancel_all_sleeps)
    timer.start()
    delivery = Delivery(mode=DeliveryMode.DRIP, drip_seconds=60)
    assert deliver(server, head=HEAD, body=BODY, delivery=delivery) is False
    timer.join()
    server.close()
    assert received(client) == HEAD
