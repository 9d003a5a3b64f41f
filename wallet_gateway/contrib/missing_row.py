"""Log an order that holds money although the shop has deleted the row it was to pay."""

from __future__ import annotations

import logging
from typing import Final

from wallet_gateway.documentation import address_of
from wallet_gateway.domain.states import OrderState
from wallet_gateway.models import PaymentOrder

logger = logging.getLogger("wallet_gateway.bridges")

_WITH_MONEY: Final = frozenset(
    {
        OrderState.AUTHORIZED,
        OrderState.PART_CAPTURED,
        OrderState.PAID,
        OrderState.PART_REFUNDED,
        OrderState.OVERPAID,
    }
)


def log_missing(order: PaymentOrder, row: str) -> None:
    """Log that an order holds money and its row was deleted; a shop may delete what nobody has paid.

    It is no exception: the event would stay overdue for ever, and no later delivery could do better.
    """
    if order.state in _WITH_MONEY:
        logger.error(
            "order %s holds money (%s), and %s of it is gone; see %s",
            order.reference,
            order.state,
            row,
            address_of("runbook", "money-for-an-order-that-was-deleted"),
        )
