"""The gateways to which nothing new is sent at present, until when, and who or what decided this."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wallet_gateway.models import GatewayPause, PauseCode


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingPause:
    """One gateway to which nothing new is sent."""

    gateway: str
    until: datetime | None
    """None if only a person can end the pause."""
    by: str
    """Who stopped sending; empty if it was automatic."""
    reason: str
    """The person's reason, or the reason for the automatic pause in the reader's language."""
    code: PauseCode | None
    """None if a person stopped sending."""


def sending_pauses(now: datetime) -> tuple[SendingPause, ...]:
    """Return the pauses in effect at a given time, by gateway. One SQL statement."""
    return tuple(map(_pause, GatewayPause.that_hold(now).order_by("gateway")))


def _pause(row: GatewayPause) -> SendingPause:
    if row.stopped_at is not None:
        return SendingPause(
            gateway=row.gateway, until=None, by=row.stopped_by, reason=row.stop_reason, code=None
        )
    code = PauseCode(row.pause_code) if row.pause_code else None
    reason = ": ".join(filter(None, (str(code.label) if code else "", row.explanation)))
    return SendingPause(gateway=row.gateway, until=row.sending_until, by="", reason=reason, code=code)
