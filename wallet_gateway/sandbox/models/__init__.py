"""The sandbox's tables: what the gateway stores.

Rows only: fields, constraints and values derived from one row. The rules are in ``payments``, ``wallet`` and
``api``. Money is an integer number of minor units with its currency; every time is a time of the sandbox's
clock, not the machine's.
"""

from __future__ import annotations

from wallet_gateway.sandbox.models.payments import (
    Checkout,
    Deposit,
    Merchant,
    Outcome,
    RecordOrigin,
    RecordState,
    TransactionRecord,
    new_checkout_token,
    new_record_id,
)
from wallet_gateway.sandbox.models.requests import (
    AMOUNT_AS_REQUESTED,
    NO_AMOUNT,
    AcceptedRequest,
    BillingAddressRule,
    DuplicatePolicy,
    JournalEntry,
    LateRequest,
    LetterCase,
    PlaceholderId,
    PortalReference,
    SandboxState,
    SetFault,
)
from wallet_gateway.sandbox.models.wallet import (
    Authentication,
    AuthenticationOutcome,
    PaymentAccount,
    PublicKey,
    WalletMode,
    hash_secret,
    new_account_id,
    new_page_token,
)

__all__ = [
    "AMOUNT_AS_REQUESTED",
    "NO_AMOUNT",
    "AcceptedRequest",
    "Authentication",
    "AuthenticationOutcome",
    "BillingAddressRule",
    "Checkout",
    "Deposit",
    "DuplicatePolicy",
    "JournalEntry",
    "LateRequest",
    "LetterCase",
    "Merchant",
    "Outcome",
    "PaymentAccount",
    "PlaceholderId",
    "PortalReference",
    "PublicKey",
    "RecordOrigin",
    "RecordState",
    "SandboxState",
    "SetFault",
    "TransactionRecord",
    "WalletMode",
    "hash_secret",
    "new_account_id",
    "new_checkout_token",
    "new_page_token",
    "new_record_id",
]
