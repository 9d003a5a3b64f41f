"""Contradictions: what a person may decide, what it books, and what stays frozen until then."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.operations.conftest import Pay, Resolve, VirtualClock
from tests.operations.dying import Killed, kill, scripted
from tests.operations.records import answer_of, record
from tests.operations.subjects import Subject
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, MigratedDeposit, OutboxEvent, Payment
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.approvals.resolve import Decision, close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_order
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState
HAPPENED, NOT_HAPPENED = Decision.DID_HAPPEN, Decision.DID_NOT_HAPPEN


# Contradictions


@pytest.fixture
def contradicted(subject: Subject, context: GatewayContext, clock: VirtualClock) -> GatewayTransaction:
    """An unknown outcome that turned up twice."""
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    twice = answer_of(*(record(transaction, transaction.amount.to_wire(), id=f"g{n}") for n in range(2)))
    sweep(context=scripted(context, twice))
    transaction.refresh_from_db()
    assert transaction.state == S.ANOMALY
    return transaction


@pytest.mark.parametrize(("decision", "state"), [(HAPPENED, S.APPROVED), (NOT_HAPPENED, S.ABANDONED)])
def test_a_contradiction_may_be_decided_either_way(
    decision: Decision,
    state: TransactionState,
    subject: Subject,
    contradicted: GatewayTransaction,
    resolve: Resolve,
) -> None:
    assert subject.reserved() == subject.amount
    decided = resolve(contradicted, decision)

    assert decided.state == state
    assert subject.reserved() == 0
    assert subject.booked() == (subject.amount if decision is HAPPENED else 0)
    assert not subject.is_frozen()
    closed = Discrepancy.objects.get()
    assert (closed.closed_by, closed.reason) == ("anna", "provider's support, ticket 4711")
    assert subject.order_state_is(done=decision is HAPPENED)


def test_whoever_dies_right_after_a_decision_leaves_nothing_frozen_for_ever(
    subject: Subject,
    contradicted: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(resolutions, "release_freeze", lambda *_, **__: kill())
        with pytest.raises(Killed):
            resolve(contradicted, NOT_HAPPENED)
    assert subject.is_frozen()

    sweep(context=context)

    assert not subject.is_frozen()
    assert subject.order_state_is(done=False)


def test_what_is_contradicted_still_no_sweep_thaws(
    subject: Subject, contradicted: GatewayTransaction, context: GatewayContext
) -> None:
    Discrepancy.objects.update(closed_at=context.clock.now())
    sweep(context=context)
    assert subject.is_frozen()


@pytest.mark.parametrize("subject", ["refund"], indirect=True)
def test_what_was_decided_is_not_contradicted_again_by_the_same_record(
    subject: Subject,
    contradicted: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    decided = resolve(contradicted, HAPPENED)
    same = [record(decided, "5.00", id=f"g{n}") for n in range(2)]
    clock.advance_to(decided.next_query_at)
    sweep(context=scripted(context, answer_of(*same)))
    decided.refresh_from_db()
    assert decided.state == S.APPROVED
    assert not Discrepancy.objects.filter(kind="EXECUTED_TWICE", closed_at=None).exists()

    clock.advance_to(decided.next_query_at)
    sweep(context=scripted(context, answer_of(record(decided, "18.88", id="g0"), same[1])))
    decided.refresh_from_db()
    assert decided.state == S.ANOMALY, "another amount is another contradiction"


@pytest.mark.parametrize("amount", ["19.99", "0.01", "500.00"])
@pytest.mark.parametrize("subject", ["capture", "refund"], indirect=True)
def test_another_amount_is_never_booked_as_ours(
    amount: str, subject: Subject, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, amount))))
    transaction.refresh_from_db()

    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="shown no approval"):
        resolve(transaction, HAPPENED)
    assert (subject.reserved(), subject.booked()) == (subject.amount, 0)
    assert subject.is_frozen()

    assert resolve(transaction, NOT_HAPPENED, reason="undone in the portal").state == S.ABANDONED
    assert (subject.reserved(), subject.booked()) == (0, 0)


@pytest.fixture
def twice(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> GatewayTransaction:
    """A refund that was carried out twice."""
    payment = pay()
    wallet_sandbox.behaviour(duplicates="execute")
    wallet_sandbox.fault("refund", "duplicate")
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert transaction.state == S.ANOMALY
    return transaction


def test_an_approval_that_was_contradicted_cannot_be_undone(
    twice: GatewayTransaction, resolve: Resolve
) -> None:
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="cannot be undone"):
        resolve(twice, NOT_HAPPENED)
    assert not Discrepancy.objects.filter(closed_at__isnull=False).exists()


def test_accepting_it_books_and_tells_nothing_a_second_time(
    twice: GatewayTransaction, resolve: Resolve
) -> None:
    told = OutboxEvent.objects.filter(kind="REFUNDED").count()
    accepted = resolve(twice, HAPPENED)

    assert accepted.state == S.APPROVED
    payment = Payment.objects.get()
    assert (payment.refunded, payment.is_frozen) == (500, False)
    assert OutboxEvent.objects.filter(kind="REFUNDED").count() == told == 1


def test_a_payment_stays_frozen_while_another_difference_is_open(
    twice: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = Payment.objects.get()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "1.00")
    reconcile_order(order=payment.order, context=context, everything=True)
    resolve(twice, HAPPENED)
    assert Payment.objects.get().is_frozen

    other = Discrepancy.objects.get(kind="MADE_ELSEWHERE")
    close_discrepancy(other, reason="refunded by hand", by="anna", context=context)
    payment = Payment.objects.select_related("order").get()
    assert not payment.is_frozen
    assert payment.order.state == OrderState.PART_REFUNDED


@pytest.mark.parametrize("subject", ["capture", "refund", "reversal"], indirect=True)
def test_an_approval_is_not_confirmed_by_a_record_of_another_id(
    subject: Subject, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    transaction = subject.execute()
    assert (transaction.state, bool(transaction.record_id)) == (S.APPROVED, True)
    other = answer_of(record(transaction, transaction.amount.to_wire(), id="another"))
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, other))

    found = Discrepancy.objects.get(transaction=transaction)
    assert found.kind == "EXECUTED_TWICE"
    assert "another" in found.explanation
    transaction.refresh_from_db()
    assert (transaction.state, transaction.record_id != "another") == (S.ANOMALY, True)
    assert subject.is_frozen()
    assert subject.booked() == subject.amount

    accepted = resolve(transaction, HAPPENED)
    clock.advance_to(accepted.next_query_at)
    sweep(context=scripted(context, other))
    accepted.refresh_from_db()
    assert accepted.state == S.APPROVED, "what a person has seen is no news"


# What a contradiction still holds back


@pytest.mark.parametrize("subject", ["detached_refund"], indirect=True)
def test_a_deposit_stays_frozen_while_a_transaction_contradicts_it(
    contradicted: GatewayTransaction, context: GatewayContext
) -> None:
    close_discrepancy(Discrepancy.objects.get(), reason="seen", by="anna", context=context)
    assert MigratedDeposit.objects.get().is_frozen
