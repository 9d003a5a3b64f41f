"""What a customer's browser reports of the sheet: kept for the timeline, believed by nobody."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.views.decorators.debug import sensitive_variables

from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.models.wallet import MOST_EVENTS, WalletEvent
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.wallet_attempts import load
from wallet_gateway.operations.wallet_result import as_report


def with_event(wallet: WalletAttempt, event: WalletEvent, detail: str, *, now: datetime) -> list[Any]:
    """Return an attempt's events with one more, the last twenty of them."""
    added = {"at": now.isoformat(), "event": event.value, "detail": detail}
    return [*wallet.events, added][-MOST_EVENTS:]


@sensitive_variables()
def note_event(
    *, order: PaymentOrder, reference: str, session: str, event: WalletEvent, message: object, clock: Clock
) -> None:
    """Keep what the browser says; raises `UnknownWalletReference`."""
    intent = load(order).meant(reference, session)
    events = with_event(intent.wallet, event, as_report(message), now=clock.now())
    WalletAttempt.objects.filter(pk=intent.wallet.pk).update(events=events)
