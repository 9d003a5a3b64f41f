"""One try to send one request: its clock, its write marker, and its verdict when it fails. No sockets."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self

from wallet_gateway.client.exception_map import AnswerTooLarge, ClaimExpired, DeadlinePassed, verdict

if TYPE_CHECKING:
    from types import TracebackType

    from wallet_gateway.client.errors import NotSent, OutcomeUnknown

# Status line, headers and chunk sizes of an answer, on top of twice the size of its body.
_FRAMING_ALLOWANCE = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long and how large: seconds and bytes, all above zero (ValueError)."""

    connect_timeout: float
    """For TCP, with each address of the name, and again for TLS. The resolver has limits of its own."""
    read_timeout: float
    """For each wait on the gateway, be it to read or to write."""
    total_timeout: float
    """From the call to the last byte of the answer."""
    max_answer_bytes: int

    def __post_init__(self) -> None:
        for limit in fields(self):
            if getattr(self, limit.name) <= 0:
                raise ValueError(f"{limit.name} is {getattr(self, limit.name)}; it must be above zero")


class Attempt:
    """The clock and the write marker of one try; as a context it turns every failure inside into a verdict.

    Usage::

        with attempt:
            return exchange(attempt)
        raise attempt.verdict
    """

    __slots__ = ("_bytes_left", "_deadline", "_limits", "_not_after", "doing", "sent", "started", "verdict")

    verdict: NotSent | OutcomeUnknown

    def __init__(self, *, limits: Limits, not_after: float | None) -> None:
        self.started = time.monotonic()
        self.sent = False
        """The write marker: whether a byte of the request may have reached the gateway."""
        self.doing = "signing"
        self._limits = limits
        self._not_after = not_after
        self._deadline = self.started + limits.total_timeout
        self._bytes_left = 2 * limits.max_answer_bytes + _FRAMING_ALLOWANCE

    @property
    def elapsed(self) -> float:
        """Seconds since the call."""
        return time.monotonic() - self.started

    def connect_patience(self) -> float:
        """Seconds to wait for the connection; raises DeadlinePassed."""
        return min(self._limits.connect_timeout, self._remaining())

    def patience(self) -> float:
        """Seconds to wait until the next bytes come or go; raises DeadlinePassed."""
        return min(self._limits.read_timeout, self._remaining())

    def mark_sent(self) -> None:
        """Set the write marker; raises ClaimExpired instead when the right to send has run out."""
        if not self.sent:
            if self._not_after is not None and time.monotonic() > self._not_after:
                raise ClaimExpired("the right to send ran out before the connection was ready")
            self.sent = True

    def count(self, received: int) -> None:
        """Count bytes off the wire, so that no framing fills the memory; raises AnswerTooLarge."""
        self._bytes_left -= received
        if self._bytes_left < 0:
            raise AnswerTooLarge("more bytes came than any framing of an answer needs")

    def _remaining(self) -> float:
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise DeadlinePassed(
                f"the whole call may take {self._limits.total_timeout:g} s, and they are over"
            )
        return remaining

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        # Whatever went wrong: no list of exceptions is complete, and one that is missing would leave a sent
        # payment without a verdict. What asks the process to stop is no Exception and goes on its way.
        if not isinstance(error, Exception):
            return False
        self.verdict = verdict(error, sent=self.sent, doing=self.doing)
        return True
