"""HTTP as the sandbox speaks it on a bare socket: connections that stay, bodies, and what is no request."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest

from tests.sandbox.merchant import checkout_body, new_reference
from tests.support.tables import every
from wallet_gateway.testing.control import SandboxControl

HEAD = "POST /api/v5/checkout HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
GET = "GET /wallet/keys.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture
def address(control: SandboxControl) -> tuple[str, int]:
    parts = urlsplit(control.base_url)
    return parts.hostname or "", parts.port or 0


class Client:
    """A bare connection; what it reads of one answer leaves the next one where it is."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=60)
        self.answers = self.socket.makefile("rb")

    def send(self, head: str, body: bytes = b"") -> None:
        self.socket.sendall(head.encode("latin-1") + body)

    def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Read one answer: its status, headers and body."""
        line = self.answers.readline().decode()
        assert line, "closed without an answer"
        headers = {}
        while field := self.answers.readline().decode().strip():
            name, _, value = field.lower().partition(": ")
            headers[name] = value
        return int(line.split()[1]), headers, self.answers.read(int(headers.get("content-length", "0")))

    def is_closed(self) -> bool:
        return self.answers.read(1) == b""

    def sends_no_more(self) -> None:
        self.socket.shutdown(socket.SHUT_WR)


Connect = Callable[[], Client]


@pytest.fixture
def connect(address: tuple[str, int]) -> Iterator[Connect]:
    clients: list[Client] = []

    def connect() -> Client:
        clients.append(Client(address))
        return clients[-1]

    yield connect
    for client in clients:
        client.answers.close()
        client.socket.close()


def order() -> bytes:
    return json.dumps(checkout_body(new_reference())).encode()


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + end


def test_requests_sent_in_one_go_are_answered_in_turn(connect: Connect) -> None:
    client, body = connect(), order()
    client.send(f"{HEAD}Content-Length: {len(body)}\r\n\r\n", body + GET.encode())
    assert b'"redirectUrl"' in client.answer()[2]
    assert b'"keys"' in client.answer()[2]


def test_a_client_that_waits_is_told_to_continue(connect: Connect) -> None:
    client, body = connect(), order()
    client.send(f"{HEAD}Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n")
    assert client.answer()[0] == 100
    client.socket.sendall(body)
    assert client.answer()[0] == 200


@every(
    ("version", "field", "closes"),
    [
        ("1.1", "", False),
        ("1.1", "Connection: close\r\n", True),
        ("1.0", "", True),
        ("1.0", "Connection: keep-alive\r\n", False),
    ],
)
def test_the_client_says_whether_the_connection_stays(
    connect: Connect, version: str, field: str, closes: bool
) -> None:
    client, request = connect(), GET.replace("HTTP/1.1\r\n", f"HTTP/{version}\r\n{field}")
    client.send(request)
    assert client.answer()[1].get("connection", "keep-alive") == ("close" if closes else "keep-alive")
    if closes:
        assert client.is_closed()
    else:
        client.send(request)
        assert client.answer()[0] == 200


BODY = order()
HALVES = BODY[:50], BODY[50:]


@every(
    ("fields", "sent"),
    [
        (f"Content-Length: {len(BODY)}", BODY),
        (f"Content-Length:   {len(BODY)} ", BODY),
        (f"Content-Length: {len(BODY)}\r\nContent-Length: {len(BODY)}", BODY),
        ("Transfer-Encoding: chunked", chunked(BODY)),
        ("Transfer-Encoding: chunked", chunked(*HALVES, end=b"000\r\nTrailer: x\r\n\r\n")),
        ("Transfer-Encoding: chunked", chunked(BODY).replace(b"\r\n", b";name=value\r\n", 1)),
        ("Transfer-Encoding: chunked", b"000" + chunked(BODY)),
    ],
)
def test_a_body_by_length_or_chunks_is_read_and_nothing_beyond_it(
    connect: Connect, control: SandboxControl, fields: str, sent: bytes
) -> None:
    control.reset()
    client = connect()
    client.send(f"{HEAD}{fields}\r\n\r\n", sent + GET.encode())
    assert [client.answer()[0] for _ in range(2)] == [200, 200]
    (entry,) = control.journal()
    assert entry["body"] == json.loads(BODY)


@every(
    ("request_", "status"),
    [
        ("nonsense\r\n\r\n", 400),
        ("GET\r\n\r\n", 400),
        ("GET / HTTP/9.9.9\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\n\r\n", 505),
        ("GET /" + "x" * 70_000 + " HTTP/1.1\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nX: " + "x" * 70_000 + "\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\n" + "X: 1\r\n" * 200 + "\r\n", 431),
        *(
            (f"{HEAD}Content-Length: {length}\r\n\r\n12345", 400)
            for length in ("x", "-1", "+5", "5.0", "0x5", "", "5, 5", "9" * 16, "5\r\nContent-Length: 6")
        ),
        *(
            (f"{HEAD}Transfer-Encoding: {coding}\r\n\r\n12345", 400)
            for coding in (
                "chunked\r\nContent-Length: 5",
                "chunked\r\nTransfer-Encoding: chunked",
                "gzip, chunked",
                "identity",
            )
        ),
        *(
            (f"{HEAD}Transfer-Encoding: chunked\r\n\r\n{size}\r\nabc\r\n0\r\n\r\n", 400)
            for size in ("", "x", "0x3", "-3", "3_0", "2", f"3;{'x' * 2_000}")
        ),
        # A body without end is not read at all.
        (f"{HEAD}Content-Length: {10**9}\r\n\r\n", 413),
        (f"{HEAD}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 413),
    ],
)
def test_what_is_no_request_is_answered_with_the_error_body_and_closed(
    connect: Connect, control: SandboxControl, request_: str, status: int
) -> None:
    client = connect()
    client.send(request_)
    found, headers, body = client.answer()
    assert (found, headers["content-type"]) == (status, "application/json")
    error = json.loads(body)
    assert error["code"] == f"4{status}000"
    assert error["details"]["message"]
    client.sends_no_more()
    assert client.is_closed()
    assert control.journal() == []


@every(
    "rest",
    [
        "Content-Length: 5\r\n\r\n123",
        "Content-Length: 5\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\n123",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        "Transfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_a_body_that_is_cut_off_is_never_answered_and_reaches_nobody(
    connect: Connect, control: SandboxControl, rest: str
) -> None:
    client = connect()
    client.send(f"{HEAD}{rest}")
    client.sends_no_more()
    assert client.is_closed()
    assert control.journal() == []
