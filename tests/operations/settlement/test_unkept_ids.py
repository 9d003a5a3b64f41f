"""Records whose ids cannot be kept: they approve nothing, and no two of them are taken for one."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from tests.operations.conftest import Pay, Resolve, VirtualClock
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from tests.operations.subjects import Subject
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Discrepancy
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_order
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState
HAPPENED, NOT_HAPPENED = Decision.DID_HAPPEN, Decision.DID_NOT_HAPPEN


@pytest.mark.parametrize("subject", ["refund", "detached_refund"], indirect=True)
def test_a_record_whose_id_cannot_be_kept_approves_nothing_by_itself(
    subject: Subject, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, "5.00", id="g" * 600))))

    transaction.refresh_from_db()
    assert (transaction.state, transaction.record_id) == (S.ANOMALY, None)
    assert Discrepancy.objects.get().kind == "RECORD_UNUSABLE"
    assert (subject.reserved(), subject.booked(), subject.is_frozen()) == (subject.amount, 0, True)
    assert resolve(transaction, HAPPENED).approved_minor == 500


@pytest.mark.parametrize(("state", "after"), [("Approved", S.ANOMALY), ("Errored", S.REJECTED)])
def test_only_an_approval_needs_an_id_that_can_be_kept(
    state: str, after: TransactionState, pay: Pay, context: GatewayContext
) -> None:
    payment = pay()

    def answer(body: bytes) -> bytes:
        asked = json.loads(body)
        echoed = {name: asked[name] for name in ("clientSystemTransactionId", "currencyCode")}
        return json.dumps({"id": "g" * 129, "state": state, "providerStateCode": "x", **echoed}).encode()

    transaction = refund(payment=payment, context=scripted(context, answer), amount=Decimal("5.00"))
    assert (transaction.state, transaction.record_id) == (after, None)


def test_two_records_made_elsewhere_whose_ids_begin_alike_are_two_differences(
    pay: Pay, context: GatewayContext
) -> None:
    payment = pay()
    opening = payment.opening
    own = record(opening, "20.00", id=opening.record_id)
    alike = [record(opening, "1.00", id="g" * 400 + end, type="ecom.refund") for end in "ab"]
    for _ in range(2):
        told = scripted(context, answer_of(own, *alike))
        reconcile_order(order=payment.order, context=told, everything=True)
    assert [row.kind for row in Discrepancy.objects.all()] == ["MADE_ELSEWHERE"] * 2


def test_a_second_id_too_long_to_be_stored_is_another_difference(
    pay: Pay, wallet_sandbox: SandboxControl, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=pay(), context=context, amount=Decimal("5.00"))
    for last in "XY":
        clock.advance_to(transaction.next_query_at)
        sweep(context=scripted(context, answer_of(record(transaction, "5.00", id="g" * 600 + last))))
        transaction.refresh_from_db()
        assert transaction.state == S.ANOMALY
        transaction = resolve(transaction, HAPPENED)
