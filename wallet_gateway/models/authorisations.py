"""Which authorisations still hold money that nobody has taken or given back. Reads only."""

from __future__ import annotations

from django.db.models import F, QuerySet

from wallet_gateway.domain.lifecycle import IntentState, PaymentType, TransactionKind
from wallet_gateway.domain.standing import Reversal
from wallet_gateway.models.transactions import GatewayTransaction


def uncaptured(gateway: str) -> QuerySet[GatewayTransaction]:
    """Return the opening intents of authorisations of which something is left, each since `state_since`."""
    return GatewayTransaction.objects.filter(
        gateway=gateway,
        kind__in=(TransactionKind.CHECKOUT, TransactionKind.AUTHORIZATION),
        state=IntentState.APPROVED,
        payment__type=PaymentType.PREAUTHORIZATION,
        payment__authorised__gt=F("payment__captured") + F("payment__capture_reserved"),
        payment__reversal=Reversal.NONE,
    ).select_related("payment__order")
