"""Operations made elsewhere: they freeze the payment and correct nothing; our own are no surprise."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.explanations import explained
from tests.operations.aftermath import the_order, told
from tests.operations.conftest import Pay, VirtualClock
from tests.operations.dying import filing
from tests.operations.records import answer_of, record
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_order
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


PORTAL: list[tuple[str, str, str, Callable[[Payment], bool]]] = [
    ("preauthorization", "ecom.capture", "5.00", lambda p: (p.captured, p.capture_reserved) == (0, 0)),
    ("preauthorization", "ecom.reversalPreauthorization", "20.00", lambda p: p.reversal == Reversal.NONE),
    ("sale", "ecom.refund", "20.00", lambda p: p.refunded == 0),
]


@pytest.mark.parametrize(("type", "wire", "amount", "untouched"), PORTAL, ids=[row[1] for row in PORTAL])
def test_an_operation_made_in_the_portal_freezes_the_payment_and_corrects_nothing(
    type: str,  # noqa: A002 - the interface's own word
    wire: str,
    amount: str,
    untouched: Callable[[Payment], bool],
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = pay(type=type)
    made = wallet_sandbox.portal(payment.reference, wire, amount)
    clock.advance(minutes=7)
    sweep(context=context)

    payment.refresh_from_db()
    assert payment.is_frozen
    assert untouched(payment)
    assert the_order().state == OrderState.FROZEN
    difference = Discrepancy.objects.get()
    assert difference.kind == "MADE_ELSEWHERE"
    assert made["id"] in explained(difference)
    assert amount in explained(difference)
    assert told()[-1] == "ANOMALY"
    assert GatewayTransaction.objects.get().state == S.APPROVED, "the payment itself is not in doubt"


def test_the_same_operation_seen_again_is_the_same_difference(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "5.00")
    for _ in range(3):
        clock.advance(minutes=7)
        reconcile_order(order=payment.order, context=context, everything=True)
    assert Discrepancy.objects.count() == 1
    assert told().count("ANOMALY") == 1

    wallet_sandbox.portal(payment.reference, "ecom.refund", "5.00")
    reconcile_order(order=payment.order, context=context, everything=True)
    assert Discrepancy.objects.count() == 2


def test_a_failed_operation_in_the_portal_is_no_difference(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = pay()
    transaction = payment.opening
    own = record(transaction, "20.00", id=transaction.record_id)
    failed = record(transaction, "5.00", id="g9", type="ecom.refund", state="Errored")
    reconcile_order(
        order=payment.order,
        context=filing(context, {transaction.reference: answer_of(own, failed)}),
        everything=True,
    )
    assert not Discrepancy.objects.exists()


def test_ones_own_follow_ups_are_no_surprise(pay: Pay, context: GatewayContext, clock: VirtualClock) -> None:
    payment = pay(type="preauthorization")
    capture(payment=payment, context=context, amount=Decimal("5.00"))
    payment.refresh_from_db()
    refund(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance(minutes=7)
    sweep(context=context)
    assert not Discrepancy.objects.exists()


def test_a_frozen_payment_can_be_read_and_not_worked_on(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "5.00")
    clock.advance(minutes=7)
    sweep(context=context)
    with refuses(InvalidState, ErrorCode.PAYMENT_FROZEN):
        refund(payment=payment, context=context, amount=Decimal("20.00"))
