"""One request and its answer as values: the raw answer, the redacted exchange, the message. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

M_co = TypeVar("M_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAnswer:
    """One complete HTTP answer, whatever its status. Unredacted, so it hides its content in `repr`."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    """By lower-case name; only those the client reads."""
    body: bytes = field(repr=False)
    """Decoded and complete."""
    elapsed: float
    """Seconds from the call to the last byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its result, fit to be stored and shown: bodies are redacted and cut."""

    method: str
    url_path: str
    """Without host and query."""
    http_status: int | None
    """None when no complete answer came."""
    request_body: str
    answer_body: str
    elapsed_seconds: float
    sent: bool
    """False only with proof that not one byte left."""
    date: str = ""
    """The `Date` header of the answer: what time it is at the gateway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[M_co]):
    """What the gateway answered, read into a message. `repr` shows the redacted exchange only."""

    message: M_co = field(repr=False)
    exchange: Exchange
