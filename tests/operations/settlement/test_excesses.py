"""Facts that our limits do not allow: each is stored as an excess, and counters stay within their bounds."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from tests.operations.conftest import Pay, Resolve, VirtualClock, sweep_until
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import Discrepancy, GatewayTransaction
from wallet_gateway.operations.approvals.resolve import Decision, close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState
HAPPENED, NOT_HAPPENED = Decision.DID_HAPPEN, Decision.DID_NOT_HAPPEN


def excess_of(transaction: GatewayTransaction) -> int:
    """The excess of a transaction, of which a person was told: nothing is to be done with the payment."""
    told = Discrepancy.objects.get(kind="ABOVE_LIMIT", transaction=transaction, closed_at=None)
    assert f"{transaction.amount.to_wire()} EUR" in told.explanation
    transaction.refresh_from_db()
    return transaction.excess_minor


def said_not_to_have_happened(
    lost: GatewayTransaction, resolve: Resolve, *, context: GatewayContext, clock: VirtualClock
) -> GatewayTransaction:
    """Wait until an operation with a lost answer needs a person, and let that person say no."""
    sweep_until(lost, lambda row: row.needs_operator, context=context, clock=clock)
    return resolve(lost, NOT_HAPPENED)


def found_after_all(
    lost: GatewayTransaction, amount: str, *, context: GatewayContext, clock: VirtualClock
) -> None:
    """Let the gateway answer the next query with a record of the operation."""
    clock.advance_to(lost.next_query_at)
    sweep(context=scripted(context, answer_of(record(lost, amount))))
    lost.refresh_from_db()


def test_a_capture_that_happened_after_its_authorization_was_reversed_can_be_stored(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_before")
    lost = capture(payment=payment, context=context, amount=Decimal("5.00"))
    lost = said_not_to_have_happened(lost, resolve, context=context, clock=clock)
    payment.refresh_from_db()
    assert reverse(payment=payment, context=context).state == S.APPROVED

    found_after_all(lost, "5.00", context=context, clock=clock)
    assert lost.state == S.ANOMALY
    assert resolve(lost, HAPPENED).approved_minor == 500
    payment.refresh_from_db()
    assert (payment.captured, payment.reversal, payment.is_frozen) == (0, Reversal.DONE, True)
    assert excess_of(lost) == 500


def test_a_reversal_that_happened_after_a_capture_began_can_be_stored(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("reversal", "drop_before")
    lost = reverse(payment=payment, context=context)
    lost = said_not_to_have_happened(lost, resolve, context=context, clock=clock)
    payment.refresh_from_db()
    wallet_sandbox.fault("capture", "drop_before")
    unknown = capture(payment=payment, context=context, amount=Decimal("5.00"))

    clock.advance_to(lost.next_query_at)
    GatewayTransaction.objects.filter(pk=unknown.pk).update(next_query_at=clock.now() + timedelta(days=1))
    sweep(context=scripted(context, answer_of(record(lost, "20.00"))))
    lost.refresh_from_db()
    assert lost.state == S.ANOMALY
    assert resolve(lost, HAPPENED).state == S.APPROVED
    payment.refresh_from_db()
    assert (payment.capture_reserved, payment.reversal) == (500, Reversal.NONE)
    assert excess_of(lost) == 2000


def test_a_refund_above_what_is_left_leaves_the_counter_at_its_bound(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    lost = refund(payment=payment, context=context, amount=Decimal("15.00"))
    lost = said_not_to_have_happened(lost, resolve, context=context, clock=clock)
    payment.refresh_from_db()
    refund(payment=payment, context=context, amount=Decimal("12.00"))

    found_after_all(lost, "15.00", context=context, clock=clock)
    resolve(lost, HAPPENED)
    payment.refresh_from_db()
    assert (payment.refunded, payment.captured, payment.is_frozen) == (2000, 2000, True)
    assert excess_of(lost) == 700
    with pytest.raises(InvalidState):
        refund(payment=payment, context=context, amount=Decimal("1.00"))

    told = Discrepancy.objects.get(kind="ABOVE_LIMIT")
    close_discrepancy(told, reason="taken up with the provider", by="anna", context=context)
    payment.refresh_from_db()
    assert (payment.refunded, payment.is_frozen, payment.state) == (2000, False, "REFUNDED")


def test_a_capture_that_happened_beside_a_whole_one_is_written_down_as_an_excess(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_before")
    lost = capture(payment=payment, context=context, amount=Decimal("15.00"))
    lost = said_not_to_have_happened(lost, resolve, context=context, clock=clock)
    payment.refresh_from_db()
    capture(payment=payment, context=context)

    found_after_all(lost, "15.00", context=context, clock=clock)
    resolve(lost, HAPPENED)
    payment.refresh_from_db()
    assert (payment.authorized, payment.captured, payment.is_frozen) == (2000, 2000, True)
    assert excess_of(lost) == 1500
