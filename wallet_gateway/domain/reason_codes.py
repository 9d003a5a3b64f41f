"""Why a person moves money: the codes that are stored with the person's comment. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wallet_gateway.domain.states import TransactionKind
from wallet_gateway.domain.stored_values import StoredEnum


class ReasonCode(StoredEnum):
    """Why something is captured, refunded or reversed."""

    SHIPPED = "shipped"
    PART_SHIPPED = "part-shipped"
    SERVICE_RENDERED = "service"
    RETURNED = "returned"
    DAMAGED = "damaged"
    ORDER_CANCELLED = "cancelled"
    PAID_TWICE = "duplicate"
    GOODWILL = "goodwill"
    UNAVAILABLE = "unavailable"
    SUSPICIOUS = "suspicious"
    OTHER = "other"
    """The comment explains the reason."""


_REFUND = (
    ReasonCode.RETURNED,
    ReasonCode.DAMAGED,
    ReasonCode.ORDER_CANCELLED,
    ReasonCode.PAID_TWICE,
    ReasonCode.GOODWILL,
    ReasonCode.OTHER,
)

REASON_CODES: Mapping[TransactionKind, tuple[ReasonCode, ...]] = MappingProxyType(
    {
        TransactionKind.CAPTURE: (
            ReasonCode.SHIPPED,
            ReasonCode.PART_SHIPPED,
            ReasonCode.SERVICE_RENDERED,
            ReasonCode.OTHER,
        ),
        TransactionKind.REFUND: _REFUND,
        TransactionKind.REVERSAL: (
            ReasonCode.ORDER_CANCELLED,
            ReasonCode.UNAVAILABLE,
            ReasonCode.SUSPICIOUS,
            ReasonCode.OTHER,
        ),
        TransactionKind.DETACHED_REFUND: _REFUND,
    }
)
"""The codes of each operation, in the order in which a form offers them."""


def is_reason_code(kind: TransactionKind, code: str) -> bool:
    """Return whether a code is valid for an operation; an empty one always is."""
    return not code or code in REASON_CODES.get(kind, ())
