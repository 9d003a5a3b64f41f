"""HTTP as the server speaks it, with an application that only says what it was given."""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from wallet_gateway.sandbox.server.delivery import ENVIRON_KEY, DeliveryMode
from wallet_gateway.sandbox.server.listener import GatewayServer


class Echo(list[bytes]):
    """A WSGI answer that knows whether it was closed."""

    closed = 0

    def close(self) -> None:
        Echo.closed += 1


def echo(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401
    """Answer with the environment; a few paths do something else."""
    match environ["PATH_INFO"]:
        case "/drop":
            environ[ENVIRON_KEY].mode = DeliveryMode.DROPPED
        case "/empty":
            start_response("204 No Content", [])
            return Echo([b"must not be sent"])
        case "/crash":
            raise RuntimeError("The application failed.")
    body = environ["wsgi.input"].read().decode("latin-1")
    plain = {name: value for name, value in environ.items() if isinstance(value, str)}
    start_response("200 OK", [("Content-Type", "application/json")])
    return Echo([json.dumps(plain | {"body": body}).encode()])


@pytest.fixture(scope="module")
def server() -> Iterator[GatewayServer]:
    server = GatewayServer(host="127.0.0.1", port=0, application=echo, on_worker_exit=lambda: None)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def client(server: GatewayServer) -> Iterator[socket.socket]:
    with socket.create_connection(server.server_address[:2], timeout=60) as client:  # type: ignore[arg-type]
        yield client


def answer(client: socket.socket) -> tuple[bytes, dict[str, str], bytes]:
    """Read one answer: its status line, headers and body."""
    data = b""
    while b"\r\n\r\n" not in data:
        block = client.recv(65_536)
        if not block:
            return data, {}, b""
        data += block
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    while len(body) < int(headers["content-length"]):
        body += client.recv(65_536)
    return status.encode(), headers, body


def ask(client: socket.socket, request: str, body: bytes = b"") -> tuple[bytes, dict[str, str], bytes]:
    client.sendall(request.replace("\n", "\r\n").encode("latin-1") + body)
    return answer(client)


def environ_of(client: socket.socket, request: str, body: bytes = b"") -> dict[str, str]:
    status, _, content = ask(client, request, body)
    assert status == b"HTTP/1.1 200 OK"
    environ: dict[str, str] = json.loads(content)
    return environ


def is_closed(client: socket.socket) -> bool:
    return client.recv(1) == b""


def test_requests_sent_in_one_go_are_answered_in_turn(client: socket.socket) -> None:
    client.sendall(
        b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: x\r\n\r\n"
    )
    data = b""
    while data.count(b"REQUEST_METHOD") < 2:
        data += client.recv(65_536)
    assert data.index(b'"/a"') < data.index(b'"/b"')


def test_the_environment_is_as_wsgi_wants_it(client: socket.socket, server: GatewayServer) -> None:
    request = (
        "POST /a%20b%C3%A9?c=%26&d HTTP/1.1\nHost: shop.example:1\nContent-Type: text/x\nContent-Length: 3\n"
        "X-Twice: 1\nX-Twice: 2\nCookie: a=1\nCookie: b=2\nUnder_Score: no\n\n"
    )
    environ = environ_of(client, request, b"\x00\xffz")
    assert (
        environ.items()
        >= {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": "/a b\u00c3\u00a9",
            "QUERY_STRING": "c=%26&d",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "SERVER_PORT": str(server.server_address[1]),
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "shop.example:1",
            "CONTENT_TYPE": "text/x",
            "CONTENT_LENGTH": "3",
            "HTTP_X_TWICE": "1,2",
            "HTTP_COOKIE": "a=1; b=2",
            "body": "\x00\u00ffz",
        }.items()
    )
    assert not any("UNDER" in name for name in environ)


def test_a_client_that_waits_is_told_to_continue(client: socket.socket) -> None:
    client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    assert client.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n")
    client.sendall(b"ok")
    assert json.loads(answer(client)[2])["body"] == "ok"


@pytest.mark.parametrize(
    ("request_", "closes"),
    [
        ("GET / HTTP/1.1\nHost: x\nConnection: close\n\n", True),
        ("GET / HTTP/1.0\nHost: x\n\n", True),
        ("GET / HTTP/1.0\nHost: x\nConnection: keep-alive\n\n", False),
    ],
    ids=["close", "HTTP/1.0", "HTTP/1.0 with keep-alive"],
)
def test_the_client_says_whether_the_connection_stays(
    client: socket.socket, request_: str, closes: bool
) -> None:
    _, headers, _ = ask(client, request_)
    assert headers["connection"] == ("close" if closes else "keep-alive")
    if closes:
        assert is_closed(client)
    else:
        assert environ_of(client, "GET / HTTP/1.1\nHost: x\n\n")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ("nonsense\n\n", 400),
        ("GET\n\n", 400),
        ("GET / HTTP/9.9.9\n\n", 400),
        ("GET / HTTP/2.0\n\n", 505),
        ("GET /" + "x" * 70_000 + " HTTP/1.1\n\n", 414),
        ("GET / HTTP/1.1\nX: " + "x" * 70_000 + "\n\n", 431),
        ("GET / HTTP/1.1\n" + "X: 1\n" * 200 + "\n", 431),
        ("POST / HTTP/1.1\nContent-Length: x\n\n", 400),
        ("POST / HTTP/1.1\nContent-Length: 1\nTransfer-Encoding: chunked\n\n", 400),
        ("POST / HTTP/1.1\nTransfer-Encoding: chunked\n\nno chunk\n", 400),
        (f"POST / HTTP/1.1\nContent-Length: {10**12}\n\n", 413),
    ],
    ids=lambda value: value[:40].replace("\n", "|") if isinstance(value, str) else "",
)
def test_what_is_no_request_is_answered_with_the_error_body_and_closed(
    client: socket.socket, request_: str, status: int
) -> None:
    line, headers, body = ask(client, request_)
    assert line.startswith(f"HTTP/1.1 {status} ".encode())
    assert headers["content-type"] == "application/json"
    error = json.loads(body)
    assert error["code"] == f"4{status}000"
    assert error["details"]["message"]
    client.shutdown(socket.SHUT_WR)
    assert is_closed(client)


def test_a_body_that_is_cut_off_never_reaches_the_application(client: socket.socket) -> None:
    before = Echo.closed
    client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
    client.shutdown(socket.SHUT_WR)
    assert is_closed(client)
    assert Echo.closed == before


def test_every_answer_of_the_application_is_closed(client: socket.socket) -> None:
    before = Echo.closed
    environ_of(client, "GET / HTTP/1.1\nHost: x\n\n")
    assert Echo.closed == before + 1


def test_an_application_that_fails_costs_one_connection(
    client: socket.socket, server: GatewayServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(threading, "excepthook", failures.put)
    client.sendall(b"GET /crash HTTP/1.1\r\nHost: x\r\n\r\n")
    assert is_closed(client)
    assert str(failures.get(timeout=60).exc_value) == "The application failed."
    with socket.create_connection(server.server_address[:2], timeout=60) as other:  # type: ignore[arg-type]
        assert environ_of(other, "GET / HTTP/1.1\nHost: x\n\n")
