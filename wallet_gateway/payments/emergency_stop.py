"""The emergency stop: a person stops all new requests to a gateway, for a time or until a person resumes.

Status queries continue, so the outcome of requests already sent is still found. The setting
`SENDING_ENABLED` does the same for a deployment; this stop needs no deployment and records the person.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from wallet_gateway import conf, gateways
from wallet_gateway.domain.people import By
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.outbox import announce_pause, announce_resumption
from wallet_gateway.models import GatewayPause
from wallet_gateway.models.fields import actor_columns, note_of
from wallet_gateway.operation_errors import InvalidInput, InvalidState
from wallet_gateway.payments.inputs import check_decision
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")

LONGEST_STOP = timedelta(days=366)
"""What ends later has no end, or is a slip. The last day of the calendar exists in some time zones only."""


@sensitive_variables()
def stop_sending(gateway: str, *, by: By, reason: str, until: datetime | None = None) -> GatewayPause:
    """Stop all new requests to a gateway; status queries continue.

    A stop that lasts at least as long stays as it is.

    :param gateway: its alias in the settings: `"default"`.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :param reason: why, not empty: `"the provider has an outage"`.
    :param until: an aware datetime within a year; None until a person calls `resume_sending`.
    :returns: the row of the stop.
    :raises InvalidInput: `argument_invalid`.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
    """
    _check_known(gateway)
    now = gateways.clock().now()
    actor = check_decision(by=by, reason=reason)
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
    stopped = GatewayPause.row_of(gateway).filter(Q(stopped_at__isnull=True) | ends_earlier)
    begins = bool(stopped.update(**columns))
    pause = GatewayPause.objects.get(gateway=gateway)
    if begins:
        end = f" until {pause.stopped_until.isoformat()}" if pause.stopped_until else ""
        who, why = one_line(pause.stopped_by), one_line(pause.stop_reason)
        text = "sending to %s was stopped by %s%s: %s"
        logger.warning(text, gateway, who, end, why, extra={"gateway": gateway})
        announce_pause(
            gateway, until=pause.stopped_until, code=None, reason=pause.stop_reason, by=pause.stopped_by
        )
    return pause


@sensitive_variables()
def resume_sending(gateway: str, *, by: By, reason: str) -> GatewayPause:
    """Allow new requests again after `stop_sending`.

    :param gateway: its alias in the settings: `"default"`.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :param reason: why, not empty.
    :returns: the row of the stop that has ended.
    :raises InvalidState: `wrong_state`.
    :raises InvalidInput: `argument_invalid`.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
    """
    _check_known(gateway)
    now = gateways.clock().now()
    actor = check_decision(by=by, reason=reason)
    stopped = GatewayPause.objects.filter(GatewayPause.stopped_by_person(now), gateway=gateway)
    resumed = {
        "resumed_at": now,
        "resume_reason": note_of(GatewayPause, "resume_reason", reason.strip()),
        **actor_columns(GatewayPause, "resumed_by", actor),
    }
    if not stopped.update(stopped_at=None, stopped_until=None, **resumed):
        raise InvalidState(_("No person has stopped sending to %(gateway)s."), gateway=gateway)
    pause = GatewayPause.objects.get(gateway=gateway)
    who, why = one_line(pause.resumed_by), one_line(pause.resume_reason)
    logger.warning("sending to %s was resumed by %s: %s", gateway, who, why, extra={"gateway": gateway})
    announce_resumption(gateway, by=pause.resumed_by, reason=pause.resume_reason)
    return pause


def _check_known(gateway: str) -> None:
    """Raise `ImproperlyConfigured` for a gateway that is not in the settings; one with a wrong account is."""
    if gateway not in conf.wrong_accounts():
        context_of(gateway)
