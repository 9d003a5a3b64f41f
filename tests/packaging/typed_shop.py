"""A shop's code as mypy sees it with django-stubs: `make lint` checks each `assert_type`, nothing runs it.

The annotations of functions are the package's own. What its checker could miss is here: columns of rows,
results of operations as rows, the signals and the errors that carry more.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, assert_type

from wallet_gateway import payments, signals
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import Approval, Discrepancy, GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.payments import errors
from wallet_gateway.protocol.codes import Currency
from wallet_gateway.testing import InProcessTransport
from wallet_gateway.testing.plugin import WalletApplication
from wallet_gateway.testing.sandbox import SandboxControl


def columns(order: PaymentOrder, discrepancy: Discrepancy) -> None:
    assert_type(order.reference, str)
    assert_type(order.amount, payments.Money)
    assert_type(order.currency, Currency)
    assert_type(order.state, str)
    assert_type(order.is_paid, bool)
    assert_type(order.created_at, datetime)
    payment = payments.start_checkout(order)
    assert_type(payment, Payment)
    assert_type(payment.order, PaymentOrder)
    assert_type(payment.redirect_url, str)
    assert_type(payment.expires_at, datetime | None)
    assert_type(payment.captured, int)
    transaction = payments.capture(order)
    assert_type(transaction, GatewayTransaction)
    assert_type(transaction.payment, Payment | None)
    assert_type(transaction.approved_amount, payments.Money | None)
    assert_type(discrepancy.closed_at, datetime | None)


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
        assert_type((error.message, error.status), tuple[str, int])


def shipped(*, order: PaymentOrder, **_: object) -> None:
    assert_type(order.reference, str)


assert_type(signals.order_paid, signals.ShopSignal)
signals.order_paid.connect(shipped)


def test_suite(sandbox: SandboxControl, answer: WalletApplication) -> None:
    assert_type(sandbox.journal(), list[dict[str, Any]])
    assert_type(answer(lambda _environ, _start: [b""]), InProcessTransport)
