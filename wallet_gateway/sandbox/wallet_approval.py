"""Approving in the emulated wallet: for whom the card is sealed, with which keys, at what time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wallet_gateway.protocol.text import quote
from wallet_gateway.sandbox.engine.refusals import UnknownMerchant
from wallet_gateway.sandbox.models import Merchant
from wallet_gateway.sandbox.state import current_conditions
from wallet_gateway.sandbox.wallet_cards import StoredCard
from wallet_gateway.sandbox.wallet_data import payment_data
from wallet_gateway.sandbox.wallet_keys import key_ring


def approve(
    card: StoredCard,
    request: Mapping[str, Any],
    *,
    merchant_id: str,
    choices: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Give the PaymentData for a card and a merchant; raises ``UnknownMerchant``."""
    merchant = Merchant.objects.filter(merchant_id=merchant_id).order_by("pk").first()
    if merchant is None:
        raise UnknownMerchant(f"There is no merchant {quote(merchant_id)}.")
    now = current_conditions().now
    return payment_data(
        card,
        request,
        gateway=merchant.gateway_name,
        gateway_merchant_id=merchant_id,
        keys=key_ring.at(now),
        now=now,
        choices=choices,
    )
