"""Database models: orders, payments, transactions, our requests to the gateway and its answers.

A model keeps its own row and counters consistent and never calls a gateway. States and counters are changed
only by `wallet_gateway.ledger`.
"""

from wallet_gateway.models.allowances import Allowance, AllowanceUse
from wallet_gateway.models.approvals import Approval, ApprovalState
from wallet_gateway.models.batches import (
    BatchKind,
    BatchState,
    OperationBatch,
    OperationBatchRow,
    ResultCode,
    RowState,
)
from wallet_gateway.models.dashboard import Dashboard
from wallet_gateway.models.discrepancies import Discrepancy
from wallet_gateway.models.maintenance import (
    ExpiryNotice,
    ExpiryNoticeState,
    ForgottenReference,
    GoLiveCheck,
    Job,
    JobPosition,
    SentMail,
    SweepHeartbeat,
)
from wallet_gateway.models.migrated import MigratedDeposit
from wallet_gateway.models.orders import OrderMetadata, PaymentOrder
from wallet_gateway.models.outbox import OutboxEvent, OutboxEventKind
from wallet_gateway.models.pauses import GatewayPause, PauseCode
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.transaction_events import TransactionEvent, TransactionEventKind
from wallet_gateway.models.transactions import GatewayTransaction
from wallet_gateway.models.wallet import WalletAttempt, WalletKey
from wallet_gateway.models.wallet_usage import WalletUsage

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
