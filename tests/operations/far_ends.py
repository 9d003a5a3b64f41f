"""Far ends that fail below HTTP, on raw sockets: rows of the fault matrix that the sandbox cannot play."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.client.certificates import Certificate
from tests.client.servers import (
    Behaviour,
    RawServer,
    answer,
    breaks_tls,
    echoes,
    full_backlog,
    says,
    stays_silent,
    unused_port,
)

COLLIDING = b'{"state": "Approved", "State": "Approved", "id": "g1"}'


@dataclass
class Far:
    """A far end that fails in one way, and how many whole requests it has read."""

    base_url: str
    server: RawServer | None = None
    is_silent: bool = False
    """It never answers: who waits for it should not wait long."""

    @property
    def requests(self) -> int:
        return len(self.server.requests) if self.server else 0


FarEnd = Callable[[Certificate], contextlib.AbstractContextManager[Far]]


@contextlib.contextmanager
def refused(_: Certificate) -> Iterator[Far]:
    yield Far(f"http://127.0.0.1:{unused_port()}")


@contextlib.contextmanager
def without_name(_: Certificate) -> Iterator[Far]:
    yield Far("https://gateway.invalid")


@contextlib.contextmanager
def never_connects(_: Certificate) -> Iterator[Far]:
    with full_backlog() as port:
        yield Far(f"http://127.0.0.1:{port}", is_silent=True)


@contextlib.contextmanager
def handshake_hangs(certificate: Certificate) -> Iterator[Far]:
    with RawServer(echoes, tls=certificate.server_context(), before_handshake=3) as server:
        yield Far(server.base_url, server, is_silent=True)


@contextlib.contextmanager
def untrusted(certificate: Certificate) -> Iterator[Far]:
    # Asked for by another name than the certificate has.
    with RawServer(echoes, tls=certificate.server_context()) as server:
        yield Far(server.base_url.replace("127.0.0.1", "localhost"), server)


@contextlib.contextmanager
def handshake_breaks(_: Certificate) -> Iterator[Far]:
    # A server that answers a greeting of TLS in plain text.
    with RawServer(echoes, greeting=b"HTTP/1.1 400 Bad Request\r\n\r\n") as server:
        yield Far(server.base_url.replace("http:", "https:"), server)


def behaving(behaviour: Behaviour, *, tls: bool = False) -> FarEnd:
    @contextlib.contextmanager
    def far(certificate: Certificate) -> Iterator[Far]:
        with RawServer(behaviour, tls=certificate.server_context() if tls else None) as server:
            yield Far(server.base_url, server, is_silent=behaviour is stays_silent)

    return far


Table = dict[str, tuple[FarEnd, str]]
"""The name of a row, its far end, and a word of what the evidence says of it."""
NOT_SENT: Table = {
    "F1-refused": (refused, "Connection refused"),
    "F2-dns": (without_name, "dns"),
    "F3-untrusted": (untrusted, "tls"),
    "F3-handshake-breaks": (handshake_breaks, "tls"),
    "F3-handshake-hangs": (handshake_hangs, "connect_timeout"),
    "F4-connect-timeout": (never_connects, "connect_timeout"),
}
LOST: Table = {
    "F3b-tls-after-send": (behaving(breaks_tls, tls=True), "tls"),
    "F5-silence": (behaving(stays_silent), "timeout"),
    "F15b-colliding-keys": (behaving(says(answer(COLLIDING))), "unreadable"),
    "F14-no-object": (behaving(says(answer(b"[]"))), "wrong_shape"),
}


def rows(table: Table) -> pytest.MarkDecorator:
    """Run a test on every row of a table: the far end, and what is said about it."""
    return pytest.mark.parametrize(("far_end", "told"), table.values(), ids=table.keys())
