"""Rows: what the shop wants paid, the attempts to pay it, what we asked of the gateway and what it said.

A row keeps its own shape and sums true and never talks to a gateway. States and sums are changed by
`wallet_gateway.operations` alone.
"""

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
    GoLiveCheck,
    Job,
    JobPosition,
    SentMail,
    SweepHeartbeat,
)
from wallet_gateway.models.migrated import MigratedDeposit
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.outbox import OutboxEvent, OutboxEventKind
from wallet_gateway.models.pauses import GatewayPause, PauseCode
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.transaction_events import TransactionEvent, TransactionEventKind
from wallet_gateway.models.transactions import GatewayTransaction
from wallet_gateway.models.wallet import WalletAttempt, WalletKey

__all__ = [
    "Approval",
    "ApprovalState",
    "BatchKind",
    "BatchState",
    "Dashboard",
    "Discrepancy",
    "ExpiryNotice",
    "ExpiryNoticeState",
    "GatewayPause",
    "GatewayTransaction",
    "GoLiveCheck",
    "Job",
    "JobPosition",
    "MigratedDeposit",
    "OperationBatch",
    "OperationBatchRow",
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
]
