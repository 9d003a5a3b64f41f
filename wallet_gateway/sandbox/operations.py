"""The names of what a merchant can ask of the gateway, as faults and the journal use them."""

from __future__ import annotations

from enum import StrEnum


class Operation(StrEnum):
    """One kind of request under ``/api/``."""

    CHECKOUT = "checkout"
    CAPTURE = "capture"
    REFUND = "refund"
    REVERSAL = "reversal"
    DETACHED_REFUND = "detached_refund"
    STATUS = "status"
    PUBLIC_KEY = "public_key"
    CREATE_PAYMENT_ACCOUNT = "create_payment_account"
    GET_PAYMENT_ACCOUNT = "get_payment_account"
    AUTHORIZATION = "authorization"


WITH_STATE = frozenset(
    {
        Operation.CHECKOUT,
        Operation.CAPTURE,
        Operation.REFUND,
        Operation.REVERSAL,
        Operation.DETACHED_REFUND,
        Operation.AUTHORIZATION,
    }
)
"""Operations whose request becomes a transaction, at once or by way of the checkout page."""
