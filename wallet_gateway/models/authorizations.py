"""Queries for authorizations that still hold money, neither captured nor reversed. Reads only."""

from __future__ import annotations

from django.db.models import F, QuerySet

from wallet_gateway.domain.lifecycle import OPENING_KINDS, PaymentType, TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models.transactions import GatewayTransaction


def uncaptured(gateway: str) -> QuerySet[GatewayTransaction]:
    """Return a gateway's authorizations that hold money, each since `state_changed_at`."""
    return holding().filter(gateway=gateway).select_related("payment__order")


def holding() -> QuerySet[GatewayTransaction]:
    """Return the authorizations of every gateway that hold money."""
    return GatewayTransaction.objects.filter(
        kind__in=OPENING_KINDS,
        state=TransactionState.APPROVED,
        payment__type=PaymentType.PREAUTHORIZATION,
        payment__authorized__gt=F("payment__captured") + F("payment__capture_reserved"),
        payment__reversal=Reversal.NONE,
    )
