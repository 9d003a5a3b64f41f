"""The gateways to which nothing new is sent at present, until when, and who or what decided this."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wallet_gateway.models import GatewayPause, PauseCode


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingPause:
    """One gateway to which nothing new is sent."""

    gateway: str
    """Its alias in the settings."""
    until: datetime | None
    """When the pause ends by itself; None if only a person can end it."""
    by: str
    """Who stopped sending; empty if it was automatic."""
    reason: str
    """The person's reason, or the reason for the automatic pause in the reader's language."""
    code: PauseCode | None
    """None if a person stopped sending."""


def sending_pauses(now: datetime) -> tuple[SendingPause, ...]:
    """Return the pauses in effect at a given time, by gateway. One SQL statement."""
    return tuple(_pause(row, now) for row in GatewayPause.that_hold(now).order_by("gateway"))


def _pause(row: GatewayPause, now: datetime) -> SendingPause:
    if row.is_stopped_by_person(now):
        return SendingPause(
            gateway=row.gateway,
            until=row.stopped_until,
            by=row.stopped_by,
            reason=row.stop_reason,
            code=None,
        )
    code = PauseCode(row.pause_code) if row.pause_code else None
    reason = ": ".join(filter(None, (str(code.label) if code else "", row.explanation)))
    return SendingPause(gateway=row.gateway, until=row.sending_until, by="", reason=reason, code=code)
