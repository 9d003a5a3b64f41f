"""Sends requests over kept-alive connections for a while and times the answers. Loopback only."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What came of it: how many answers in how long, and how long each took."""

    seconds: float
    latencies: list[float]

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds


class _Client(asyncio.Protocol):
    def __init__(
        self, requests: Iterator[bytes], *, expected: bytes, until: float, latencies: list[float]
    ) -> None:
        self.requests = requests
        self.expected = expected
        self.until = until
        self.latencies = latencies
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self.answer += data
        if not _whole(self.answer):
            return
        if not self.answer.startswith(b"HTTP/1.1 " + self.expected):
            self._end(AssertionError(f"unexpected answer: {self.answer[:600]!r}"))
            return
        self.latencies.append(time.perf_counter() - self.sent)
        if time.perf_counter() < self.until:
            self._send()
        else:
            self._end(None)

    def connection_lost(self, error: Exception | None) -> None:
        self._end(error or AssertionError("the server closed the connection"))

    def _send(self) -> None:
        self.answer = b""
        self.sent = time.perf_counter()
        self.transport.write(next(self.requests))

    def _end(self, error: Exception | None) -> None:
        if self.done.done():
            return
        if error:
            self.done.set_exception(error)
        else:
            self.done.set_result(None)
        self.transport.close()


def _whole(answer: bytes) -> bool:
    head, found, body = answer.partition(b"\r\n\r\n")
    if not found:
        return False
    lower = head.lower()
    at = lower.find(b"content-length:")
    if at >= 0:
        return len(body) >= int(lower[at + 15 :].split(b"\r\n", 1)[0])
    return b"chunked" not in lower or body.endswith(b"0\r\n\r\n")


def post(path: str, body: bytes = b"", *, port: int) -> bytes:
    """Write one request."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def send(requests: Iterator[bytes], *, port: int, expected: bytes, connections: int, seconds: float) -> Load:
    """Keep so many connections busy for so many seconds; every answer must have the expected status."""

    async def run() -> Load:
        latencies: list[float] = []
        started = time.perf_counter()
        loop = asyncio.get_running_loop()
        clients = []
        for _ in range(connections):
            _, client = await loop.create_connection(
                lambda: _Client(requests, expected=expected, until=started + seconds, latencies=latencies),
                "127.0.0.1",
                port,
            )
            clients.append(client)
        await asyncio.gather(*(client.done for client in clients))
        return Load(seconds=time.perf_counter() - started, latencies=latencies)

    return asyncio.run(run())
