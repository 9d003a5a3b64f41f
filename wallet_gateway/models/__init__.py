"""Database models: orders, payments, transactions, our requests to the gateway and its answers.

A model keeps its own row and counters consistent and never calls a gateway. What is learned or decided
changes states and counters only in `wallet_gateway.ledger`, whose `apply` names the places that begin or
cancel something and write that themselves.
"""

from wallet_gateway.models.decisions import Allowance as Allowance
from wallet_gateway.models.decisions import AllowanceUse as AllowanceUse
from wallet_gateway.models.decisions import Approval as Approval
from wallet_gateway.models.decisions import ApprovalState as ApprovalState
from wallet_gateway.models.decisions import BatchKind as BatchKind
from wallet_gateway.models.decisions import BatchState as BatchState
from wallet_gateway.models.decisions import Discrepancy as Discrepancy
from wallet_gateway.models.decisions import OperationBatch as OperationBatch
from wallet_gateway.models.decisions import OperationBatchRow as OperationBatchRow
from wallet_gateway.models.decisions import ResultCode as ResultCode
from wallet_gateway.models.decisions import RowState as RowState
from wallet_gateway.models.maintenance import Dashboard as Dashboard
from wallet_gateway.models.maintenance import ExpiryNotice as ExpiryNotice
from wallet_gateway.models.maintenance import ExpiryNoticeState as ExpiryNoticeState
from wallet_gateway.models.maintenance import ForgottenReference as ForgottenReference
from wallet_gateway.models.maintenance import GatewayPause as GatewayPause
from wallet_gateway.models.maintenance import GoLiveCheck as GoLiveCheck
from wallet_gateway.models.maintenance import Job as Job
from wallet_gateway.models.maintenance import JobPosition as JobPosition
from wallet_gateway.models.maintenance import OutboxEvent as OutboxEvent
from wallet_gateway.models.maintenance import OutboxEventKind as OutboxEventKind
from wallet_gateway.models.maintenance import PauseCode as PauseCode
from wallet_gateway.models.maintenance import SentMail as SentMail
from wallet_gateway.models.orders import MigratedDeposit as MigratedDeposit
from wallet_gateway.models.orders import OrderMetadata as OrderMetadata
from wallet_gateway.models.orders import Payment as Payment
from wallet_gateway.models.orders import PaymentOrder as PaymentOrder
from wallet_gateway.models.transactions import GatewayTransaction as GatewayTransaction
from wallet_gateway.models.transactions import TransactionEvent as TransactionEvent
from wallet_gateway.models.transactions import TransactionEventKind as TransactionEventKind
from wallet_gateway.models.transactions import WalletAttempt as WalletAttempt
from wallet_gateway.models.transactions import WalletKey as WalletKey
from wallet_gateway.models.transactions import WalletUsage as WalletUsage
