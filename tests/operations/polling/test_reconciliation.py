"""What the status query makes of orders: how often it is asked, odd gateways, money in doubt."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from tests.operations.aftermath import the_order, told
from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.dying import scripted
from tests.operations.journal import queries
from tests.operations.records import answer_of, record
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment
from wallet_gateway.operations.approvals.resolve import close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.operations.polling.reconciliation import AT_MOST_EVERY, reconcile_attempt, reconcile_order
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


def test_what_the_provider_calls_a_payment_is_kept(pay: Pay) -> None:
    """The sandbox's own records have it."""
    assert pay().opening.provider_transaction_id


# Not too often


def test_however_often_a_page_asks_the_gateway_is_asked_every_two_seconds_at_most(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = open_page()
    for _ in range(50):
        reconcile_attempt(reference=payment.reference, context=context)
        reconcile_order(order=payment.order, context=context)
        clock.advance(seconds=0.1)
    assert queries(wallet_sandbox) == 3
    assert timedelta(seconds=2) == AT_MOST_EVERY


def test_the_sweep_and_a_page_do_not_ask_twice(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = open_page()
    clock.advance(seconds=80)
    assert reconcile_due(context=context) == 1
    reconcile_attempt(reference=payment.reference, context=context)
    assert queries(wallet_sandbox) == 1


def test_what_is_settled_is_not_asked_about_on_demand(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    before = queries(wallet_sandbox)
    clock.advance(seconds=10)
    reconcile_attempt(reference=payment.reference, context=context)
    assert queries(wallet_sandbox) == before


def test_everything_means_what_is_settled_too(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = pay()
    refund(payment=payment, context=context, amount=Decimal("5.00"))
    before = queries(wallet_sandbox)
    assert reconcile_order(order=payment.order, context=context, everything=True).state == "PART_REFUNDED"
    assert queries(wallet_sandbox) == before + 2


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


def test_a_lagging_gateway_is_asked_until_it_knows(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    wallet_sandbox.behaviour(status_lag_seconds=120)
    payment = pay()
    assert payment.is_open
    clock.advance(seconds=125)
    reconcile_attempt(reference=payment.reference, context=context)
    assert the_order().state == OrderState.PAID


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


@pytest.mark.parametrize("letter_case", ["pascal", "lower"])
@pytest.mark.parametrize("numeric_amounts", [True, False])
def test_a_whole_life_at_a_gateway_that_writes_differently(
    letter_case: str,
    numeric_amounts: bool,
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    wallet_sandbox.behaviour(letter_case=letter_case, numeric_amounts=numeric_amounts)
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_after")
    transaction = capture(payment=payment, context=context, amount=Decimal("12.50"))
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    payment.refresh_from_db()
    assert refund(payment=payment, context=context, amount=Decimal("2.50")).state == S.APPROVED
    assert reverse_of_another(pay, context).state == S.APPROVED
    payment.refresh_from_db()
    assert (payment.captured, payment.refunded) == (1250, 250)
    clock.advance(minutes=7)
    sweep(context=context)
    assert not Discrepancy.objects.exists()


def reverse_of_another(pay: Pay, context: GatewayContext) -> GatewayTransaction:
    return reverse(payment=pay(type="preauthorization"), context=context)


# Answers that cannot be read; see also `test_unreadable_records`


def test_a_gateway_that_says_nothing_readable_for_a_day_is_a_persons_business(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    wallet_sandbox.fault("status", "not_json", times=0)
    for hours, waits in ((23, False), (2, True)):
        clock.advance(hours=hours)
        reconcile_due(context=context)
        transaction.refresh_from_db()
        assert (transaction.state, transaction.absent_count, transaction.needs_operator) == (
            S.UNKNOWN,
            0,
            waits,
        )


@pytest.mark.parametrize(("decided", "state"), [("Approved", S.APPROVED), ("Errored", S.PENDING)])
@pytest.mark.parametrize("first", [True, False])
def test_beside_an_unreadable_record_an_approval_counts_and_an_error_does_not(
    decided: str,
    state: TransactionState,
    first: bool,
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance_to(transaction.next_query_at)
    good, bad = (
        record(transaction, "5.00", state=decided),
        record(transaction, "5.00", id="g2", currencyCode="EURO"),
    )
    told = answer_of(good, bad) if first else answer_of(bad, good)
    # The end of an operation lets its payment be queried, too.
    assert reconcile_due(context=scripted(context, told)) == (2 if state == S.APPROVED else 1)

    transaction.refresh_from_db()
    assert (transaction.state, transaction.absent_count) == (state, 0)
    assert transaction.next_query_at is not None
    assert Discrepancy.objects.get().kind == "RECORD_UNREADABLE"

    clock.advance_to(transaction.next_query_at)
    reconcile_due(context=scripted(context, answer_of(good)))
    transaction.refresh_from_db()
    assert transaction.state == (S.APPROVED if decided == "Approved" else S.REJECTED)


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
