"""The emergency stop: a person stops all new requests to a gateway, and later resumes them.

Status queries continue, so the outcome of requests already sent is still found. The setting
`SENDING_ENABLED` does the same for a deployment; this stop needs no deployment and records the person.
"""

from __future__ import annotations

import logging

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayPause
from wallet_gateway.models.fields import cut_to, note_of
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.inputs import check_decision
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")


def stop_sending(*, context: GatewayContext, by: str, reason: str) -> GatewayPause:
    """Stop new requests to a gateway until a person resumes them; an existing stop is left unchanged.

    Raises `InvalidInput` without an author or a reason.
    """
    by, reason = _checked(by, reason)
    columns = {"stopped_at": context.clock.now(), "stopped_by": by, "stop_reason": reason}
    if GatewayPause.row_of(context.alias).filter(stopped_at__isnull=True).update(**columns):
        logger.warning("sending to %s was stopped by %s: %s", context.alias, one_line(by), one_line(reason))
    context.pause.forget()
    return GatewayPause.objects.get(gateway=context.alias)


def resume_sending(*, context: GatewayContext, by: str, reason: str) -> GatewayPause:
    """Resume sending after a person's stop. Raises `InvalidState` if no person has stopped it."""
    by, reason = _checked(by, reason)
    stopped = GatewayPause.objects.filter(gateway=context.alias, stopped_at__isnull=False)
    resumed = {"resumed_at": context.clock.now(), "resumed_by": by, "resume_reason": reason}
    if not stopped.update(stopped_at=None, **resumed):
        raise InvalidState(ErrorCode.SENDING_NOT_STOPPED, gateway=context.alias)
    context.pause.forget()
    logger.warning("sending to %s was resumed by %s: %s", context.alias, one_line(by), one_line(reason))
    return GatewayPause.objects.get(gateway=context.alias)


def _checked(by: str, reason: str) -> tuple[str, str]:
    """Return the texts as the columns can store them; those of a stop and of its end are equally long."""
    check_decision(by=by, reason=reason)
    return (
        cut_to(GatewayPause, "stopped_by", by.strip()),
        note_of(GatewayPause, "stop_reason", reason.strip()),
    )
