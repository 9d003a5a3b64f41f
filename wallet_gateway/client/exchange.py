"""One call as values: the account, the request, the answer, the redacted exchange, the record. No I/O.

The record is for metrics and traces: how the call ended and how long it took. Every word of it is one of a
closed list: no bodies, no references, nothing that the gateway wrote. Labels made of it hold no secret and
have a known number of values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Generic, Self, TypeVar

from wallet_gateway.protocol.strict_json import JsonValue

M_co = TypeVar("M_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class MerchantAccount:
    """One merchant's account at one gateway."""

    merchant_id: str
    store_id: str
    user_id: str = field(repr=False)
    """Name of the service user: half of a credential, so `repr` leaves it out."""
    provider: str
    """The constant the interface writes as `<WALLET>V2`."""
    profile: str = "test"
    skin_id: str | None = None
    provider_merchant_id: str | None = None
    redirect_url_timeout: int = 900
    """Seconds a checkout page stays payable; 0, "no expiration", would leave it payable for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningAccount:
    """The account that a request is sent for, as a shop's own `AUTH` gets it."""

    gateway: str
    """The gateway's alias."""
    merchant: MerchantAccount
    base_url: str
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The texts of the account's setting `AUTH_SECRETS`, by name."""


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


class CallOutcome(StrEnum):
    """What is known after a call."""

    ANSWERED = "answered"
    """The gateway answered; whether it approved is in the answer."""
    REFUSED = "refused"
    """It answered with its error body."""
    NOT_SENT = "not_sent"
    """Not one byte left."""
    UNKNOWN = "unknown"
    """The request left, and no usable answer came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call to the gateway, without its content: `call` of the signal `gateway_called`."""

    operation: str
    """`checkout`, `capture`, `refund`, `reversal`, `detached_refund`, `status`, `authorization`, ..."""
    method: str
    path: str
    """The template of the path, with names in braces where references stand."""
    outcome: CallOutcome
    reason: str
    """A word of `NotSentReason` or `UnknownReason`; empty where an answer came."""
    http_status: int | None
    """None when no complete answer came."""
    elapsed_seconds: float
