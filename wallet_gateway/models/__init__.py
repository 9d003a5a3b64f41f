"""Database models: orders, payments, transactions, our requests to the gateway and its answers.

A model keeps its own row and counters consistent and never calls a gateway. What is learned or decided
changes states and counters only in `wallet_gateway.ledger`, whose `apply` names the places that begin or
cancel something and write that themselves.
"""

from wallet_gateway.models.decisions import (
    Allowance,
    AllowanceUse,
    Approval,
    ApprovalState,
    BatchKind,
    BatchState,
    Discrepancy,
    OperationBatch,
    OperationBatchRow,
    ResultCode,
    RowState,
)
from wallet_gateway.models.maintenance import (
    Dashboard,
    ExpiryNotice,
    ExpiryNoticeState,
    ForgottenReference,
    GatewayPause,
    GoLiveCheck,
    Job,
    JobPosition,
    OutboxEvent,
    OutboxEventKind,
    PauseCode,
    SentMail,
    SweepHeartbeat,
)
from wallet_gateway.models.orders import MigratedDeposit, OrderMetadata, Payment, PaymentOrder
from wallet_gateway.models.transactions import (
    GatewayTransaction,
    TransactionEvent,
    TransactionEventKind,
    WalletAttempt,
    WalletKey,
    WalletUsage,
)

__all__ = [
    "Allowance",
    "AllowanceUse",
    "Approval",
    "ApprovalState",
    "BatchKind",
    "BatchState",
    "Dashboard",
    "Discrepancy",
    "ExpiryNotice",
    "ExpiryNoticeState",
    "ForgottenReference",
    "GatewayPause",
    "GatewayTransaction",
    "GoLiveCheck",
    "Job",
    "JobPosition",
    "MigratedDeposit",
    "OperationBatch",
    "OperationBatchRow",
    "OrderMetadata",
    "OutboxEvent",
    "OutboxEventKind",
    "PauseCode",
    "Payment",
    "PaymentOrder",
    "ResultCode",
    "RowState",
    "SentMail",
    "SweepHeartbeat",
    "TransactionEvent",
    "TransactionEventKind",
    "WalletAttempt",
    "WalletKey",
    "WalletUsage",
]
