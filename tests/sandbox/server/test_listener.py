"""The listening socket: its address, and an end that cuts nobody off."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterable
from typing import Any

from tests.sandbox.server.test_connection import answer, echo, is_closed
from tests.waiting import PATIENCE
from wallet_gateway.sandbox.server.listener import GatewayServer


def test_the_end_lets_an_answer_leave_and_closes_idle_connections() -> None:
    entered, release = threading.Event(), threading.Event()

    def slow(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401
        if environ["PATH_INFO"] == "/slow":
            entered.set()
            release.wait(PATIENCE)
        return echo(environ, start_response)

    gone: list[str] = []
    server = GatewayServer(
        host="127.0.0.1", port=0, application=slow, on_worker_exit=lambda: gone.append("worker")
    )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    address: Any = server.server_address[:2]
    with socket.create_connection(address) as busy, socket.create_connection(address) as idle:
        idle.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer(idle)[0] == b"HTTP/1.1 200 OK"
        busy.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        assert entered.wait(PATIENCE)
        server.shutdown()
        threading.Timer(0.1, release.set).start()
        server.server_close()
        assert is_closed(idle)
        assert answer(busy)[0] == b"HTTP/1.1 200 OK"
        assert is_closed(busy)
    thread.join()
    assert gone == ["worker", "worker"]
