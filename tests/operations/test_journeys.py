"""Whole journeys of an order's money, as use cases, against the real sandbox."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.operations.conftest import Pay, VirtualClock
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def test_a_sale_that_succeeds_is_paid(pay: Pay) -> None:
    payment = pay()

    assert payment.order.state == OrderState.PAID
    assert (payment.authorized, payment.captured) == (2000, 2000)


@pytest.mark.parametrize("outcome", ["refused", "error", "cancelled"])
def test_an_attempt_that_fails_leaves_the_order_payable(pay: Pay, outcome: str) -> None:
    payment = pay(outcome)

    assert payment.order.state == OrderState.FAILED
    assert payment.order.is_payable


def test_a_page_left_undecided_stays_open(pay: Pay) -> None:
    assert pay("return").order.state == OrderState.OPEN


def test_a_pending_payment_is_pending_until_it_is_settled(
    pay: Pay, wallet_sandbox: SandboxControl, clock: VirtualClock, context: GatewayContext
) -> None:
    payment = pay("pending")
    assert payment.order.state == OrderState.PENDING

    wallet_sandbox.settle_pending(payment.reference, "success")
    clock.advance(seconds=3)
    payment = reconciliation.reconcile_attempt(reference=payment.reference, context=context)
    assert payment.order.state == OrderState.PAID


def test_a_preauthorization_is_captured_in_parts_and_refunded(pay: Pay, context: GatewayContext) -> None:
    payment = pay(type="preauthorization")
    assert payment.order.state == OrderState.AUTHORIZED

    first = follow_ups.capture(payment=payment, context=context, amount=Decimal("5.00"))
    payment.refresh_from_db()
    assert first.state == TransactionState.APPROVED
    assert payment.captured == 500

    follow_ups.capture(payment=payment, context=context)
    payment.refresh_from_db()
    assert (payment.captured, payment.capture_reserved) == (2000, 0)
    payment.order.refresh_from_db()
    assert payment.order.state == OrderState.PAID

    follow_ups.refund(payment=payment, context=context, amount=Decimal("7.50"))
    payment.refresh_from_db()
    assert payment.refunded == 750
    payment.order.refresh_from_db()
    assert payment.order.state == OrderState.PART_REFUNDED


def test_a_preauthorization_is_reversed(pay: Pay, context: GatewayContext) -> None:
    payment = pay(type="preauthorization")

    follow_ups.reverse(payment=payment, context=context)

    payment.order.refresh_from_db()
    assert payment.order.state == OrderState.REVERSED
