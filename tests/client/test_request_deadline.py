"""One request's clock and marker, and that an exception inside becomes an error with nothing attached."""

from __future__ import annotations

import time

import pytest

from wallet_gateway.client.errors import GatewayError, NotSent, OutcomeUnknown, UnknownReason
from wallet_gateway.client.exception_map import LibraryError
from wallet_gateway.client.request_deadline import Limits, RequestDeadline, steady_seconds


def limits(*, connect: float = 3.0, read: float = 20.0, total: float = 30.0, size: int = 1_000) -> Limits:
    return Limits(connect_timeout=connect, read_timeout=read, total_timeout=total, max_answer_bytes=size)


def deadline_of(given: Limits | None = None, *, not_after: float | None = None) -> RequestDeadline:
    return RequestDeadline(limits=given or limits(), not_after=not_after)


def failed(error: BaseException, *, sent: bool) -> GatewayError:
    deadline = deadline_of()
    with deadline:
        if sent:
            deadline.mark_sent()
        raise error
    return deadline.error


def test_no_wait_reaches_beyond_the_deadline() -> None:
    deadline = deadline_of(limits(total=2.0))
    assert 1.5 < deadline.connect_timeout() <= 2.0
    assert 1.5 < deadline.socket_timeout() <= 2.0


def test_the_marker_is_set_once_the_first_byte_may_leave() -> None:
    deadline = deadline_of()
    assert not deadline.sent
    deadline.mark_sent()
    assert deadline.sent


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="the name that Linux has for it")
def test_the_time_that_the_machine_was_suspended_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before, suspended, counted = steady_seconds(), {time.CLOCK_BOOTTIME: 3600.0}, time.clock_gettime
    monkeypatch.setattr(time, "clock_gettime", lambda clock: counted(clock) + suspended.get(clock, 0.0))
    assert steady_seconds() >= before + 3600


def test_a_claim_that_ends_while_sending_does_not_stop_the_rest() -> None:
    deadline = deadline_of(not_after=steady_seconds() + 0.02)
    deadline.mark_sent()
    time.sleep(0.03)
    deadline.mark_sent()
    assert deadline.sent


@pytest.mark.parametrize("error", [TimeoutError("hunter2"), KeyError("hunter2")], ids=["network", "bug"])
@pytest.mark.parametrize(
    ("sent", "kind"), [(False, NotSent), (True, OutcomeUnknown)], ids=["before", "after"]
)
def test_the_marker_decides_and_of_the_failure_only_text_is_attached(
    error: Exception, sent: bool, kind: type[GatewayError]
) -> None:
    failure = failed(error, sent=sent)
    assert type(failure) is kind
    assert isinstance(failure.__cause__, LibraryError)
    assert failure.__cause__.__traceback__ is None
    assert failure.__context__ is None
    assert "hunter2" not in str(failure) + repr(failure.__cause__)


def test_an_error_after_sending_has_a_reason_of_its_own_kind() -> None:
    failure = failed(TimeoutError(), sent=True)
    assert isinstance(failure, OutcomeUnknown)
    assert failure.reason is UnknownReason.TIMEOUT
