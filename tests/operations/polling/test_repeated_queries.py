"""Approvals are queried again by the sweep alone: what it costs, and what it finds."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from tests.operations.conftest import MakeContext, Pay, Resolve, VirtualClock
from tests.operations.dying import filing
from tests.operations.records import answer_of, record
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState
FIVE = Decimal("5.00")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def sweep_for(span: timedelta, *, context: GatewayContext, clock: VirtualClock, every: timedelta) -> None:
    for _ in range(span // every):
        clock.advance(seconds=every.total_seconds())
        sweep(context=context)


def the_discrepancy() -> Discrepancy:
    return Discrepancy.objects.get()


# What is seen


@pytest.mark.parametrize("type_", ["sale", "preauthorization"])
@pytest.mark.parametrize("hours", [1, 30, 100])
def test_what_is_made_in_the_portal_is_a_discrepancy_within_a_day_by_sweeps_alone(
    type_: str,
    hours: int,
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = pay(type=type_)
    sweep_for(timedelta(hours=hours), context=context, clock=clock, every=HOUR)
    assert not Discrepancy.objects.exists()
    wallet_sandbox.portal(payment.reference, "ecom.refund" if type_ == "sale" else "ecom.capture", "4.00")

    sweep_for(DAY, context=context, clock=clock, every=HOUR)

    payment.refresh_from_db()
    assert the_discrepancy().kind == DiscrepancyKind.MADE_ELSEWHERE
    assert payment.is_frozen
    payment.order.refresh_from_db()
    assert payment.order.state == OrderState.FROZEN


@pytest.mark.parametrize("kind", ["capture", "refund"])
def test_a_follow_up_that_is_carried_out_twice_hours_later_is_seen_within_a_day(
    kind: str, pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = pay(type="sale" if kind == "refund" else "preauthorization")
    operation = refund if kind == "refund" else capture
    transaction = operation(payment=payment, context=context, amount=FIVE)
    sweep_for(2 * HOUR, context=context, clock=clock, every=HOUR / 4)
    transaction.refresh_from_db()
    assert transaction.confirmed_at is not None
    assert transaction.record_id

    first = record(transaction, "5.00", id=transaction.record_id)
    again = record(transaction, "5.00", id="g2")
    opening = record(payment.opening, "20.00", id=payment.opening.record_id)
    twice = filing(
        context, {transaction.reference: answer_of(first, again), payment.reference: answer_of(opening)}
    )
    sweep_for(DAY, context=twice, clock=clock, every=HOUR)

    transaction.refresh_from_db()
    payment.refresh_from_db()
    assert (transaction.state, the_discrepancy().kind) == (S.ANOMALY, DiscrepancyKind.EXECUTED_TWICE)
    assert payment.is_frozen


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("kind", ["capture", "refund", "checkout"])
def test_what_the_gateway_carries_out_twice_is_seen_by_sweeps_alone(
    kind: str,
    shared: bool,
    pay: Pay,
    make_context: MakeContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    context = make_context(shares_references=shared)
    wallet_sandbox.behaviour(duplicates="execute", share_references=shared)
    if kind == "checkout":
        opening = pay().opening
        first, second = (record(opening, "20.00", id=id_) for id_ in (opening.record_id, "g2"))
        context = filing(context, {opening.reference: answer_of(first, second)})
    else:
        payment = pay(type="sale" if kind == "refund" else "preauthorization")
        wallet_sandbox.fault(kind, "duplicate")
        operation = refund if kind == "refund" else capture
        operation(payment=payment, context=context, amount=FIVE)
    sweep_for(DAY, context=context, clock=clock, every=HOUR)
    assert Payment.objects.get().is_frozen
    assert Discrepancy.objects.filter(closed_at=None).exists()


def test_a_checkout_that_is_carried_out_twice_days_later_is_seen_within_a_day(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    opening = pay().opening
    sweep_for(3 * DAY, context=context, clock=clock, every=6 * HOUR)
    opening.refresh_from_db()
    records = (record(opening, "20.00", id=id_) for id_ in (opening.record_id, "g2"))
    sweep_for(DAY, context=filing(context, {opening.reference: answer_of(*records)}), clock=clock, every=HOUR)
    opening.refresh_from_db()
    assert (opening.state, the_discrepancy().kind) == (S.ANOMALY, DiscrepancyKind.EXECUTED_TWICE)


@pytest.mark.parametrize(
    ("answer", "kind", "freezes"),
    [
        ({}, DiscrepancyKind.MISSING_THERE, False),
        ({"state": "Errored"}, DiscrepancyKind.STATE_DIFFERS, True),
        ({"state": "Pending"}, DiscrepancyKind.STATE_DIFFERS, True),
        ({"id": "g2", "state": "Errored"}, DiscrepancyKind.MISSING_THERE, False),
        ({"id": "g2", "state": "Pending"}, DiscrepancyKind.MISSING_THERE, False),
    ],
    ids=["forgotten", "errored", "pending", "another one declined", "another one pending"],
)
def test_what_the_gateway_says_otherwise_a_day_later_is_recorded_as_a_comparison_would(
    answer: dict[str, str],
    kind: DiscrepancyKind,
    freezes: bool,
    pay: Pay,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    payment = pay()
    sweep_for(2 * HOUR, context=context, clock=clock, every=HOUR / 4)
    transaction = GatewayTransaction.objects.get()
    own = {"id": transaction.record_id}
    records = [record(transaction, "20.00", **own | answer)] if answer else []
    told = filing(context, {transaction.reference: answer_of(*records)})
    sweep_for(DAY, context=told, clock=clock, every=HOUR)
    transaction.refresh_from_db()
    payment.refresh_from_db()
    assert (the_discrepancy().kind, payment.is_frozen) == (kind, freezes)
    assert transaction.state == S.APPROVED, "what was approved is not silently taken back"
    assert transaction.next_query_at is not None
    events = TransactionEvent.objects.count()
    sweep_for(2 * DAY, context=told, clock=clock, every=6 * HOUR)
    assert (Discrepancy.objects.count(), TransactionEvent.objects.count()) == (1, events), "told once"


def test_a_contradiction_that_a_person_has_accepted_is_watched_and_not_reported_again(
    pay: Pay, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    opening = pay().opening
    records = [record(opening, "20.00", id=id_) for id_ in (opening.record_id, "g2")]
    twice = filing(context, {opening.reference: answer_of(*records)})
    clock.advance(minutes=6)
    sweep(context=twice)
    opening.refresh_from_db()
    assert opening.state == S.ANOMALY
    resolve(opening, resolutions.Decision.DID_HAPPEN)
    before = TransactionEvent.objects.count()
    sweep_for(3 * DAY, context=twice, clock=clock, every=6 * HOUR)
    opening.refresh_from_db()
    assert (opening.state, TransactionEvent.objects.count()) == (S.APPROVED, before)
    assert opening.next_query_at is not None


# What it costs


def test_an_early_look_does_not_take_the_place_of_a_later_one(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    from wallet_gateway.operations.polling.reconciliation import reconcile_order

    payment = pay()
    reconcile_order(order=payment.order, context=context, everything=True)
    transaction = GatewayTransaction.objects.get()
    assert transaction.confirmed_at == clock.now()
    assert transaction.next_query_at is not None
    assert timedelta(minutes=4) <= transaction.next_query_at - clock.now() <= timedelta(minutes=6)


# What was refused and carried out all the same


@pytest.mark.parametrize("kind", ["capture", "refund"])
def test_an_operation_that_was_answered_with_an_error_and_shows_an_hour_later_is_an_anomaly(
    kind: str, pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    """A gateway whose records lag has none when the refusal is confirmed, and none five minutes later."""
    payment = pay(type="sale" if kind == "refund" else "preauthorization")
    wallet_sandbox.behaviour(status_lag_seconds=4000)
    wallet_sandbox.fault(kind, "error_200", times=1)
    operation = (refund if kind == "refund" else capture)(payment=payment, context=context, amount=FIVE)
    assert operation.state == S.REJECTED

    sweep_for(2 * DAY, context=context, clock=clock, every=HOUR)
    operation.refresh_from_db()
    assert operation.state == S.ANOMALY
    assert the_discrepancy().kind == DiscrepancyKind.APPROVED_AFTER_END
    assert Payment.objects.get().is_frozen
