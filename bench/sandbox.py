"""How many checkouts a second the sandbox answers: a load test of a shop must never measure it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bench.client_call import request
from bench.load import post, send
from bench.measure import SCALE, Finding, rounds
from wallet_gateway.testing.sandbox import SandboxServer

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 8
SECONDS = 2.0 * SCALE


def bodies(port: int) -> Iterator[bytes]:
    """Write checkout after checkout, each under a reference of its own."""
    pattern = request().to_json()
    for number in itertools.count():
        yield post("/api/v5/checkout", pattern.replace(b"BENCH-1", f"BENCH-{number:08}".encode()), port=port)


def measure() -> Iterator[Finding]:
    """Keep some connections busy and count, for some rounds."""
    with SandboxServer() as server:
        port = urlsplit(server.base_url).port or 80
        requests = bodies(port)
        rates = [_rate(requests, port) for _ in range(1 + rounds())]
    what = "sandbox, checkouts a second on this machine"
    # The first round warms up.
    yield Finding(what=what, values=tuple(rates[1:]), target=400, unit="/s", at_most=False)


def _rate(requests: Iterator[bytes], port: int) -> float:
    return send(requests, port=port, expected=b"200", connections=CONNECTIONS, seconds=SECONDS).rate
