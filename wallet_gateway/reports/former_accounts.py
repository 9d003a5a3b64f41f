"""Payments that were made with another merchant account than their gateway has now."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import Count

from wallet_gateway.domain.lifecycle import OPENING_KINDS, UNENDED_STATES, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.models.test_rows import not_left_alone

Account = tuple[str, str]
"""The merchantId and storeId of a request."""


def payments_of_former_accounts(
    gateway: str, *, now: Account, since: datetime, live: Collection[str] = ()
) -> Mapping[Account, int]:
    """Return how many payments begun since then each other account has: approved ones, and unfinished ones.

    Tests of the `live` gateways are left out.
    Reads all transactions since then, so it is for a person's question and for no page.
    """
    openings = GatewayTransaction.objects.filter(
        not_left_alone(live),
        gateway=gateway,
        kind__in=sorted(OPENING_KINDS),
        state__in=sorted({*UNENDED_STATES, TransactionState.APPROVED}),
        created_at__gte=since,
    ).exclude(merchant_id="", store_id="")
    counted = openings.order_by().values_list("merchant_id", "store_id").annotate(number=Count("pk"))
    return {(merchant, store): number for merchant, store, number in counted if (merchant, store) != now}


def payments_by_mode(gateway: str, *, is_test: bool) -> int:
    """Return how many payments of a gateway are known as tests, or as live. It may read all its orders."""
    return Payment.objects.filter(is_test=is_test, order__gateway=gateway).count()
