"""What the status query makes of orders: how often it is asked, odd gateways, money in doubt."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from tests.operations.aftermath import told
from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.dying import scripted
from tests.operations.journal import queries
from tests.operations.records import answer_of, record
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment
from wallet_gateway.operations.approvals.resolve import close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt, reconcile_order
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


# Not too often


def test_an_unknown_reference_is_no_attempt(context: GatewayContext) -> None:
    with pytest.raises(Payment.DoesNotExist, match="NEVER"):
        reconcile_attempt(reference="NEVER", context=context)


def test_every_approval_is_confirmed_once_where_nothing_is_asked_again(
    pay: Pay, make_context: MakeContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    context = make_context(query_again=timedelta(0))
    pay()
    before = queries(wallet_sandbox)
    clock.advance(minutes=7)
    sweep(context=context)
    transaction = GatewayTransaction.objects.get()
    assert (transaction.confirmed_at, transaction.next_query_at) == (clock.now(), None)
    clock.advance(days=40)
    sweep(context=context)
    assert queries(wallet_sandbox) == before + 1


# Gateways that lag, shout or count


def test_a_lagging_gateway_has_no_record_of_what_it_did_and_no_second_is_made(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.behaviour(status_lag_seconds=600)
    wallet_sandbox.fault("refund", "drop_after")
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    while transaction.state == S.UNKNOWN:
        clock.advance_to(transaction.next_query_at)
        sweep(context=context)
        transaction.refresh_from_db()
    assert transaction.state == S.APPROVED
    assert transaction.query_count > 3
    assert sum(entry["operation"] == "refund" for entry in wallet_sandbox.journal()) == 1


# Money and doubt in one answer


@pytest.mark.parametrize(("type", "good_news"), [("sale", "PAID"), ("preauthorization", "AUTHORIZED")])
def test_nothing_is_shipped_upon_a_payment_that_is_in_doubt_until_a_person_has_looked(
    type: str,  # noqa: A002 - the interface's own word
    good_news: str,
    open_page: Pay,
    context: GatewayContext,
) -> None:
    payment = open_page(type=type)
    opening = payment.opening
    own = record(opening, "20.00")
    strange = record(opening, "20.00", id="g9", type="ecom.refund")
    seen = reconcile_attempt(reference=payment.reference, context=scripted(context, answer_of(own, strange)))
    assert (seen.authorized, seen.is_frozen, seen.order.state) == (2000, True, OrderState.FROZEN)
    assert told() == ["ANOMALY"]

    difference = Discrepancy.objects.get(kind="MADE_ELSEWHERE")
    close_discrepancy(difference, reason="was another order's", by="anna", context=context)
    assert told() == ["ANOMALY", good_news]
    outbox_event = OutboxEvent.objects.get(kind=good_news)
    assert (outbox_event.transaction, str(outbox_event.amount)) == (opening, "20.00 EUR")
    assert outbox_event.delivered_at is not None


def test_what_was_told_before_a_freeze_is_not_told_again_after_it(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay(type="preauthorization")
    capture(payment=payment, context=context, amount=Decimal("5.00"))
    wallet_sandbox.portal(payment.reference, "ecom.refund", "1.00")
    reconcile_order(order=payment.order, context=context, everything=True)
    before = told()
    assert before == ["AUTHORIZED", "CAPTURED_IN_PART", "ANOMALY"]
    close_discrepancy(Discrepancy.objects.get(), reason="by hand", by="anna", context=context)
    assert told() == before
