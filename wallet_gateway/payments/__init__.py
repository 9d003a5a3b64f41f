"""The one import of a shop's own code: `from wallet_gateway import payments`.

The verbs of this app with gateway, clock and return URLs wired from the settings, and the types that they
take, return and raise. The verbs stand in this room's files, by subject; each makes one call into the
operations or queries, and rules stand there. Verbs that speak to the gateway must not be called inside a
database transaction: what they are about to send has to be committed first.
"""

from __future__ import annotations

from wallet_gateway.domain.policy import WalletPolicy
from wallet_gateway.domain.wallet_outcomes import WalletOutcome
from wallet_gateway.models import Approval
from wallet_gateway.models.wallet import WalletEvent
from wallet_gateway.operations.approvals.requests import (
    AnotherRequestWaits,
    AwaitingApproval,
    UnableToApprove,
)
from wallet_gateway.operations.approvals.resolve import Decision, UnableToResolve
from wallet_gateway.operations.checkout.orders import InvalidOrder, OrderConflict
from wallet_gateway.operations.checkout.payment_attempts import (
    CheckoutInProgress,
    CheckoutPaused,
    CheckoutUnavailable,
    OrderNotPayable,
)
from wallet_gateway.operations.checkout.start import CheckoutRefused, GatewayUnreachable
from wallet_gateway.operations.errors import OperationError, OperationRefused, SendingStopped
from wallet_gateway.operations.follow_ups.capture_refund_reverse import (
    UnableToCapture,
    UnableToRefund,
    UnableToReverse,
)
from wallet_gateway.operations.follow_ups.detached_refunds import UnableToRefundMigrated
from wallet_gateway.operations.follow_ups.execute import KeyConflict, OperationOutstanding
from wallet_gateway.operations.follow_ups.resend import UnableToSendAgain
from wallet_gateway.operations.inputs import BadAmount
from wallet_gateway.operations.maintenance.sweep import SweepReport
from wallet_gateway.operations.migration.import_export import ImportReport
from wallet_gateway.operations.polling.reconciliation import Asked
from wallet_gateway.operations.sending.emergency_stop import UnableToStop
from wallet_gateway.operations.wallet.attempts import UnknownWalletReference
from wallet_gateway.operations.wallet.card import WalletCardRefused, WalletTryAgain
from wallet_gateway.operations.wallet.hooks import (
    AuthenticationQuestion,
    SheetDiscount,
    SheetFault,
    SheetPricing,
    SheetQuestion,
    ShippingOption,
)
from wallet_gateway.operations.wallet.keys import Rotation, WalletUnavailable
from wallet_gateway.operations.wallet.pay import (
    TooManyWalletResults,
    WalletPriceChanged,
)
from wallet_gateway.operations.wallet.pricing import SheetPrice
from wallet_gateway.operations.wallet.result import InvalidWalletResult
from wallet_gateway.operations.wallet.session import WalletSession
from wallet_gateway.payments.decisions import (
    approvals_waiting,
    approve,
    close_discrepancy,
    decline,
    resolve,
    send_again,
)
from wallet_gateway.payments.detached_refunds import (
    export_migration_file,
    import_migration_file,
    refund_migrated,
)
from wallet_gateway.payments.follow_ups import capture, refund, reverse
from wallet_gateway.payments.maintenance import (
    deliver_events,
    reconcile_due,
    resume_sending,
    sending_pauses,
    stop_sending,
    sweep,
)
from wallet_gateway.payments.orders import (
    attempt_for,
    create_order,
    get_order,
    get_order_by_token,
    start_checkout,
)
from wallet_gateway.payments.status_queries import ask_gateway, reconcile
from wallet_gateway.payments.wallet import (
    next_wallet_reference,
    note_wallet_event,
    open_wallet_session,
    pay_with_wallet,
    price_wallet_sheet,
    rotate_wallet_keys,
    wallet_outcome,
)
from wallet_gateway.protocol.addresses import BillingAddress, ShippingAddress
from wallet_gateway.protocol.cart import Discount, Item, Shipping
from wallet_gateway.protocol.money import Money
from wallet_gateway.queries.orders import OrderSummary, TimelineEntry, order_summary, order_timeline
from wallet_gateway.queries.pauses import SendingPause
from wallet_gateway.queries.wallet import WalletReceipt, wallet_receipt

__all__ = [
    "AnotherRequestWaits",
    "Approval",
    "Asked",
    "AuthenticationQuestion",
    "AwaitingApproval",
    "BadAmount",
    "BillingAddress",
    "CheckoutInProgress",
    "CheckoutPaused",
    "CheckoutRefused",
    "CheckoutUnavailable",
    "Decision",
    "Discount",
    "GatewayUnreachable",
    "ImportReport",
    "InvalidOrder",
    "InvalidWalletResult",
    "Item",
    "KeyConflict",
    "Money",
    "OperationError",
    "OperationOutstanding",
    "OperationRefused",
    "OrderConflict",
    "OrderNotPayable",
    "OrderSummary",
    "Rotation",
    "SendingPause",
    "SendingStopped",
    "SheetDiscount",
    "SheetFault",
    "SheetPrice",
    "SheetPricing",
    "SheetQuestion",
    "Shipping",
    "ShippingAddress",
    "ShippingOption",
    "SweepReport",
    "TimelineEntry",
    "TooManyWalletResults",
    "UnableToApprove",
    "UnableToCapture",
    "UnableToRefund",
    "UnableToRefundMigrated",
    "UnableToResolve",
    "UnableToReverse",
    "UnableToSendAgain",
    "UnableToStop",
    "UnknownWalletReference",
    "WalletCardRefused",
    "WalletEvent",
    "WalletOutcome",
    "WalletPolicy",
    "WalletPriceChanged",
    "WalletReceipt",
    "WalletSession",
    "WalletTryAgain",
    "WalletUnavailable",
    "approvals_waiting",
    "approve",
    "ask_gateway",
    "attempt_for",
    "capture",
    "close_discrepancy",
    "create_order",
    "decline",
    "deliver_events",
    "export_migration_file",
    "get_order",
    "get_order_by_token",
    "import_migration_file",
    "next_wallet_reference",
    "note_wallet_event",
    "open_wallet_session",
    "order_summary",
    "order_timeline",
    "pay_with_wallet",
    "price_wallet_sheet",
    "reconcile",
    "reconcile_due",
    "refund",
    "refund_migrated",
    "resolve",
    "resume_sending",
    "reverse",
    "rotate_wallet_keys",
    "send_again",
    "sending_pauses",
    "start_checkout",
    "stop_sending",
    "sweep",
    "wallet_outcome",
    "wallet_receipt",
]
