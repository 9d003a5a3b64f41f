"""A gateway that answers status queries after a moment, and notes who asked what, and when.

Every transaction is approved, under its own reference, over 10.00 EUR. At the query of a chosen number it
kills the process that asks, in the middle of its request.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from tests.support.local_server import LocalServer
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.strict_json import NumberText

WORKER_HEADER = "X-Worker"


@dataclass
class Asked:
    """What was asked of the gateway so far."""

    by: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Reference to the processes that asked about it, in order."""
    at_once: list[str] = field(default_factory=list)
    """References that were asked about while a question about the same was not yet answered."""
    most_open: int = 0
    """As many questions waited for their answers together."""
    killed: list[tuple[int, str]] = field(default_factory=list)
    """Process and the reference that it was asking about."""

    @property
    def count(self) -> int:
        return sum(map(len, self.by.values()))

    @property
    def workers(self) -> set[int]:
        return {worker for workers in self.by.values() for worker in workers}


class CountingGateway(LocalServer):
    """The server; a context manager."""

    def __init__(self, *, seconds: float, kill_at: int = 0) -> None:
        self.asked = Asked()
        self._seconds, self._kill_at = seconds, kill_at
        self._lock, self._open = threading.Lock(), set[str]()
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                query = parse_qs(urlsplit(self.path).query)
                (reference,) = query["clientSystemTransactionId"]
                gateway.answer(self, reference, int(self.headers.get(WORKER_HEADER, 0)))

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
                return None

        super().__init__(Handler)

    def answer(self, handler: BaseHTTPRequestHandler, reference: str, worker: int) -> None:
        """Note the question, wait, and answer it."""
        with self._lock:
            if reference in self._open:
                self.asked.at_once.append(reference)
            self._open.add(reference)
            self.asked.most_open = max(self.asked.most_open, len(self._open))
            self.asked.by[reference].append(worker)
            if self.asked.count == self._kill_at:
                self.asked.killed.append((worker, reference))
                os.kill(worker, signal.SIGKILL)
        time.sleep(self._seconds)
        with self._lock:
            self._open.discard(reference)
        body = strict_json.dumps([record(reference)])
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


def record(reference: str) -> dict[str, object]:
    """The record of an approved sale of 10.00 EUR."""
    return {
        "id": f"g-{reference}",
        "state": "Approved",
        "currencyCode": "EUR",
        "transactionAmount": NumberText("10.00"),
        "clientSystemTransactionId": reference,
        "type": "ecom.sale",
        "transactionDateTime": "2026-01-15T10:30:00.0000000",
    }
