"""Unit mix-ups: always stop the affected payment, and stop all sending where no browser can have made them.

A customer who has the browser's key can create an odd record under the reference of an order, and of as many
orders as they care to make. So the record of a checkout or an authorization stops its own payment only; the
second one within the hour is an alarm. No browser knows the reference of a capture, refund, reversal or
detached refund, and nobody else writes the answer to our own request: a mix-up there shows that the gateway
itself misreads our amounts.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db.models import QuerySet

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import Explanation
from wallet_gateway.domain.lifecycle import OPENING_KINDS
from wallet_gateway.domain.polling_schedule import MIX_UP_PAUSE, MIX_UP_WINDOW
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, PauseCode
from wallet_gateway.models.explanations import explanation_columns, explanation_text
from wallet_gateway.operations.settlement.pause_signals import announce_pause, announce_resumption
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")


def pause_after_mix_up(
    transaction: GatewayTransaction, why: Explanation | None, *, in_own_answer: bool, now: datetime
) -> Explanation | None:
    """Stop sending for 15 minutes after a new mix-up that no browser can have made.

    Returns the reason, for `warn_of_mix_up` after the commit; None if nothing was stopped. A longer pause
    is kept.
    """
    if not in_own_answer and transaction.kind in OPENING_KINDS:
        return None
    until = now + MIX_UP_PAUSE
    code = PauseCode.UNIT_MIX_UP
    GatewayPause.pause_sending(transaction.gateway, now=now, until=until, code=code, explanation=why)
    return why


def is_further_mix_up(transaction: GatewayTransaction, now: datetime) -> bool:
    """Return whether another payment of the gateway had a mix-up within the last hour."""
    recent = _open_mix_ups(transaction.gateway).filter(found_at__gt=now - MIX_UP_WINDOW)
    return recent.exclude(transaction=transaction).exists()


def warn_of_mix_up(gateway: str, why: Explanation, *, now: datetime) -> None:
    """Log an error about a pause that was set, and send the signal."""
    minutes = int(MIX_UP_PAUSE.total_seconds() // 60)
    logger.error("sending to %s is stopped for %d minutes: unit mix-up: %s", gateway, minutes, one_line(why))
    announce_pause(
        gateway, until=now + MIX_UP_PAUSE, code=PauseCode.UNIT_MIX_UP, reason=explanation_text(why)
    )


def resume_after_mix_up(gateway: str, *, by: str, now: datetime) -> None:
    """Resume sending once a person has closed the last unit mix-up of a gateway.

    Nobody is told if the pause has ended already, or if a person's stop goes on.
    """
    if _open_mix_ups(gateway).exists():
        return
    paused = GatewayPause.objects.filter(gateway=gateway, pause_code=PauseCode.UNIT_MIX_UP)
    ends_now = paused.filter(~GatewayPause.stopped_by_person(now), sending_until__gt=now).exists()
    if paused.update(sending_until=None, pause_code="", **explanation_columns(None)) and ends_now:
        announce_resumption(gateway, by=by)


def _open_mix_ups(gateway: str) -> QuerySet[Discrepancy]:
    return Discrepancy.objects.filter(
        gateway=gateway, kind=DiscrepancyKind.UNIT_MIX_UP, closed_at__isnull=True
    )
