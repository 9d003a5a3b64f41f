"""Pause new requests on the gateway's `Retry-After` and on too many unknown outcomes; queries continue."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

from wallet_gateway.client.errors import OutcomeUnknown
from wallet_gateway.domain.error_codes import SENDING_PAUSED
from wallet_gateway.domain.explanations import Explanation
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.polling_schedule import PAUSE, PAUSE_AT_UNKNOWNS, PAUSE_WINDOW, pause_end
from wallet_gateway.ledger.outbox import announce_pause
from wallet_gateway.models import GatewayPause, GatewayTransaction, PauseCode
from wallet_gateway.models.explanations import explanation_text
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import SendingStopped
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")

_PAUSE_IS_READ_EVERY = 1.0
_WITHOUT_END = datetime.max.replace(tzinfo=UTC)


@contextlib.contextmanager
def pausing(context: GatewayContext, error: OutcomeUnknown, why: Explanation) -> Iterator[None]:
    """Pause new requests before the block if the gateway requests it with a lost answer.

    The shop's receivers hear of it after the block, in which the outcome is recorded: they may be slow.
    """
    tell = _nobody
    if error.retry_after is not None:
        tell = pause_sending(context, seconds=error.retry_after, explanation=why)
    try:
        yield
    finally:
        tell()


def _nobody() -> None:
    """Tell nobody."""


def pause_sending(context: GatewayContext, *, seconds: float, explanation: Explanation) -> Callable[[], None]:
    """Pause new requests for the seconds that the gateway requests, at most 15 minutes.

    Return what tells the shop's receivers.
    """
    until = pause_end(context.clock.now(), seconds)
    return _pause(context, until, PauseCode.RETRY_AFTER, explanation)


def _pause(
    context: GatewayContext, until: datetime, code: PauseCode, explanation: Explanation | None
) -> Callable[[], None]:
    begins = GatewayPause.pause_sending(
        context.alias, now=context.clock.now(), until=until, code=code, explanation=explanation
    )
    context.pause.forget()
    if not begins:
        return _nobody
    reason = explanation_text(explanation)
    logger.warning("sending to %s is paused until %s: %s %s", context.alias, until, code, one_line(reason))
    return partial(announce_pause, context.alias, until=until, code=code, reason=reason)


def sending_is_paused(context: GatewayContext, now: datetime) -> bool:
    """Return whether new requests are paused.

    The pause is read at most once a second: it need not be exact to a single request.
    """
    memory, ticks = context.pause, time.monotonic()
    # Not below zero: a test may have frozen the clock when it was read.
    if memory.read_at is None or not 0 <= ticks - memory.read_at <= _PAUSE_IS_READ_EVERY:
        row = GatewayPause.that_hold(now).filter(gateway=context.alias).first()
        memory.until, memory.read_at = _end_of(row, now) if row is not None else None, ticks
    return memory.until is not None and memory.until > now


def _end_of(row: GatewayPause, now: datetime) -> datetime:
    ends = [row.sending_until] if row.sending_until else []
    if row.is_stopped_by_person(now):
        ends.append(row.stopped_until or _WITHOUT_END)
    return max(ends)


def check_sending_not_paused(context: GatewayContext) -> None:
    """Raise `SendingStopped` while sending is paused.

    Call this before a database transaction that has to start with a lock: with repeatable reads, the first
    read fixes the snapshot of all later reads, including those under the lock.
    """
    if sending_is_paused(context, context.clock.now()):
        raise SendingStopped(*SENDING_PAUSED)


def count_unknown(context: GatewayContext) -> None:
    """Pause new requests if too many outcomes became unknown within a short time.

    A refusal is not counted, though it stays unknown until a status query has confirmed it: the gateway
    did answer.
    """
    now = context.clock.now()
    unknown = GatewayTransaction.objects.filter(
        gateway=context.alias,
        state=TransactionState.UNKNOWN,
        state_changed_at__gt=now - PAUSE_WINDOW,
        error_code="",
    )
    if unknown.count() > PAUSE_AT_UNKNOWNS:
        _pause(context, now + PAUSE, PauseCode.UNKNOWN_OUTCOMES, None)()
