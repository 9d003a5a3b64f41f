"""Payments that were made with another merchant account than their gateway has now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db.models import Count

from wallet_gateway.domain.lifecycle import OPENING_KINDS, UNENDED_STATES, TransactionState
from wallet_gateway.models import GatewayTransaction

Account = tuple[str, str]
"""The merchantId and storeId of a request."""


def payments_of_former_accounts(gateway: str, *, now: Account, since: datetime) -> Mapping[Account, int]:
    """Return how many payments begun since then each other account has: approved ones, and unfinished ones.

    Reads all transactions since then, so it is for a person's question and for no page.
    """
    openings = GatewayTransaction.objects.filter(
        gateway=gateway,
        kind__in=sorted(OPENING_KINDS),
        state__in=sorted({*UNENDED_STATES, TransactionState.APPROVED}),
        created_at__gte=since,
    ).exclude(merchant_id="", store_id="")
    counted = openings.order_by().values_list("merchant_id", "store_id").annotate(number=Count("pk"))
    return {(merchant, store): number for merchant, store, number in counted if (merchant, store) != now}
