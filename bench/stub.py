"""A gateway that answers at once and knows nothing: the least one can cost. Runs as a process of its own."""

from __future__ import annotations

import asyncio
import sys

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class Stub(asyncio.Protocol):
    """One connection: counts bytes until a request is whole, then writes the one answer."""

    answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.waiting = b""

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while (length := request_length(self.waiting)) is not None and len(self.waiting) >= length:
            self.waiting = self.waiting[length:]
            self.transport.write(self.answer)


def request_length(data: bytes) -> int | None:
    """Give the length of the first request in the data, or None while its head is not whole."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = data[:end].lower()
    at = head.find(b"content-length:")
    return end + 4 + (int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0)


async def serve() -> None:
    """Listen on a free port and print it."""
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0)
    origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    # The page must be on a host that the client trusts.
    body = f'{{"redirectUrl": "{origin}/checkout/stub"}}'.encode()
    Stub.answer = HEAD % len(body) + body
    sys.stdout.write(f"{origin}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
