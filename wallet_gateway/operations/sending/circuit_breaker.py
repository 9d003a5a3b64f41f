"""When new requests pause: at the gateway's word, and when too many outcomes are unknown. Questions go on."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from django.db.models import Q

from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.polling_schedule import LONGEST_PAUSE, PAUSE, PAUSE_AT_UNKNOWNS, PAUSE_WINDOW
from wallet_gateway.models import GatewayPause, GatewayTransaction, PauseCode
from wallet_gateway.operations.context import GatewayContext

_PAUSE_IS_READ_EVERY = 1.0
_WITHOUT_END = datetime.max.replace(tzinfo=UTC)


def pause_until(gateway: str, *, until: datetime, code: PauseCode, detail: str = "") -> None:
    """Let nothing new be sent to a gateway before an instant; a longer pause that holds stays."""
    shorter = Q(sending_until__isnull=True) | Q(sending_until__lt=until)
    columns = {"sending_until": until, "pause_code": code, "pause_detail": detail[:500]}
    GatewayPause.row_of(gateway).filter(shorter).update(**columns)


def pause_sending(context: GatewayContext, *, seconds: float, detail: str) -> None:
    """Send nothing new for as many seconds as the gateway asks for, at most fifteen minutes."""
    until = context.clock.now() + min(timedelta(seconds=seconds), LONGEST_PAUSE)
    pause_until(context.alias, until=until, code=PauseCode.RETRY_AFTER, detail=detail)
    context.pause.forget()


def sending_is_paused(context: GatewayContext, now: datetime) -> bool:
    """Say whether new requests wait. Read at most once a second: a pause need not be exact to the request."""
    memory, ticks = context.pause, time.monotonic()
    if memory.read_at is None or ticks - memory.read_at > _PAUSE_IS_READ_EVERY:
        rows = GatewayPause.objects.filter(gateway=context.alias).values_list("sending_until", "stopped_at")
        until, stopped_at = rows.first() or (None, None)
        memory.until, memory.read_at = (until if stopped_at is None else _WITHOUT_END), ticks
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
        state_changed_at__gt=now - PAUSE_WINDOW,
        error_code="",
    )
    if unknown.count() > PAUSE_AT_UNKNOWNS:
        pause_until(context.alias, until=now + PAUSE, code=PauseCode.UNKNOWN_OUTCOMES)
        context.pause.forget()
