"""Which connection is used, for how long, by whom: reuse, idling, fresh ones, threads and forks."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
import time

import pytest

from tests.client.conftest import Connect
from tests.client.servers import RawServer, Request, answer, echoes, says
from tests.waiting import PATIENCE, eventually
from wallet_gateway.client.errors import OutcomeUnknown, UnknownReason

pytestmark = pytest.mark.wire

FORKS = """
import os, sys
from wallet_gateway.client.http_transport import HttpTransport

transport = HttpTransport(base_url=sys.argv[1])
said = [transport.send("POST", "/", body=b"parent 1").body]
child = os.fork()
if child == 0:
    os._exit(transport.send("POST", "/", body=b"child").body != b"child")
said.append(transport.send("POST", "/", body=b"parent 2").body)
_, status = os.waitpid(child, 0)
said.append(transport.send("POST", "/", body=b"parent 3").body)
transport.close()
assert said == [b"parent 1", b"parent 2", b"parent 3"], said
sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_a_connection_is_used_again_while_it_idled_less_than_the_limit(connect: Connect) -> None:
    with RawServer(echoes) as server:
        transport = connect(server.base_url)
        for _ in range(3):
            transport.send("POST", "/", body=b"{}")
    assert (len(server.requests), server.connections) == (3, 1)


def test_a_connection_that_idled_longer_is_closed_and_replaced(connect: Connect) -> None:
    with RawServer(echoes) as server:
        transport = connect(server.base_url, keepalive_idle=0.05)
        transport.send("POST", "/", body=b"{}")
        time.sleep(0.06)
        transport.send("POST", "/", body=b"{}")
        assert eventually(lambda: server.hung_up == 1)
    assert (len(server.requests), server.connections) == (2, 2)


def test_a_connection_closed_by_the_server_while_idle_is_replaced_not_written_to(connect: Connect) -> None:
    with RawServer(says(answer())) as server:
        transport = connect(server.base_url)
        transport.send("POST", "/", body=b"1")
        assert eventually(lambda: server.closed == 1)
        transport.send("POST", "/", body=b"2")
    assert [request.body for request in server.requests] == [b"1", b"2"]
    assert server.connections == 2


def test_a_connection_on_which_the_server_said_more_than_asked_is_replaced(connect: Connect) -> None:
    heard, said = threading.Event(), threading.Semaphore(0)

    def talks_on(connection: socket.socket, _request: Request) -> bool:
        connection.sendall(answer(b"mine"))
        # What comes together with the answer would be read together with it.
        heard.wait(PATIENCE)
        connection.sendall(answer(b"not mine", status="408 Request Timeout"))
        said.release()
        return True

    with RawServer(talks_on) as server:
        transport = connect(server.base_url)
        assert transport.send("POST", "/", body=b"1").body == b"mine"
        heard.set()
        assert said.acquire(timeout=PATIENCE)
        assert transport.send("POST", "/", body=b"2").body == b"mine"
    assert server.connections == 2


def test_a_kept_connection_lost_under_a_request_counts_as_sent_and_is_not_tried_again(
    connect: Connect,
) -> None:
    def answers_once(connection: socket.socket, request: Request) -> bool:
        return request.body == b"1" and echoes(connection, request)

    with RawServer(answers_once) as server:
        transport = connect(server.base_url)
        transport.send("POST", "/", body=b"1")
        with pytest.raises(OutcomeUnknown) as failure:
            transport.send("POST", "/", body=b"2")
    assert failure.value.reason == UnknownReason.CONNECTION_LOST
    assert [request.body for request in server.requests] == [b"1", b"2"]
    assert server.connections == 1


def test_a_fresh_request_has_a_connection_of_its_own_which_is_closed(connect: Connect) -> None:
    with RawServer(echoes) as server:
        transport = connect(server.base_url)
        transport.send("POST", "/", body=b"kept")
        transport.send("POST", "/", body=b"fresh", fresh=True)
        assert server.connections == 2
        assert eventually(lambda: server.hung_up == 1)
        transport.send("POST", "/", body=b"kept")
        assert server.hung_up == 1
    assert server.connections == 2
    assert [request.headers.get("connection") for request in server.requests] == [None, "close", None]


@pytest.mark.parametrize(
    "said",
    [answer(headers=("Connection: close",)), b"HTTP/1.0 200 OK\r\n\r\n{}", answer(b"x" * 600)],
    ids=["Connection: close", "HTTP/1.0", "an answer beyond the cap"],
)
def test_a_connection_that_ended_or_went_wrong_is_not_kept(said: bytes, connect: Connect) -> None:
    with RawServer(says(said)) as server:
        transport = connect(server.base_url, max_answer_bytes=500)
        for _ in range(2):
            with contextlib.suppress(OutcomeUnknown):
                transport.send("POST", "/", body=b"{}")
    assert server.connections == 2
    kept = transport._pool.pool
    assert kept is not None
    assert not any(kept.queue)


def test_a_forked_process_leaves_its_parents_connection_alone() -> None:
    with RawServer(echoes) as server:
        # A process of its own: here are threads, and forking beside threads is what one must not do.
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", FORKS, server.base_url],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")
    assert sorted(request.body for request in server.requests) == [
        b"child",
        b"parent 1",
        b"parent 2",
        b"parent 3",
    ]
    assert server.connections == 2
