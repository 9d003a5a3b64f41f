"""Store a browser's reports about the wallet sheet: for the timeline, never trusted.

A reported failure is a reason to ask the gateway whether it still takes the key that the page has.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.models.wallet import MOST_EVENTS, WalletEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.wallet.attempts import load
from wallet_gateway.operations.wallet.keys import is_refused
from wallet_gateway.operations.wallet.result import as_report
from wallet_gateway.operations.wallet.usage import count_event

_ONCE = frozenset({WalletEvent.READY, WalletEvent.UNAVAILABLE})
"""Reported again by every reload: only the first report is stored."""


def with_event(wallet: WalletAttempt, event: WalletEvent, detail: str, *, now: datetime) -> list[Any]:
    """Return the last twenty of an attempt's events including a new one."""
    added = {"at": now.isoformat(), "event": event.value, "detail": detail}
    return [*wallet.events, added][-MOST_EVENTS:]


def record_event(
    *,
    order: PaymentOrder,
    reference: str,
    session: str,
    event: WalletEvent,
    message: object,
    context: GatewayContext,
) -> bool:
    """Store a browser's report, the first twenty of an attempt and 200 of an order; raise `InvalidInput`.

    Return whether the page needs a new session, because the gateway refuses the key of this one.
    """
    tried = load(order)
    transaction, order_id = tried.meant(reference, session), tried.order.pk
    detail = as_report(message)

    def comment() -> None:
        # Two pages may report at once, and a result may arrive in between: none of these may be lost.
        rows = WalletAttempt.objects.select_for_update().filter(pk=transaction.wallet.pk)
        wallet = rows.only("events").get()
        if _is_worth_noting(wallet, event) and count_event(order_id):
            wallet.events = with_event(wallet, event, detail, now=context.clock.now())
            wallet.save(update_fields=["events"])

    in_transaction(comment)
    return event is WalletEvent.ERROR and is_refused(transaction.wallet.key, context=context)


def _is_worth_noting(wallet: WalletAttempt, event: WalletEvent) -> bool:
    if len(wallet.events) >= MOST_EVENTS:
        return False
    return event not in _ONCE or event not in {known["event"] for known in wallet.events}
