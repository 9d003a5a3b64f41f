"""Which authorizations still hold money, neither captured nor reversed, for lists, people and the sweep.

A person sees all money that the customer's bank gives up if nobody does anything, although something keeps
it from being captured now: its payment is frozen, or a capture has no outcome yet. The sweep and the shop are
told of what may be captured or reversed besides. A reversal that is under way gives the money back already.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, Q, QuerySet

from wallet_gateway.domain.states import OPENING_KINDS, PaymentState, PaymentType, Reversal, TransactionState
from wallet_gateway.models.transactions import GatewayTransaction

_UNFINISHED = (
    PaymentState.AUTHORIZED,
    PaymentState.PART_CAPTURED,
    PaymentState.PART_REFUNDED,
    PaymentState.FROZEN,
)
"""The states in which a payment may hold money: after a part refund only the amounts tell."""


def holds(of: str = "") -> Q:
    """Return the condition that a payment holds money which lapses; `of` is the path to it, with its `__`.

    The amounts decide. The states are what has an index: without them a database reads the paid payments of
    all years.
    """
    columns = {
        "state__in": _UNFINISHED,
        "type": PaymentType.PREAUTHORIZATION,
        "authorized__gt": F(f"{of}captured"),
        "reversal": Reversal.NONE,
    }
    return Q(**{f"{of}{name}": value for name, value in columns.items()})


def holding() -> QuerySet[GatewayTransaction]:
    """Return the authorizations of every gateway that hold money."""
    return GatewayTransaction.objects.filter(
        holds("payment__"), kind__in=OPENING_KINDS, state=TransactionState.APPROVED
    )


def uncaptured(gateway: str, *, since: datetime) -> QuerySet[GatewayTransaction]:
    """Return a gateway's authorizations of which something may be captured, held since an instant or longer.

    The oldest come first: their time has an index, and is not that of the approval. A payment is older than
    its authorization, and what the gateway holds runs out from the first approval on, whatever is decided
    about it later.
    """
    rows = holding().filter(
        gateway=gateway,
        approved_at__lte=since,
        payment__created_at__lte=since,
        payment__authorized__gt=F("payment__captured") + F("payment__capture_reserved"),
    )
    return rows.select_related("payment__order").order_by("payment__created_at", "payment")
