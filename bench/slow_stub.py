"""A gateway that answers each status query after some milliseconds: approved, 10.00 EUR. Its own process."""

from __future__ import annotations

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class SlowStub(asyncio.Protocol):
    """One connection: answers each request once its time has come."""

    seconds = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.waiting = b""

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while (length := request_length(self.waiting)) is not None and len(self.waiting) >= length:
            request, self.waiting = self.waiting[:length], self.waiting[length:]
            asyncio.get_running_loop().call_later(self.seconds, self.transport.write, answer_to(request))


def request_length(data: bytes) -> int | None:
    """Give the length of the first request in the data, or None while its head is not whole."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = data[:end].lower()
    at = head.find(b"content-length:")
    return end + 4 + (int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0)


def answer_to(request: bytes) -> bytes:
    """Give the record of the transaction that a request asks about."""
    target = request.split(b" ", 2)[1].decode()
    (reference,) = parse_qs(urlsplit(target).query)["clientSystemTransactionId"]
    record = {
        "id": f"g-{reference}",
        "state": "Approved",
        "currencyCode": "EUR",
        "transactionAmount": 10.00,
        "clientSystemTransactionId": reference,
        "type": "ecom.sale",
        "transactionDateTime": "2026-01-15T10:30:00.0000000",
    }
    body = json.dumps([record]).encode()
    return HEAD % len(body) + body


async def serve() -> None:
    """Listen on a free port and print it."""
    SlowStub.seconds = float(sys.argv[1]) / 1000
    server = await asyncio.get_running_loop().create_server(SlowStub, "127.0.0.1", 0, backlog=256)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
