"""What a connection makes of answers that are late, broken, hostile or too large, over real sockets.

Each case also says how often the server got the request: a fault must never be the reason for a second copy.
"""

from __future__ import annotations

import gzip
import http.client
import subprocess
import sys
import time
import zlib

import pytest

from tests.client.conftest import IMPATIENT, Connect
from tests.client.servers import (
    Behaviour,
    RawServer,
    answer,
    chunked,
    drips,
    hangs_up,
    pours,
    resets,
    says,
    stays_silent,
)
from wallet_gateway.client.errors import OutcomeUnknown, UnknownReason

pytestmark = pytest.mark.wire


PACKED = gzip.compress(b'{"redirectUrl": "https://gateway.example/c"}' * 10)
BOMB = gzip.compress(bytes(10_000_000))
MEGABYTE = bytes(1_000_000)
GZIP = ("Content-Encoding: gzip",)

TOO_LATE = {
    "no answer": stays_silent,
    "a status line byte by byte": drips(b"<slowly>HTTP/1.1 200 " + b"O" * 200 + b"K\r\n\r\n"),
    "headers byte by byte": drips(b"HTTP/1.1 200 OK\r\n<slowly>X-Padding: " + b"1" * 200 + b"\r\n\r\n"),
    "a body byte by byte": drips(answer(length=200).removesuffix(b"{}") + b"<slowly>" + b"1" * 200),
    "a chunk byte by byte": drips(chunked(b"c8\r\n<slowly>" + b"1" * 200)),
    "chunk after chunk": drips(chunked(b"<slowly>" + b"1\r\n1\r\n" * 40)),
    "a body without length byte by byte": drips(b"HTTP/1.1 200 OK\r\n\r\n<slowly>" + b"1" * 200),
    "100 Continue without end": drips(b"<slowly>" + b"HTTP/1.1 100 Continue\r\n\r\n" * 10),
}
LOST = {
    "closed after the request": hangs_up,
    "reset after the request": resets(),
    "reset in the middle of the body": resets(answer(b'{"redirectUrl"', length=100)),
    "closed before the promised length": says(answer(b"{}", length=3)),
    "closed in the middle of a chunk": says(chunked(b"a\r\n12345")),
    "closed between chunks": says(chunked(b"2\r\n{}\r\n")),
    "a chunk size that is no number": says(chunked(b"zz\r\n{}\r\n0\r\n\r\n")),
}
BROKEN = {
    "garbage for a status line": says(b"\x16\x03\x01 not HTTP\r\n\r\n"),
    "a status that is no number": says(b"HTTP/1.1 OK\r\n\r\n{}"),
    "a status of four digits": says(b"HTTP/1.1 2000 OK\r\n\r\n{}"),
    "an unknown version of HTTP": says(b"HTTP/3 200 OK\r\n\r\n{}"),
    "a header line without end": says(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n"),
    "more headers than anybody needs": says(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 120 + b"\r\n{}"),
    "a negative chunk size": says(chunked(b"-5\r\n{}\r\n0\r\n\r\n")),
}
BADLY_PACKED = {
    "bytes that are not gzip": says(answer(b'{"state": "Approved"}', headers=GZIP)),
    "gzip that ends too early": says(answer(PACKED[:-10], headers=GZIP)),
    "gzip with a wrong checksum": says(answer(PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:], headers=GZIP)),
    "gzip with something behind it": says(answer(PACKED + b"{}", headers=GZIP)),
    "an encoding nobody asked for": says(answer(b"{}", headers=("Content-Encoding: br",))),
    "deflate": says(answer(zlib.compress(b"{}"), headers=("Content-Encoding: deflate",))),
}
TOO_LARGE = {
    "a promise of 100 MB": says(answer(b"", length=100_000_000)),
    "100 MB without a length": pours(b"HTTP/1.1 200 OK\r\n\r\n", MEGABYTE, times=100),
    "100 MB in chunks": pours(chunked(), b"f4240\r\n" + MEGABYTE + b"\r\n", times=100),
    "100 MB behind a chunk size of -1": pours(chunked(b"-1\r\n"), MEGABYTE, times=100),
    "one byte too many": says(answer(b"1" * 1_048_577)),
    "a gzip bomb": says(answer(BOMB, headers=GZIP)),
    "a gzip bomb in chunks": says(
        chunked().replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n", 1)
        + b"%x\r\n" % len(BOMB) + BOMB + b"\r\n0\r\n\r\n"
    ),
}  # fmt: skip
CASES = [
    pytest.param(behaviour, reason, id=name)
    for reason, behaviours in (
        (UnknownReason.TIMEOUT, TOO_LATE),
        (UnknownReason.CONNECTION_LOST, LOST),
        (UnknownReason.BROKEN_HTTP, BROKEN),
        (UnknownReason.BAD_ENCODING, BADLY_PACKED),
        (UnknownReason.TOO_LARGE, TOO_LARGE),
    )
    for name, behaviour in behaviours.items()
]


@pytest.mark.parametrize(("behaviour", "reason"), CASES)
def test_a_fault_after_sending_leaves_the_outcome_unknown_and_the_request_sent_once(
    behaviour: Behaviour, reason: UnknownReason, connect: Connect
) -> None:
    with RawServer(behaviour) as server:
        transport = connect(server.base_url, **(IMPATIENT if reason is UnknownReason.TIMEOUT else {}))
        begun = time.monotonic()
        with pytest.raises(OutcomeUnknown) as failure:
            transport.send("POST", "/pay", body=b'{"amount": "10.00"}')
        took = time.monotonic() - begun
    assert failure.value.reason == reason
    assert failure.value.may_have_happened
    assert took < 7, "less than the slow ones among them would take"
    assert [request.body for request in server.requests] == [b'{"amount": "10.00"}']
    assert server.connections == 1


def test_the_global_debug_switch_of_http_client_prints_nothing_of_ours(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(http.client.HTTPConnection, "debuglevel", 1)
    with RawServer(says(answer(b'{"cryptogram": "AAAA"}'))) as server:
        connect(server.base_url).send(
            "POST", "/", body=b"{}", headers={"Authorization": "PublicApiKey hunter2"}
        )
    assert capsys.readouterr().out == ""


class Recorder:
    """The class that a recorder puts in place: its methods fail on an object of another class."""

    def getresponse(self) -> None:
        raise AttributeError("this is no connection of the recorder's")


def test_a_recorder_may_be_at_work_before_the_first_call_of_a_process() -> None:
    code = """
import http.client, sys, urllib3
from wallet_gateway.client.http_transport import HttpTransport

class Recorder:
    pass

assert "wallet_gateway.client.connection" not in sys.modules
http.client.HTTPConnection = urllib3.connection.HTTPConnection = urllib3.connection.HTTPSConnection = Recorder
sys.stdout.buffer.write(HttpTransport(base_url=sys.argv[1]).send("POST", "/", body=b"{}").body)
"""
    with RawServer(says(answer(b"{}"))) as server:
        ran = subprocess.run([sys.executable, "-c", code, server.base_url], capture_output=True, check=True)
    assert ran.stdout == b"{}"
