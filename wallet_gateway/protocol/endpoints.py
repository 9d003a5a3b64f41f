"""The endpoints, in one table: the client calls by it, the service mounts by it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from wallet_gateway.protocol.detached_refunds import DETACHED_REFUND_TYPE
from wallet_gateway.protocol.follow_ups import FollowUpType


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint; ``path`` is relative to the base URL, and a name in braces stands for a value."""

    name: str
    method: str
    path: str


CHECKOUT: Final = Endpoint("checkout", "POST", "/api/v5/checkout")
FOLLOW_UP: Final = Endpoint("follow_up", "POST", "/api/v5/apmTransactions")
DETACHED_REFUND: Final = Endpoint("detached_refund", "POST", "/api/v5/apmTransactions")
STATUS: Final = Endpoint("status", "GET", "/api/v5/apmTransactions")
PUBLIC_KEY: Final = Endpoint("public_key", "POST", "/api/v5/publicKeys")
CREATE_PAYMENT_ACCOUNT: Final = Endpoint("create_payment_account", "POST", "/api/v5/paymentAccounts")
GET_PAYMENT_ACCOUNT: Final = Endpoint(
    "get_payment_account", "GET", "/api/v5/paymentAccounts/{transactionAccountId}"
)
AUTHORIZATION: Final = Endpoint("authorization", "POST", "/api/v5/transactions")

ENDPOINTS: Final = (
    CHECKOUT,
    FOLLOW_UP,
    DETACHED_REFUND,
    STATUS,
    PUBLIC_KEY,
    CREATE_PAYMENT_ACCOUNT,
    GET_PAYMENT_ACCOUNT,
    AUTHORIZATION,
)
"""Every endpoint; follow-ups and detached refunds share a path and differ by ``type``.

All are for servers but the creation of payment accounts, which is the browser's. The last four are only
named by the interface: their methods and paths are ours.
"""

PUBLIC_KEY_SCHEME: Final = "PublicApiKey"
"""What precedes the API key in the header ``Authorization`` of the last three."""

OPERATIONS: Final = MappingProxyType(
    {
        FollowUpType.CAPTURE.value: "capture",
        FollowUpType.REFUND.value: "refund",
        FollowUpType.REVERSAL_PREAUTHORIZATION.value: "reversal",
        DETACHED_REFUND_TYPE: DETACHED_REFUND.name,
    }
)
"""The name of what a POST to apmTransactions does, by its ``type``."""
