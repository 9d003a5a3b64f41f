"""Gateways that file follow-ups under the original's reference: each record is attributed once."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.dying import filing
from tests.operations.records import answer_of, record
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


def test_a_record_that_is_attributed_already_is_not_taken_twice(
    pay: Pay,
    context: GatewayContext,
    make_context: MakeContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = pay(type="preauthorization")
    first = capture(payment=payment, context=context, amount=Decimal("5.00"))
    wallet_sandbox.fault("capture", "drop_before")
    second = capture(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance_to(second.next_query_at)
    shared = {"clientSystemTransactionId": payment.reference}
    known = record(first, "5.00", id=first.record_id, **shared)
    sharing = make_context(shares_references=True)

    reconcile_due(context=filing(sharing, {payment.reference: answer_of(known)}))
    second.refresh_from_db()
    assert (second.state, second.absent_count) == (S.UNKNOWN, 1)

    clock.advance_to(second.next_query_at)
    another = record(second, "5.00", id="g7", **shared)
    reconcile_due(context=filing(sharing, {payment.reference: answer_of(known, another)}))
    second.refresh_from_db()
    assert (second.state, second.record_id) == (S.APPROVED, "g7")


def test_a_record_that_belongs_to_another_transaction_is_a_contradiction(
    pay: Pay, context: GatewayContext, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    first, second = pay(type="preauthorization"), pay(type="preauthorization")
    taken = capture(payment=first, context=context, amount=Decimal("5.00"))
    wallet_sandbox.fault("capture", "drop_before")
    transaction = capture(payment=second, context=context, amount=Decimal("5.00"))
    clock.advance_to(transaction.next_query_at)
    same_id = answer_of(record(transaction, "5.00", id=taken.record_id))
    reconcile_due(context=filing(context, {transaction.reference: same_id}))

    transaction.refresh_from_db()
    taken.refresh_from_db()
    assert (transaction.state, taken.state) == (S.ANOMALY, S.APPROVED)
    assert Discrepancy.objects.get().kind == "RECORD_TAKEN"
    second.refresh_from_db()
    assert (second.is_frozen, second.capture_reserved) == (True, 500)
