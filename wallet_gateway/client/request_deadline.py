"""The deadline of one request, its write marker, and the error it becomes when it fails. No sockets."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self

from wallet_gateway.client.exception_map import AnswerTooLarge, ClaimExpired, DeadlinePassed, map_exception

if TYPE_CHECKING:
    from types import TracebackType

    from wallet_gateway.client.errors import NotSent, OutcomeUnknown

# Status line, headers and chunk sizes of an answer, on top of twice the size of its body.
_FRAMING_ALLOWANCE = 65_536
# Windows has none of them; its `time.monotonic` is such a clock by itself.
_CLOCK: int | None = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))


def steady_seconds() -> float:
    """Return the time of a clock that nobody sets, and that goes on while the machine is suspended.

    On Linux and macOS `time.monotonic` stops meanwhile: a worker that wakes up would send on an old claim.
    """
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long and how large: seconds and bytes, all above zero but `keepalive_idle` (ValueError)."""

    connect_timeout: float
    """For TCP, with each address of the name, and again for TLS. The resolver has limits of its own."""
    read_timeout: float
    """For each wait on the gateway, to read or to write."""
    total_timeout: float
    """From the call to the last byte of the answer."""
    keepalive_idle: float = 5.0
    """How long a connection may have idled that is used again; none is with zero."""
    max_answer_bytes: int

    def __post_init__(self) -> None:
        for limit in fields(self):
            if getattr(self, limit.name) <= 0 and limit.name != "keepalive_idle":
                raise ValueError(f"{limit.name} is {getattr(self, limit.name)}; it must be above zero")


class RequestDeadline:
    """The clock and the write marker of one request; as a context it maps every exception raised inside.

    Usage::

        with deadline:
            return exchange(deadline)
        raise deadline.error
    """

    __slots__ = ("_bytes_left", "_deadline", "_limits", "_not_after", "doing", "error", "sent", "started")

    error: NotSent | OutcomeUnknown
    """What is known after the exception inside; not set without one."""

    def __init__(self, *, limits: Limits, not_after: float | None) -> None:
        self.started = time.monotonic()
        self.sent = False
        """The write marker: whether a byte of the request may have reached the gateway."""
        self.doing = "signing"
        """The step that is under way, for the error's text."""
        self._limits = limits
        self._not_after = not_after
        self._deadline = self.started + limits.total_timeout
        self._bytes_left = 2 * limits.max_answer_bytes + _FRAMING_ALLOWANCE

    @property
    def elapsed(self) -> float:
        """Seconds since the call."""
        return time.monotonic() - self.started

    @property
    def max_answer_bytes(self) -> int:
        """Size limit of an answer's body, packed and unpacked."""
        return self._limits.max_answer_bytes

    @property
    def keepalive_idle(self) -> float:
        """Seconds after which an idle connection is not used again."""
        return self._limits.keepalive_idle

    def connect_timeout(self) -> float:
        """Return the seconds to wait for the connection; raises DeadlinePassed."""
        return min(self._limits.connect_timeout, self.remaining())

    def socket_timeout(self) -> float:
        """Return the seconds to wait until the next bytes come or go; raises DeadlinePassed."""
        return min(self._limits.read_timeout, self.remaining())

    def mark_sent(self) -> None:
        """Set the write marker; raises ClaimExpired instead when the right to send has run out."""
        if not self.sent:
            if self._not_after is not None and steady_seconds() > self._not_after:
                raise ClaimExpired("the right to send ran out before the connection was ready")
            self.sent = True

    def count_received(self, received: int) -> None:
        """Count bytes off the wire, so that no framing fills the memory; raises AnswerTooLarge."""
        self._bytes_left -= received
        if self._bytes_left < 0:
            raise AnswerTooLarge("more bytes came than any framing of an answer needs")

    def remaining(self) -> float:
        """Return the seconds left for the whole call; raises DeadlinePassed."""
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
        # Every exception: no list of them is complete, and one that is missing would leave a sent payment
        # without an outcome. What asks the process to stop is no Exception and passes through.
        if not isinstance(error, Exception):
            return False
        self.error = map_exception(error, sent=self.sent, doing=self.doing)
        return True
