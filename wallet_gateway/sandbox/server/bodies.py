"""Read a request body from a connection, by its length or in chunks.

A body that is too large is read to the end but not kept, so that the sender can still read the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from email.message import Message
from io import BufferedIOBase
from typing import Final

MAX_BODY_BYTES: Final = 1_048_576
MAX_KEPT_BYTES: Final = MAX_BODY_BYTES + 1
"""One byte above the maximum, from which the application recognises a body that is too large."""
MAX_DRAINED_BYTES: Final = 64 * 1_048_576
"""Maximum bytes drained before closing."""
_BLOCK: Final = 65_536
_MAX_CHUNK_LINE_LENGTH: Final = 1_024


class InvalidFraming(ValueError):
    """The headers do not determine the body's end, or the body contradicts them."""


class IncompleteBody(ConnectionError):
    """The connection ended within the body."""


class BodyLimitExceeded(ValueError):
    """The body exceeds the maximum that is drained."""


def read_body(stream: BufferedIOBase, headers: Message) -> bytes:
    """Read the whole body and return at most ``MAX_KEPT_BYTES`` of it.

    Raises ``InvalidFraming``, ``IncompleteBody`` or ``BodyLimitExceeded``.
    """
    encodings = headers.get_all("Transfer-Encoding", [])
    lengths = headers.get_all("Content-Length", [])
    sizes: Iterable[int] = ()
    if encodings:
        # Both headers at once allow request smuggling.
        if lengths or [encoding.strip().lower() for encoding in encodings] != ["chunked"]:
            raise InvalidFraming("Transfer-Encoding must be 'chunked', alone and without a Content-Length.")
        sizes = _chunk_sizes(stream)
    elif lengths:
        text = lengths[0].strip()
        if len(set(lengths)) != 1 or not (text.isascii() and text.isdigit()) or len(text) > 15:
            given = f"{', '.join(lengths)!r:.60}"
            raise InvalidFraming(f"Content-Length must be one whole number, not {given}.")
        sizes = (int(text),)
    body, taken = bytearray(), 0
    for size in sizes:
        taken += size
        if taken > MAX_DRAINED_BYTES:
            raise BodyLimitExceeded(f"The body has more than {MAX_DRAINED_BYTES} bytes.")
        left = size
        while left:
            block = stream.read(min(left, _BLOCK))
            if not block:
                raise IncompleteBody("The connection ended in the middle of the body.")
            left -= len(block)
            body += block[: MAX_KEPT_BYTES - len(body)]
    return bytes(body)


def _chunk_sizes(stream: BufferedIOBase) -> Iterator[int]:
    """Yield the size of each chunk, whose content is then read before the next size."""
    while size := _chunk_size(_line(stream)):
        yield size
        if _line(stream):
            raise InvalidFraming("A chunk is longer than it says.")
    while _line(stream):  # discard trailers
        pass


def _line(stream: BufferedIOBase) -> bytes:
    line = stream.readline(_MAX_CHUNK_LINE_LENGTH)
    if not line:
        raise IncompleteBody("The connection ended in the middle of the body.")
    if not line.endswith(b"\n"):
        raise InvalidFraming("A line between chunks is too long.")
    return line.rstrip(b"\r\n")


def _chunk_size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip()
    # int() alone would also accept "0x10", "1_0" and "-1".
    if not digits or digits.strip(b"0123456789abcdefABCDEF"):
        raise InvalidFraming("A chunk does not begin with its size.")
    return int(digits, 16)
