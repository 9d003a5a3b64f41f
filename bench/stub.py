"""A gateway that answers at once and knows nothing: the least one can cost. Runs as a process of its own."""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from typing import Any

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class Stub(asyncio.Protocol):
    """One connection: counts bytes until a request is whole, then writes the answer of its path."""

    answers: dict[bytes, bytes] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.waiting = b""

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while (length := request_length(self.waiting)) is not None and len(self.waiting) >= length:
            path = self.waiting.split(b" ", 2)[1]
            self.waiting = self.waiting[length:]
            answer = self.answers[path]
            self.transport.write(answer % uuid.uuid4().hex.encode() if b"%s" in answer else answer)


def request_length(data: bytes) -> int | None:
    """Give the length of the first request in the data, or None while its head is not whole."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = data[:end].lower()
    at = head.find(b"content-length:")
    return end + 4 + (int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0)


def answers(origin: str) -> dict[str, dict[str, Any]]:
    """Return the answer of each path, the same for every request."""
    # The page must be on a host that the client trusts.
    page = f"{origin}/checkout/stub"
    session = {
        "id": f"cs_test_{VARIABLE}",
        "object": "checkout.session",
        "amount_total": 8820,
        "created": 1768471800,
        "currency": "eur",
        "customer": None,
        "livemode": False,
        "metadata": {},
        "mode": "payment",
        "payment_intent": None,
        "payment_status": "unpaid",
        "setup_intent": None,
        "status": "open",
        "subscription": None,
        "url": page,
    }
    account = {"id": "acct_1", "object": "account", "livemode": False, "metadata": {}, "settings": {}}
    return {
        "/api/v5/checkout": {"redirectUrl": page},
        # Stripe's, for the comparison with other packages.
        "/v1/checkout/sessions": session,
        "/v1/account": account,
    }


VARIABLE = "$request_id"
"""Stands for 32 hexadecimal digits that are others in every answer, as nginx has it."""


def _written(answer: dict[str, Any]) -> bytes:
    """Return a whole answer, with room for the 32 digits."""
    body = json.dumps(answer).replace(VARIABLE, "%s").encode()
    length = len(body) + (30 if b"%s" in body else 0)
    return HEAD % length + body


async def serve() -> None:
    """Listen on a free port and print it."""
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0)
    origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    Stub.answers = {path.encode(): _written(answer) for path, answer in answers(origin).items()}
    sys.stdout.write(f"{origin}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
