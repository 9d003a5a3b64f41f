"""One request and its answer as values: the raw answer, the redacted exchange, the message. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Generic, Self, TypeVar

from wallet_gateway.protocol.strict_json import JsonValue

M_co = TypeVar("M_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayRequest:
    """One request before it is signed and sent. Its values may be secret or personal: `repr` hides them."""

    method: str
    path: str
    """Relative to the base URL; a name in braces stands for one of `path_values`."""
    path_values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    query: Mapping[str, str] | None = field(default=None, repr=False)
    body: JsonValue = field(default=None, repr=False)
    """The message as JSON values under the interface's names; None if there is no body."""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)

    def with_header(self, name: str, value: str) -> Self:
        """Return the request with one header more, or another value of it."""
        return replace(self, headers={**self.headers, name: value})


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
