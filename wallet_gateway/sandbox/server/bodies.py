"""Reading the body of a request off a connection, by its length or chunk by chunk.

More than the application will ever accept is read out but not kept, so that a caller who sends too much still
gets to read the answer that says so.
"""

from __future__ import annotations

from email.message import Message
from io import BufferedIOBase
from typing import Final

MAX_BODY_BYTES: Final = 1_048_576
MAX_KEPT_BYTES: Final = MAX_BODY_BYTES + 1
"""One byte more than a body may have: enough for the application to see that it is too large."""
MAX_DRAINED_BYTES: Final = 64 * 1_048_576
"""Beyond this a caller is not worth the politeness."""
_BLOCK: Final = 65_536
_MAX_CHUNK_LINE_LENGTH: Final = 1_024


class InvalidFraming(ValueError):
    """The headers do not say where the body ends, or the body does not keep to what they say."""


class IncompleteBody(ConnectionError):
    """The caller went away in the middle of the body."""


class BodyLimitExceeded(ValueError):
    """The body is longer than anybody will read."""


def read_body(stream: BufferedIOBase, headers: Message) -> bytes:
    """Read the whole body and give at most ``KEPT_BYTES`` of it.

    Raises ``UnreadableFraming``, ``BodyCutOff`` or ``EndlessBody``.
    """
    encodings = headers.get_all("Transfer-Encoding", [])
    lengths = headers.get_all("Content-Length", [])
    if encodings:
        # Both at once is how requests are smuggled past a proxy.
        if lengths or [encoding.strip().lower() for encoding in encodings] != ["chunked"]:
            raise InvalidFraming("Transfer-Encoding must be 'chunked', alone and without a Content-Length.")
        return _read_chunks(stream)
    return _BodyReader(stream).take(_length(lengths)).body() if lengths else b""


def _length(lengths: list[str]) -> int:
    text = lengths[0].strip()
    if len(set(lengths)) != 1 or not (text.isascii() and text.isdigit()) or len(text) > 15:
        raise InvalidFraming(f"Content-Length must be one whole number, not {', '.join(lengths)!r:.60}.")
    return int(text)


class _BodyReader:
    """Takes bytes off a stream and keeps the first of them."""

    def __init__(self, stream: BufferedIOBase) -> None:
        self._stream = stream
        self._blocks: list[bytes] = []
        self._taken = 0

    def take(self, count: int) -> _BodyReader:
        if self._taken + count > MAX_DRAINED_BYTES:
            raise BodyLimitExceeded(f"The body has more than {MAX_DRAINED_BYTES} bytes.")
        while count:
            block = self._stream.read(min(count, _BLOCK))
            if not block:
                raise IncompleteBody("The connection ended in the middle of the body.")
            if self._taken < MAX_KEPT_BYTES:
                self._blocks.append(block)
            self._taken += len(block)
            count -= len(block)
        return self

    def body(self) -> bytes:
        return b"".join(self._blocks)[:MAX_KEPT_BYTES]


def _read_chunks(stream: BufferedIOBase) -> bytes:
    reader = _BodyReader(stream)
    while size := _chunk_size(_line(stream)):
        reader.take(size)
        if _line(stream):
            raise InvalidFraming("A chunk is longer than it says.")
    while _line(stream):  # trailers, which nobody asked for
        pass
    return reader.body()


def _line(stream: BufferedIOBase) -> bytes:
    line = stream.readline(_MAX_CHUNK_LINE_LENGTH)
    if not line:
        raise IncompleteBody("The connection ended in the middle of the body.")
    if not line.endswith(b"\n"):
        raise InvalidFraming("A line between chunks is too long.")
    return line.rstrip(b"\r\n")


def _chunk_size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip()
    # int() alone would take "0x10", "1_0" and "-1" as well.
    if not digits or digits.strip(b"0123456789abcdefABCDEF"):
        raise InvalidFraming("A chunk does not begin with its size.")
    return int(digits, 16)
