"""Which gateways nothing new is sent to at present, until when, and who or what decided so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wallet_gateway.domain.stops import StopVerb, read_stop
from wallet_gateway.models import GatewayPause


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingPause:
    """One gateway that nothing new is sent to."""

    gateway: str
    until: datetime | None
    """None where only a person ends it."""
    author: str
    """Who stopped it; empty where the machine did."""
    reason: str


def sending_pauses(now: datetime) -> tuple[SendingPause, ...]:
    """Return the pauses that hold at an instant, by gateway. One statement."""
    rows = GatewayPause.objects.filter(sending_until__gt=now).order_by("gateway")
    return tuple(map(_pause, rows))


def _pause(row: GatewayPause) -> SendingPause:
    words = read_stop(row.reason)
    if words is None or words.verb is not StopVerb.STOPPED:
        return SendingPause(gateway=row.gateway, until=row.sending_until, author="", reason=row.reason)
    return SendingPause(gateway=row.gateway, until=None, author=words.author, reason=words.reason)
