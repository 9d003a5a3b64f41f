"""Queries for authorizations that still hold money, neither captured nor reversed. Reads only."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, QuerySet

from wallet_gateway.domain.lifecycle import OPENING_KINDS, PaymentState, PaymentType, TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models.transactions import GatewayTransaction

CAPTURABLE_STATES = (PaymentState.AUTHORIZED, PaymentState.PART_CAPTURED, PaymentState.PART_REFUNDED)
"""The states in which a payment may still be captured: after a part refund only the amounts tell."""
_UNFINISHED = (*CAPTURABLE_STATES, PaymentState.FROZEN)


def uncaptured(gateway: str, *, since: datetime) -> QuerySet[GatewayTransaction]:
    """Return a gateway's authorizations that have held money since an instant or longer, the oldest first.

    The amounts decide. States and time of the payments are what has an index: without them, and in another
    order, a database reads the paid payments of all years. A payment is older than its authorization, and
    what the gateway holds runs out from the first approval on, whatever is decided about it later.
    """
    rows = holding().filter(
        gateway=gateway,
        approved_at__lte=since,
        payment__created_at__lte=since,
        payment__state__in=_UNFINISHED,
    )
    return rows.select_related("payment__order").order_by("payment__created_at", "payment")


def holding() -> QuerySet[GatewayTransaction]:
    """Return the authorizations of every gateway that hold money."""
    return GatewayTransaction.objects.filter(
        kind__in=OPENING_KINDS,
        state=TransactionState.APPROVED,
        payment__type=PaymentType.PREAUTHORIZATION,
        payment__authorized__gt=F("payment__captured") + F("payment__capture_reserved"),
        payment__reversal=Reversal.NONE,
    )
