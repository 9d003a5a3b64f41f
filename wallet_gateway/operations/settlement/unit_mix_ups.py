"""What a mix-up of units stops: its own payment always, all sending only where it is no single odd record.

A customer who holds the browser's key can put an odd record under the reference of an order. So a record of a
status query stops its own payment alone. The answer to our own request, or the same on a further order within
the hour, says that the gateway itself takes our amounts for others.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db.models import QuerySet

from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.polling_schedule import MIX_UP_PAUSE, MIX_UP_WINDOW
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, PauseCode
from wallet_gateway.operations.sending.circuit_breaker import pause_until
from wallet_gateway.operations.settlement.row_errors import one_line

logger = logging.getLogger("wallet_gateway.operations")


def pause_after_mix_up(
    transaction: GatewayTransaction, detail: str, *, in_own_answer: bool, now: datetime
) -> str:
    """Stop sending for a quarter of an hour where a new mix-up is more than one odd record.

    Returns why, for `warn_of_mix_up` after the commit; empty where nothing was stopped. A longer stop stays.
    """
    if not (in_own_answer or _is_seen_on_another_order(transaction, now)):
        return ""
    pause_until(transaction.gateway, until=now + MIX_UP_PAUSE, code=PauseCode.UNIT_MIX_UP, detail=detail)
    return detail


def warn_of_mix_up(gateway: str, detail: str) -> None:
    """Raise the alarm about a pause that was made."""
    minutes = int(MIX_UP_PAUSE.total_seconds() // 60)
    logger.error(
        "sending to %s is stopped for %d minutes: unit mix-up: %s", gateway, minutes, one_line(detail)
    )


def resume_after_mix_up(gateway: str) -> None:
    """Let requests leave again once a person has closed the last unit mix-up of a gateway."""
    if not _open_mix_ups(gateway).exists():
        paused = GatewayPause.objects.filter(gateway=gateway, pause_code=PauseCode.UNIT_MIX_UP)
        paused.update(sending_until=None, pause_code="", pause_detail="")


def _is_seen_on_another_order(transaction: GatewayTransaction, now: datetime) -> bool:
    recent = _open_mix_ups(transaction.gateway).filter(found_at__gt=now - MIX_UP_WINDOW)
    orders = set(recent.values_list("payment__order_id", "deposit_id"))
    own = transaction.payment.order_id if transaction.payment else None
    return bool(orders - {(own, transaction.deposit_id)})


def _open_mix_ups(gateway: str) -> QuerySet[Discrepancy]:
    return Discrepancy.objects.filter(
        gateway=gateway, kind=DiscrepancyKind.UNIT_MIX_UP, closed_at__isnull=True
    )
