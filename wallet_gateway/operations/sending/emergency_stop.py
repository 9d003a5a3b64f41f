"""The emergency stop: a person lets nothing new be sent to a gateway, and later lets it be sent again.

Questions go on all the while: what has left already is still found out. The switch `SENDING` in the settings
does the same for a deployment; this one needs no deployment and names its author.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db.models import Q

from wallet_gateway.domain.stops import StopVerb, StopWords
from wallet_gateway.models import GatewayPause
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.operations.inputs import check_storable
from wallet_gateway.operations.settlement.row_errors import one_line

logger = logging.getLogger("wallet_gateway.operations")

_UNTIL_A_PERSON_LIFTS_IT = timedelta(days=36500)
"""Longer than any pause that the machine makes, so that none of those takes its place."""
_STANDS = Q(sending_until__isnull=False, reason__startswith=StopVerb.STOPPED)


class UnableToStop(OperationRefused):
    """Sending cannot be stopped or resumed like this; nothing was changed."""


def stop_sending(*, context: GatewayContext, author: str, reason: str) -> GatewayPause:
    """Let nothing new be sent to a gateway until a person resumes it; a stop that stands is left as it is.

    Raises `UnableToStop` without an author or a reason.
    """
    words = _words(StopVerb.STOPPED, author, reason)
    until = context.clock.now() + _UNTIL_A_PERSON_LIFTS_IT
    running = GatewayPause.row_of(context.alias).filter(~_STANDS)
    if running.update(sending_until=until, reason=words):
        logger.warning("sending to %s was %s", context.alias, one_line(words))
    context.pause.forget()
    return GatewayPause.objects.get(gateway=context.alias)


def resume_sending(*, context: GatewayContext, author: str, reason: str) -> GatewayPause:
    """Let requests leave again after a person's stop. Raises `UnableToStop` when no person stopped it."""
    words = _words(StopVerb.RESUMED, author, reason)
    stopped = GatewayPause.objects.filter(_STANDS, gateway=context.alias)
    if not stopped.update(sending_until=None, reason=words):
        raise UnableToStop(f"no person has stopped sending to {context.alias}")
    context.pause.forget()
    logger.warning("sending to %s was %s", context.alias, one_line(words))
    return GatewayPause.objects.get(gateway=context.alias)


def _words(verb: StopVerb, author: str, reason: str) -> str:
    check_storable(author=author, reason=reason)
    if not author.strip() or not reason.strip():
        raise UnableToStop("it needs a reason and the name of whoever decides it")
    return str(StopWords(verb=verb, author=author.strip(), reason=reason.strip()))
