"""When new requests pause: at the gateway's word, and when too many outcomes are unknown. Questions go on."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from django.db.models import Q

from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.polling_schedule import LONGEST_PAUSE, PAUSE, PAUSE_AT_UNKNOWNS, PAUSE_WINDOW
from wallet_gateway.models import GatewayPause, GatewayTransaction
from wallet_gateway.operations.context import GatewayContext

_PAUSE_IS_READ_EVERY = 1.0


def stop_sending(gateway: str, *, until: datetime, reason: str) -> None:
    """Let nothing new be sent to a gateway before an instant; an earlier, longer pause stays."""
    shorter = Q(sending_until__isnull=True) | Q(sending_until__lt=until)
    GatewayPause.row_of(gateway).filter(shorter).update(sending_until=until, reason=reason[:500])


def pause_sending(context: GatewayContext, *, seconds: float, reason: str) -> None:
    """Send nothing new for so many seconds, at most fifteen minutes."""
    until = context.clock.now() + min(timedelta(seconds=seconds), LONGEST_PAUSE)
    stop_sending(context.alias, until=until, reason=reason)
    context.pause.forget()


def sending_is_paused(context: GatewayContext, now: datetime) -> bool:
    """Say whether new requests wait. Read at most once a second: a pause need not be exact to the request."""
    memory, ticks = context.pause, time.monotonic()
    if memory.read_at is None or ticks - memory.read_at > _PAUSE_IS_READ_EVERY:
        rows = GatewayPause.objects.filter(gateway=context.alias).values_list("sending_until", flat=True)
        memory.until, memory.read_at = rows.first(), ticks
    return memory.until is not None and memory.until > now


def pause_queries(context: GatewayContext, *, seconds: float) -> None:
    """Ask no status queries for so many seconds, at most fifteen minutes; a longer pause stays."""
    until = context.clock.now() + min(timedelta(seconds=seconds), LONGEST_PAUSE)
    shorter = Q(queries_until__isnull=True) | Q(queries_until__lt=until)
    GatewayPause.row_of(context.alias).filter(shorter).update(queries_until=until)


def count_unknown(context: GatewayContext) -> None:
    """Pause new sends when too many outcomes became unknown within a short time.

    A refusal is not counted, though it stays unknown until a status query has confirmed it: the gateway
    did answer.
    """
    now = context.clock.now()
    unknown = GatewayTransaction.objects.filter(
        gateway=context.alias,
        state=TransactionState.UNKNOWN,
        state_since__gt=now - PAUSE_WINDOW,
        error_code="",
    )
    if unknown.count() > PAUSE_AT_UNKNOWNS:
        stop_sending(context.alias, until=now + PAUSE, reason="too many unknown outcomes in a short time")
        context.pause.forget()
