"""Which gateways nothing new is sent to at present, until when, and who or what decided so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wallet_gateway.models import GatewayPause, PauseCode


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingPause:
    """One gateway that nothing new is sent to."""

    gateway: str
    until: datetime | None
    """None where only a person ends it."""
    by: str
    """Who stopped it; empty where the machine did."""
    reason: str
    """The person's words; or what made the machine pause, in the reader's language."""
    code: PauseCode | None
    """None where a person stopped it."""


def sending_pauses(now: datetime) -> tuple[SendingPause, ...]:
    """Return the pauses that hold at an instant, by gateway. One statement."""
    return tuple(map(_pause, GatewayPause.that_hold(now).order_by("gateway")))


def _pause(row: GatewayPause) -> SendingPause:
    if row.stopped_at is not None:
        return SendingPause(
            gateway=row.gateway, until=None, by=row.stopped_by, reason=row.stop_reason, code=None
        )
    code = PauseCode(row.pause_code) if row.pause_code else None
    reason = ": ".join(filter(None, (str(code.label) if code else "", row.pause_detail)))
    return SendingPause(gateway=row.gateway, until=row.sending_until, by="", reason=reason, code=code)
