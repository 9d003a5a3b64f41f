"""Reading a body off a connection: by length, by chunks, and what cannot be trusted."""

from __future__ import annotations

import io
from email.message import Message

import pytest

from tests.tables import every
from wallet_gateway.sandbox.server.bodies import (
    MAX_DRAINED_BYTES,
    MAX_KEPT_BYTES,
    BodyLimitExceeded,
    IncompleteBody,
    InvalidFraming,
    read_body,
)


def headers_of(*fields: tuple[str, str]) -> Message:
    headers = Message()
    for name, value in fields:
        headers[name] = value
    return headers


def read(data: bytes, *fields: tuple[str, str]) -> tuple[bytes, bytes]:
    """Give the body read and what is left on the connection."""
    stream = io.BytesIO(data)
    return read_body(stream, headers_of(*fields)), stream.read()


CHUNKED = ("Transfer-Encoding", "chunked")


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ([("Content-Length", "5")], b"12345"),
        ([("Content-Length", " 5 ")], b"12345"),
        ([("Content-Length", "0")], b""),
        ([("Content-Length", "5"), ("Content-Length", "5")], b"12345"),
    ],
    ids=["five", "blanks", "nought", "twice the same"],
)
def test_a_length_takes_exactly_that_much(fields: list[tuple[str, str]], body: bytes) -> None:
    assert read(body + b"NEXT", *fields) == (body, b"NEXT")


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (b"0\r\n\r\n", b""),
        (b"3\r\nabc\r\n0\r\n\r\n", b"abc"),
        (b"3\nabc\n2\nde\n0\n\n", b"abcde"),
        (b"A;name=value\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", b"0123456789"),
        (b"00003\r\nabc\r\n000\r\n\r\n", b"abc"),
    ],
    ids=["empty", "one", "bare line ends", "extension and trailer", "leading noughts"],
)
def test_chunks_are_put_together(data: bytes, body: bytes) -> None:
    assert read(data + b"NEXT", CHUNKED) == (body, b"NEXT")


@every(
    "fields",
    [
        [("Content-Length", "-1")],
        [("Content-Length", "+5")],
        [("Content-Length", "5.0")],
        [("Content-Length", "0x5")],
        [("Content-Length", "\u0665")],
        [("Content-Length", "")],
        [("Content-Length", "5, 5")],
        [("Content-Length", "9" * 16)],
        [("Content-Length", "5"), ("Content-Length", "6")],
        [CHUNKED, ("Content-Length", "5")],
        [CHUNKED, CHUNKED],
        [("Transfer-Encoding", "gzip, chunked")],
        [("Transfer-Encoding", "identity")],
    ],
    ids=lambda fields: " & ".join(value for _, value in fields) or "empty",
)
def test_headers_that_can_be_read_two_ways_are_refused(fields: list[tuple[str, str]]) -> None:
    with pytest.raises(InvalidFraming):
        read(b"12345", *fields)


@every(
    "data",
    [
        b"\r\nabc",
        b"x\r\nabc\r\n0\r\n\r\n",
        b"0x3\r\nabc\r\n0\r\n\r\n",
        b"-3\r\nabc\r\n0\r\n\r\n",
        b"3_0\r\nabc\r\n0\r\n\r\n",
        b"2\r\nabc\r\n0\r\n\r\n",
        b"3;" + b"x" * 2_000 + b"\r\nabc\r\n0\r\n\r\n",
    ],
    ids=["no size", "no number", "prefix", "sign", "underscore", "longer than it says", "long line"],
)
def test_chunks_that_are_none_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidFraming):
        read(data, CHUNKED)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"123", ("Content-Length", "5")),
        (b"", ("Content-Length", "5")),
        (b"5\r\n123", CHUNKED),
        (b"3\r\nabc\r\n", CHUNKED),
        (b"", CHUNKED),
    ],
    ids=["short", "nothing", "short chunk", "no last chunk", "no chunk"],
)
def test_a_caller_who_goes_away_is_noticed(data: bytes, field: tuple[str, str]) -> None:
    with pytest.raises(IncompleteBody):
        read(data, field)


@pytest.mark.parametrize("extra", [-1, 0, 1, 200_000])
def test_more_than_anybody_accepts_is_read_out_and_not_kept(extra: int) -> None:
    size = MAX_KEPT_BYTES + extra
    body, left = read(b"x" * size + b"NEXT", ("Content-Length", str(size)))
    assert (len(body), left) == (min(size, MAX_KEPT_BYTES), b"NEXT")


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"", ("Content-Length", str(MAX_DRAINED_BYTES + 1))),
        (f"{MAX_DRAINED_BYTES + 1:x}\r\n".encode(), CHUNKED),
        (b"fffffffffffffffff\r\n", CHUNKED),
    ],
    ids=["length", "chunk", "huge chunk"],
)
def test_a_body_without_end_is_not_read_at_all(data: bytes, field: tuple[str, str]) -> None:
    with pytest.raises(BodyLimitExceeded):
        read(data, field)
