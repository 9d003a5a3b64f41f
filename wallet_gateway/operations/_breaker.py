"""When new requests pause: at the gateway's word, and when too many outcomes are unknown. Questions go on."""

from __future__ import annotations

from datetime import timedelta

from wallet_gateway.domain.lifecycle import IntentState
from wallet_gateway.domain.recovery import LONGEST_PAUSE, PAUSE, PAUSE_AT_UNKNOWNS, PAUSE_WINDOW
from wallet_gateway.models import GatewayPause, GatewayTransaction
from wallet_gateway.operations._discrepancies import stop_sending
from wallet_gateway.operations.context import GatewayContext


def pause_sending(context: GatewayContext, *, seconds: float, reason: str) -> None:
    """Send nothing new for so many seconds, at most fifteen minutes."""
    until = context.clock.now() + min(timedelta(seconds=seconds), LONGEST_PAUSE)
    stop_sending(context.alias, until=until, reason=reason)


def pause_queries(context: GatewayContext, *, seconds: float) -> None:
    """Ask no status queries for so many seconds, at most fifteen minutes; a longer pause stays."""
    until = context.clock.now() + min(timedelta(seconds=seconds), LONGEST_PAUSE)
    pause, _ = GatewayPause.objects.get_or_create(gateway=context.alias)
    if pause.queries_until is None or pause.queries_until < until:
        GatewayPause.objects.filter(pk=pause.pk).update(queries_until=until)


def count_unknown(context: GatewayContext) -> None:
    """Pause new sends when too many outcomes became unknown within a short time."""
    now = context.clock.now()
    unknown = GatewayTransaction.objects.filter(
        gateway=context.alias, state=IntentState.UNKNOWN, state_since__gt=now - PAUSE_WINDOW
    )
    if unknown.count() > PAUSE_AT_UNKNOWNS:
        stop_sending(context.alias, until=now + PAUSE, reason="too many unknown outcomes in a short time")
