"""The interface as tables: its endpoints, the wire ``type`` of every transaction, and its messages.

The client calls by these tables and the service mounts by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from wallet_gateway.protocol import (
    accounts,
    authorizations,
    checkout,
    faults,
    follow_ups,
    migration_file,
    status,
)
from wallet_gateway.protocol.authorizations import AuthorizationType
from wallet_gateway.protocol.checkout import CheckoutType
from wallet_gateway.protocol.follow_ups import DETACHED_REFUND_TYPE, FollowUpType
from wallet_gateway.protocol.wire import WireModel


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint; ``path`` is relative to the base URL, and a name in braces stands for a value."""

    name: str
    method: str
    path: str
    success_field: str = ""
    """The folded name of a field that only a success has, besides those of most endpoints."""


CHECKOUT: Final = Endpoint("checkout", "POST", "/api/v5/checkout")
FOLLOW_UP: Final = Endpoint("follow_up", "POST", "/api/v5/apmTransactions")
DETACHED_REFUND: Final = Endpoint("detached_refund", "POST", "/api/v5/apmTransactions")
STATUS: Final = Endpoint("status", "GET", "/api/v5/apmTransactions")
PUBLIC_KEY: Final = Endpoint("public_key", "POST", "/api/v5/publicKeys", success_field="apikey")
CREATE_PAYMENT_ACCOUNT: Final = Endpoint("create_payment_account", "POST", "/api/v5/paymentAccounts")
GET_PAYMENT_ACCOUNT: Final = Endpoint(
    "get_payment_account",
    "GET",
    "/api/v5/paymentAccounts/{transactionAccountId}",
    success_field="cardtype",
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
"""Every endpoint. Payment accounts are created by the browser, everything else is called by servers.

The last four are "only referred to by name" (Endpoints, rule 3): their methods and paths are this project's.
"""

PUBLIC_KEY_SCHEME: Final = "PublicApiKey"
"""What precedes the API key in the header ``Authorization`` of the last three: "in the form
``PublicApiKey <API_KEY>``" (Authentication, 1)."""


# The type of a transaction

WIRE_TYPES: Final = MappingProxyType(
    {
        (CHECKOUT.name, "sale"): CheckoutType.SALE.value,
        (CHECKOUT.name, "preauthorization"): CheckoutType.PREAUTHORIZATION.value,
        (AUTHORIZATION.name, "sale"): AuthorizationType.SALE.value,
        (AUTHORIZATION.name, "preauthorization"): AuthorizationType.PREAUTHORIZATION.value,
        ("capture", ""): FollowUpType.CAPTURE.value,
        ("refund", ""): FollowUpType.REFUND.value,
        ("reversal", ""): FollowUpType.REVERSAL_PREAUTHORIZATION.value,
        (DETACHED_REFUND.name, ""): DETACHED_REFUND_TYPE,
    }
)
"""The wire ``type`` by operation and, for an original transaction, by its payment type."""

OPERATIONS: Final = MappingProxyType(
    {wire_type: operation for (operation, payment_type), wire_type in WIRE_TYPES.items() if not payment_type}
)
"""The operation of a POST to apmTransactions by its ``type``."""


def wire_type(operation: str, payment_type: str = "") -> str:
    """Return the wire ``type`` of an operation, which is named in any letter case.

    Originals need a payment type, or it is a KeyError; follow-ups have one type whatever the original was.
    """
    name = operation.lower()
    return WIRE_TYPES.get((name, "")) or WIRE_TYPES[name, payment_type]


# The messages

MESSAGES: Final[Mapping[str, type[WireModel]]] = MappingProxyType(
    {
        message.__name__: message
        for message in (
            checkout.CheckoutRequest,
            checkout.CheckoutResponse,
            follow_ups.FollowUpRequest,
            follow_ups.FollowUpResponse,
            follow_ups.DetachedRefundRequest,
            follow_ups.DetachedRefundResponse,
            status.StatusQuery,
            status.StatusRecord,
            accounts.PublicKeyRequest,
            accounts.PublicKeyResponse,
            accounts.PaymentAccountRequest,
            accounts.PaymentAccountResponse,
            accounts.PaymentAccountQuery,
            accounts.PaymentAccount,
            authorizations.AuthorizationRequest,
            authorizations.AuthorizationResponse,
            faults.ErrorBody,
            migration_file.MigrationRow,
        )
    }
)
"""Every message that stands alone, by class name, in the order of the interface."""
