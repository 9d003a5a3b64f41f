"""The exceptions that a shop catches: one for each reaction, with a code for each reason.

Each exception has `code`, `params`, `message` (in the active language) and `status`, an HTTP status.
"""

from __future__ import annotations

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.operation_errors import (
    AwaitingApproval,
    CardRefused,
    GatewayRefused,
    GatewayUnreachable,
    IdempotencyConflict,
    InsideTransaction,
    InvalidInput,
    InvalidState,
    OperationError,
    OperationOutstanding,
    OperationRefused,
    OrderNotPayable,
    PriceChanged,
    SendingStopped,
    TryAgain,
    WalletUnavailable,
    message_of,
)

__all__ = [
    "AwaitingApproval",
    "CardRefused",
    "ErrorCode",
    "GatewayRefused",
    "GatewayUnreachable",
    "IdempotencyConflict",
    "InsideTransaction",
    "InvalidInput",
    "InvalidState",
    "OperationError",
    "OperationOutstanding",
    "OperationRefused",
    "OrderNotPayable",
    "PriceChanged",
    "SendingStopped",
    "TryAgain",
    "WalletUnavailable",
    "message_of",
]
