"""Unit mix-ups: always stop the affected payment, and stop all sending if it is more than one odd record.

A customer who has the browser's key can create an odd record under the reference of an order, and of as many
orders as they care to make. So records in status queries stop only their own payments. A mix-up in the answer
to our own request shows that the gateway itself misreads our amounts, and so do records on the orders of two
customers within the hour. No browser knows the reference of an earlier provider's payment, so a record there
is the gateway's own.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db.models import QuerySet

from wallet_gateway.domain.customers import Identifiers, are_two_customers, identifiers_of
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import Explanation
from wallet_gateway.domain.polling_schedule import MIX_UP_PAUSE, MIX_UP_WINDOW
from wallet_gateway.models import (
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    PauseCode,
    PaymentOrder,
    WalletAttempt,
)
from wallet_gateway.models.explanations import explanation_columns, explanation_text
from wallet_gateway.operations.settlement.pause_signals import announce_pause, announce_resumption
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.operations")

_MOST_COMPARED = 50
"""Open mix-ups of an hour that are compared: with as many, a person has long been called."""


def pause_after_mix_up(
    transaction: GatewayTransaction, why: Explanation | None, *, in_own_answer: bool, now: datetime
) -> Explanation | None:
    """Stop sending for 15 minutes if a new mix-up is more than one odd record.

    Returns the reason, for `warn_of_mix_up` after the commit; None if nothing was stopped. A longer pause
    is kept.
    """
    if not (in_own_answer or _is_seen_at_another_customer(transaction, now)):
        return None
    until = now + MIX_UP_PAUSE
    code = PauseCode.UNIT_MIX_UP
    GatewayPause.pause_sending(transaction.gateway, now=now, until=until, code=code, explanation=why)
    return why


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


def _is_seen_at_another_customer(transaction: GatewayTransaction, now: datetime) -> bool:
    recent = _open_mix_ups(transaction.gateway).filter(found_at__gt=now - MIX_UP_WINDOW)
    rows = list(recent.select_related("payment__order").order_by("-pk")[:_MOST_COMPARED])
    if transaction.payment is None:
        return any(row.deposit_id != transaction.deposit_id for row in rows)
    if any(row.deposit_id is not None for row in rows):
        return True
    own, orders = transaction.payment.order, {row.payment.order for row in rows if row.payment is not None}
    identifiers = _identifiers_of(own)
    return any(are_two_customers(identifiers, _identifiers_of(order)) for order in orders - {own})


def _identifiers_of(order: PaymentOrder) -> Identifiers:
    attempts = list(WalletAttempt.objects.filter(transaction__payment__order=order)[:_MOST_COMPARED])
    return identifiers_of(
        order.content.get("checkoutDetails") or {},
        emails=[attempt.given.get("email") or "" for attempt in attempts],
        sessions=[attempt.session_hash for attempt in attempts],
        accounts=[attempt.account_id or "" for attempt in attempts],
    )


def _open_mix_ups(gateway: str) -> QuerySet[Discrepancy]:
    return Discrepancy.objects.filter(
        gateway=gateway, kind=DiscrepancyKind.UNIT_MIX_UP, closed_at__isnull=True
    )
