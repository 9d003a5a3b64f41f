"""The endpoints, in one table: the client calls by it, the service mounts by it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from wallet_gateway.protocol.detached_refunds import DETACHED_REFUND_TYPE
from wallet_gateway.protocol.follow_ups import FollowUpType


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint; ``path`` is relative to the base URL."""

    name: str
    method: str
    path: str


CHECKOUT: Final = Endpoint("checkout", "POST", "/api/v5/checkout")
FOLLOW_UP: Final = Endpoint("follow_up", "POST", "/api/v5/apmTransactions")
DETACHED_REFUND: Final = Endpoint("detached_refund", "POST", "/api/v5/apmTransactions")
STATUS: Final = Endpoint("status", "GET", "/api/v5/apmTransactions")

ENDPOINTS: Final = (CHECKOUT, FOLLOW_UP, DETACHED_REFUND, STATUS)
"""Every server-to-server endpoint; follow-ups and detached refunds share a path and differ by ``type``."""

OPERATIONS: Final = MappingProxyType(
    {
        FollowUpType.CAPTURE.value: "capture",
        FollowUpType.REFUND.value: "refund",
        FollowUpType.REVERSAL_PREAUTHORIZATION.value: "reversal",
        DETACHED_REFUND_TYPE: DETACHED_REFUND.name,
    }
)
"""The name of what a POST to apmTransactions does, by its ``type``."""
