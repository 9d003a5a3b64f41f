"""Unit mix-ups: always stop the affected payment, and stop all sending if it is more than one odd record.

A customer who has the browser's key can create an odd record under an order's reference. So a record in a
status query stops only its own payment. A mix-up in the answer to our own request, or a second one on another
order within the hour, shows that the gateway itself misreads our amounts.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db.models import QuerySet

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import Explanation
from wallet_gateway.domain.polling_schedule import MIX_UP_PAUSE, MIX_UP_WINDOW
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, PauseCode
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")


def pause_after_mix_up(
    transaction: GatewayTransaction, why: Explanation | None, *, in_own_answer: bool, now: datetime
) -> Explanation | None:
    """Stop sending for 15 minutes if a new mix-up is more than one odd record.

    Returns the reason, for `warn_of_mix_up` after the commit; None if nothing was stopped. A longer pause
    is kept.
    """
    if not (in_own_answer or _is_seen_on_another_order(transaction, now)):
        return None
    until = now + MIX_UP_PAUSE
    code = PauseCode.UNIT_MIX_UP
    GatewayPause.pause_sending(transaction.gateway, until=until, code=code, explanation=why)
    return why


def warn_of_mix_up(gateway: str, why: Explanation) -> None:
    """Log an error about a pause that was set."""
    minutes = int(MIX_UP_PAUSE.total_seconds() // 60)
    logger.error("sending to %s is stopped for %d minutes: unit mix-up: %s", gateway, minutes, one_line(why))


def resume_after_mix_up(gateway: str) -> None:
    """Resume sending once a person has closed the last unit mix-up of a gateway."""
    if not _open_mix_ups(gateway).exists():
        paused = GatewayPause.objects.filter(gateway=gateway, pause_code=PauseCode.UNIT_MIX_UP)
        paused.update(sending_until=None, pause_code="", **explanation_columns(None))


def _is_seen_on_another_order(transaction: GatewayTransaction, now: datetime) -> bool:
    recent = _open_mix_ups(transaction.gateway).filter(found_at__gt=now - MIX_UP_WINDOW)
    orders = set(recent.values_list("payment__order_id", "deposit_id"))
    own = transaction.payment.order_id if transaction.payment else None
    return bool(orders - {(own, transaction.deposit_id)})


def _open_mix_ups(gateway: str) -> QuerySet[Discrepancy]:
    return Discrepancy.objects.filter(
        gateway=gateway, kind=DiscrepancyKind.UNIT_MIX_UP, closed_at__isnull=True
    )
