"""The emergency stop: a person stops all new requests to a gateway, for a time or until a person resumes.

Status queries continue, so the outcome of requests already sent is still found. The setting
`SENDING_ENABLED` does the same for a deployment; this stop needs no deployment and records the person.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.actors import By
from wallet_gateway.ledger.outbox import announce_pause, announce_resumption
from wallet_gateway.models import GatewayPause
from wallet_gateway.models.actors import actor_columns
from wallet_gateway.models.fields import note_of
from wallet_gateway.operations.context import Clock, PauseMemory
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.operations.inputs import check_decision
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")

LONGEST_STOP = timedelta(days=366)
"""What ends later has no end, or is a slip. The last day of the calendar exists in some time zones only."""


class Stoppable(Protocol):
    """What a stop needs to know of a gateway; a `GatewayContext` has it."""

    @property
    def alias(self) -> str:
        """The alias."""
        ...

    @property
    def clock(self) -> Clock:
        """The clock of the database."""
        ...

    @property
    def pause(self) -> PauseMemory:
        """What this process remembers of pauses."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusableGateway:
    """A gateway whose account is wrong: nothing can be sent to it now, and it can be stopped."""

    alias: str
    clock: Clock
    pause: PauseMemory = field(default_factory=PauseMemory)


def stop_sending(*, context: Stoppable, by: By, reason: str, until: datetime | None = None) -> GatewayPause:
    """Stop new requests to a gateway until an instant, or until a person resumes them.

    A stop that lasts at least as long is left unchanged. Raises `InvalidInput` without an author or a reason,
    and for an end that is not in the future or more than `LONGEST_STOP` away.
    """
    actor, now = check_decision(by=by, reason=reason), context.clock.now()
    if until is not None and not (timezone.is_aware(until) and now < until <= now + LONGEST_STOP):
        raise InvalidInput(
            _(
                "The end of a stop must lie in the future, within a year, and have a time zone. "
                "Leave it out if the stop has no end."
            ),
        )
    columns = {
        "stopped_at": now,
        "stopped_until": until,
        "stop_reason": note_of(GatewayPause, "stop_reason", reason.strip()),
        **actor_columns(GatewayPause, "stopped_by", actor),
    }
    ends_earlier = Q(stopped_until__isnull=False) if until is None else Q(stopped_until__lt=until)
    stopped = GatewayPause.row_of(context.alias).filter(Q(stopped_at__isnull=True) | ends_earlier)
    begins = bool(stopped.update(**columns))
    context.pause.forget()
    pause = GatewayPause.objects.get(gateway=context.alias)
    if begins:
        _tell_stopped(pause)
    return pause


def _tell_stopped(pause: GatewayPause) -> None:
    end = f" until {pause.stopped_until.isoformat()}" if pause.stopped_until else ""
    who, why = one_line(pause.stopped_by), one_line(pause.stop_reason)
    logger.warning("sending to %s was stopped by %s%s: %s", pause.gateway, who, end, why)
    announce_pause(
        pause.gateway, until=pause.stopped_until, code=None, reason=pause.stop_reason, by=pause.stopped_by
    )


def resume_sending(*, context: Stoppable, by: By, reason: str) -> GatewayPause:
    """Resume sending after a person's stop. Raises `InvalidState` if no person's stop holds."""
    actor, now = check_decision(by=by, reason=reason), context.clock.now()
    stopped = GatewayPause.objects.filter(GatewayPause.stopped_by_person(now), gateway=context.alias)
    resumed = {
        "resumed_at": now,
        "resume_reason": note_of(GatewayPause, "resume_reason", reason.strip()),
        **actor_columns(GatewayPause, "resumed_by", actor),
    }
    if not stopped.update(stopped_at=None, stopped_until=None, **resumed):
        raise InvalidState(_("No person has stopped sending to %(gateway)s."), gateway=context.alias)
    context.pause.forget()
    pause = GatewayPause.objects.get(gateway=context.alias)
    who, why = one_line(pause.resumed_by), one_line(pause.resume_reason)
    logger.warning("sending to %s was resumed by %s: %s", context.alias, who, why)
    announce_resumption(context.alias, by=pause.resumed_by, reason=pause.resume_reason)
    return pause
