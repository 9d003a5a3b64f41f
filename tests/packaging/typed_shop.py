"""A shop's code as mypy sees it with django-stubs: `make lint` checks each `assert_type`, nothing runs it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, assert_type

from wallet_gateway import payments, signals
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import (
    Approval,
    BatchKind,
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    Payment,
    PaymentOrder,
)
from wallet_gateway.payments import approvals, batches, errors, follow_ups, maintenance, orders, wallet
from wallet_gateway.protocol.codes import Currency
from wallet_gateway.queries.health import Health
from wallet_gateway.testing import InProcessTransport
from wallet_gateway.testing.plugin import WalletApplication
from wallet_gateway.testing.sandbox import SandboxControl, SandboxServer


def checkout() -> None:
    order = payments.create_order(reference="ORDER-1", currency="EUR", amount=Decimal("10.00"))
    assert_type(order, PaymentOrder)
    assert_type(order.reference, str)
    assert_type(order.token, str)
    assert_type(order.amount, payments.Money)
    assert_type(order.currency, Currency)
    assert_type(order.state, str)
    assert_type(order.is_paid, bool)
    assert_type(order.created_at, datetime)
    payment = payments.start_checkout(payments.get_order("ORDER-1"))
    assert_type(payment, Payment)
    assert_type(payment.order, PaymentOrder)
    assert_type(payment.redirect_url, str)
    assert_type(payment.expires_at, datetime | None)
    assert_type(payment.captured, int)
    assert_type(payment.card_last_four, str)
    assert_type(payments.reconcile(payment), PaymentOrder)
    assert_type(orders.get_order_by_token("token"), PaymentOrder)
    assert_type(orders.attempt_for("reference"), Payment)
    assert_type(payments.order_summary(order), orders.OrderSummary)
    assert_type(orders.order_timeline(order), tuple[orders.TimelineEntry, ...])


def operations(order: PaymentOrder, batch: OperationBatch, deposit: MigratedDeposit) -> None:
    transaction = payments.capture(order, Decimal("1.00"))
    assert_type(transaction, GatewayTransaction)
    assert_type(transaction.reference, str)
    assert_type(transaction.kind, str)
    assert_type(transaction.state, str)
    assert_type(transaction.payment, Payment | None)
    assert_type(transaction.approved_amount, payments.Money | None)
    assert_type(transaction.needs_operator, bool)
    assert_type(payments.refund(order), GatewayTransaction)
    assert_type(payments.reverse(order), GatewayTransaction)
    assert_type(payments.refund_migrated("id", Decimal(1), "EUR"), GatewayTransaction)
    assert_type(follow_ups.send_again(transaction), GatewayTransaction)
    assert_type(follow_ups.give_up_unsent(transaction, by="Kim"), bool)
    assert_type(batches.draft(BatchKind.CAPTURE, [order], by="Kim"), OperationBatch)
    assert_type(batches.step(batch), list[OperationBatchRow])
    assert_type(batches.start_status_queries([order, deposit], by="Kim"), OperationBatch)
    assert_type(deposit.refundable, payments.Money | None)


def decisions(approval: Approval, transaction: GatewayTransaction, discrepancy: Discrepancy) -> None:
    assert_type(approvals.waiting(), tuple[Approval, ...])
    assert_type(approvals.approve(approval, by=payments.Actor(name="Kim", account="7")), GatewayTransaction)
    assert_type(approvals.decline(approval, by="Kim", reason="no"), Approval)
    assert_type(approvals.resolve(transaction, decision="CONFIRMED", reason="", by=""), GatewayTransaction)
    assert_type(approvals.close_discrepancy(discrepancy, reason="", by=""), Discrepancy)
    assert_type(discrepancy.closed_at, datetime | None)


def wallet_button(order: PaymentOrder) -> None:
    assert_type(wallet.open_session(order, session="key"), wallet.WalletSession)
    assert_type(wallet.price_sheet(order, reference="r", session="key"), wallet.SheetPrice)
    payment = wallet.pay(order, session="key", detail={})
    assert_type(payment, Payment)
    assert_type(wallet.outcome(payment), wallet.WalletOutcome)
    assert_type(wallet.next_reference(order, session="key"), str)
    assert_type(wallet.receipt(order), wallet.WalletReceipt | None)
    assert_type(wallet.rotate_keys(), wallet.Rotation)


def background(order: PaymentOrder) -> None:
    assert_type(payments.sweep(), tuple[maintenance.SweepReport, ...])
    assert_type(maintenance.health(), Health)
    assert_type(maintenance.deliver_events(), int)
    assert_type(maintenance.stop_sending("default", by="Kim", reason="maintenance"), GatewayPause)
    assert_type(maintenance.query_status(order), maintenance.QueryReport)


def refused(order: PaymentOrder) -> None:
    try:
        payments.refund(order)
    except errors.AwaitingApproval as error:
        assert_type(error.approval, Approval)
    except errors.InvalidInput as error:
        assert_type([fault.message for fault in error.errors], list[str])
    except errors.OperationError as error:
        assert_type(error.code, ErrorCode)
        assert_type(error.params, Mapping[str, object])
        assert_type(error.message, str)
        assert_type(error.status, int)


def shipped(*, order: PaymentOrder, **_: object) -> None:
    assert_type(order.reference, str)


assert_type(signals.order_paid, signals.ShopSignal)
signals.order_paid.connect(shipped)


def test_suite(sandbox: SandboxControl, answer: WalletApplication) -> None:
    with SandboxServer() as server:
        assert_type(server, SandboxServer)
        assert_type(server.control, SandboxControl)
    assert_type(sandbox.complete_checkout("reference", "approve"), str)
    assert_type(sandbox.journal(), list[dict[str, Any]])
    assert_type(answer(lambda _environ, _start: [b""]), InProcessTransport)
