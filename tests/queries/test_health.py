"""How payments are, in numbers: each number counts what it says, and each problem is told."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.models.rows import NOW, a_payment, a_transaction, an_order
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.polling_schedule import QueryPriority
from wallet_gateway.findings import Code
from wallet_gateway.models import (
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    OutboxEvent,
    PauseCode,
    PaymentOrder,
    SweepHeartbeat,
)
from wallet_gateway.queries.health import health, sweep_problems
from wallet_gateway.queries.work_queue import waiting

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


def test_a_swept_shop_with_nothing_open_has_no_problems(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    SweepHeartbeat.beat("default", now=NOW - timedelta(minutes=4))
    with django_assert_num_queries(12):
        assert health(NOW, ["default"]).problems == ()


def test_three_buttons_closed_within_an_hour_are_a_sign_of_card_testing_and_two_are_not() -> None:
    closed = {"wallet_limit": "AUTHORIZATIONS"}
    an_order(wallet_closed_at=NOW - timedelta(minutes=61), **closed)
    for count in range(1, 4):
        an_order(wallet_closed_at=NOW - timedelta(minutes=59), **closed)
        found = health(NOW, [])
        assert (found.buttons_closed, [one.code for one in found.problems]) == (
            count,
            ["wallet_buttons_closed"] if count == 3 else [],
        )


def test_what_waits_is_counted_and_told() -> None:
    SweepHeartbeat.beat("default", now=NOW)
    transaction = a_transaction(
        state=S.UNKNOWN, state_changed_at=NOW - timedelta(hours=1), needs_operator=True
    )
    a_transaction(state=S.UNKNOWN, state_changed_at=NOW)
    a_transaction(state=S.ANOMALY)
    a_transaction(state=S.NOT_SENT, needs_operator=True)
    a_transaction(state=S.AWAITING_3DS, needs_operator=True)
    a_transaction(state=S.AWAITING_3DS)
    a_transaction(state=S.OPEN, needs_operator=True)
    a_transaction(state=S.OPEN)
    a_transaction(state=S.APPROVED)
    payment = a_payment()
    for number, closed in enumerate((None, NOW)):
        Discrepancy.objects.create(
            kind=DiscrepancyKind.MADE_ELSEWHERE,
            gateway="default",
            payment=payment,
            fingerprint=str(number),
            found_at=NOW,
            closed_at=closed,
        )
    assert transaction.payment is not None
    OutboxEvent.objects.create(
        kind="PAID",
        order=transaction.payment.order,
        transaction=transaction,
        currency="EUR",
        occurred_at=NOW - timedelta(hours=1),
        next_delivery_at=NOW,
    )
    Discrepancy.objects.create(
        kind=DiscrepancyKind.UNIT_MIX_UP, gateway="default", payment=payment, fingerprint="m", found_at=NOW
    )
    an_order(state=OrderState.OVERPAID)
    GatewayPause.objects.create(
        gateway="default", sending_until=NOW + timedelta(1), pause_code=PauseCode.RETRY_AFTER
    )

    found = health(NOW, ["default"])

    assert (found.unknown, found.anomalies, found.waiting_for_a_person) == (2, 1, 4)
    assert (found.discrepancies, found.mix_ups, found.events_overdue, len(found.pauses)) == (2, 1, 1, 1)
    assert found.overpaid == 1
    assert found.oldest_unknown_since == NOW - timedelta(hours=1)
    assert len(found.problems) == 8


@pytest.mark.parametrize("state", [S.SENDING, S.NOT_SENT, S.OPEN, S.PENDING])
def test_what_is_left_at_a_gateway_that_nobody_sweeps_any_more_is_told(state: TransactionState) -> None:
    SweepHeartbeat.beat("second", now=NOW)
    a_transaction(state=state)
    a_transaction(state=S.APPROVED)

    found = health(NOW, ["second"])

    assert found.orphans == 1
    (problem,) = found.problems
    assert (problem.code, problem.params) == (Code.UNKNOWN_GATEWAY, {"count": 1})
    assert problem.text == "transactions at gateways that the settings do not name: 1"


@pytest.mark.parametrize("priority", [QueryPriority.WATCHED, QueryPriority.REPEATED])
def test_queries_that_are_a_day_late_have_fallen_behind(priority: QueryPriority) -> None:
    for alias in ("default", "second"):
        SweepHeartbeat.beat(alias, now=NOW)
    given: dict[str, Any] = {"state": S.APPROVED, "query_priority": priority}
    for hours in (23, 25, 49):
        a_transaction(**given, next_query_at=NOW - timedelta(hours=hours))
    a_transaction(**given, next_query_at=None)
    a_transaction(gateway="third", created_at=NOW - timedelta(minutes=6))
    found = health(NOW, ["default", "second", "third"])
    assert found.queries_behind == {"default": 2, "second": 0, "third": 0}
    never, behind = found.problems[:2]
    assert (behind.code, behind.params) == (Code.QUERIES_BEHIND, {"gateway": "default", "count": 2})
    assert "QUERY_RATE" in behind.advice
    assert never.params == {"gateway": "third"}


def test_a_gateway_that_has_just_appeared_is_no_problem_until_a_payment_of_it_waits_for_a_sweep(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    SweepHeartbeat.beat("default", now=NOW)
    with django_assert_num_queries(13):
        found = health(NOW, ["default", "new"])
    assert (found.problems, found.swept_at) == ((), {"default": NOW})
    a_transaction(gateway="new", state=S.APPROVED, created_at=NOW - timedelta(minutes=4))
    assert health(NOW, ["default", "new"]).problems == ()
    a_transaction(gateway="new", state=S.APPROVED, created_at=NOW - timedelta(minutes=6))
    (never,) = sweep_problems(NOW, ["default", "new"])
    assert (never.code, never.params) == (Code.NEVER_SWEPT, {"gateway": "new"})


LATE, LATER = NOW - timedelta(minutes=61), NOW - timedelta(minutes=59)


@pytest.mark.parametrize(
    ("state", "column"),
    [
        (S.UNKNOWN, "next_query_at"),
        (S.OPEN, "next_query_at"),
        (S.PENDING, "next_query_at"),
        (S.AWAITING_3DS, "next_query_at"),
        (S.SENDING, "leased_until"),
        (S.AWAITING_RESULT, "expires_at"),
        (S.NOT_SENT, "next_send_at"),
    ],
)
def test_what_has_no_next_instant_or_one_long_past_is_told_unless_it_is_a_persons(
    state: TransactionState, column: str
) -> None:
    SweepHeartbeat.beat("default", now=NOW)
    row = a_transaction(state=state)
    rows = GatewayTransaction.objects.filter(pk=row.pk)
    for instant, count in ((NOW, 0), (LATER, 0), (LATE, 1), (None, 1)):
        rows.update(**{column: instant})
        found = health(NOW, ["default"])
        assert found.unattended == count
        told = [problem.code for problem in found.problems]
        assert (Code.TRANSACTIONS_UNATTENDED in told) == bool(count)
        shown = waiting({}, now=NOW)
        assert bool(shown.stuck or shown.unknown) == bool(count or state is S.UNKNOWN)
        rows.update(needs_operator=True)
        found, shown = health(NOW, ["default"]), waiting({}, now=NOW)
        assert (found.unattended, found.waiting_for_a_person) == (0, 1)
        assert shown.stuck or shown.unknown, "whoever is told by health finds it on the dashboard"
        rows.update(needs_operator=False)


def test_an_order_past_its_end_that_no_sweep_looks_at_is_told() -> None:
    SweepHeartbeat.beat("default", now=NOW)
    order = a_transaction(state=S.APPROVED).opened_payment.order
    for instant, count in ((None, 0), (NOW, 0), (LATER, 0), (LATE, 1)):
        PaymentOrder.objects.filter(pk=order.pk).update(release_check_at=instant)
        found = health(NOW, ["default"])
        assert found.unreleased == count
        assert [problem.code for problem in found.problems] == [Code.ORDERS_UNRELEASED] * count


@pytest.mark.parametrize("column", ["cancelled_at", "payable_until"])
def test_an_order_that_is_looked_at_and_not_released_for_a_day_is_told(column: str) -> None:
    SweepHeartbeat.beat("default", now=NOW)
    order = an_order(state=OrderState.FAILED, release_check_at=NOW)
    orders = PaymentOrder.objects.filter(pk=order.pk)
    for hours, count in ((23, 0), (25, 1)):
        orders.update(**{column: NOW - timedelta(hours=hours)})
        assert health(NOW, ["default"]).unreleased == count
    for elsewhere in (OrderState.PENDING, OrderState.FROZEN, OrderState.PAID):
        orders.update(state=elsewhere)
        assert health(NOW, ["default"]).unreleased == 0
    orders.update(state=OrderState.CANCELLED, release_check_at=None, released_at=NOW, cancelled_at=LATE)
    assert health(NOW, ["default"]).unreleased == 0
