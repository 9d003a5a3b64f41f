"""Repeated queries beside urgent ones: what comes first, and how much of the rate they take."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.journal import asked_about, queries
from wallet_gateway.domain.polling_schedule import QueryPriority
from wallet_gateway.models import GatewayPause, GatewayTransaction
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.due import reconcile_due, repeat_queries
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.fixture
def repeated(pay: Pay, context: GatewayContext, clock: VirtualClock) -> list[GatewayTransaction]:
    """Seven paid orders that are due to be queried again."""
    for _ in range(7):
        pay()
    clock.advance(minutes=6)
    assert reconcile_due(context=context) == 7
    clock.advance(days=1)
    rows = list(GatewayTransaction.objects.order_by("next_query_at", "pk"))
    assert {row.query_priority for row in rows} == {QueryPriority.REPEATED}
    return rows


def test_it_takes_a_fifth_of_the_rate_for_all_workers_together(
    repeated: list[GatewayTransaction], make_context: MakeContext, clock: VirtualClock
) -> None:
    # A quarter of a query a second is 15 a minute, a fifth of that is 3 a minute.
    context, colleague = make_context(query_rate=0.25), make_context(query_rate=0.25)
    assert sweep(context=context).queried_again == 3
    assert sweep(context=context).queried_again == 0
    assert sweep(context=colleague).queried_again == 0
    clock.advance(seconds=59)
    assert sweep(context=colleague).queried_again == 0
    clock.advance(seconds=2)
    assert sweep(context=colleague).queried_again == 3
    clock.advance(seconds=61)
    assert sweep(context=context).queried_again == 1
    # What was one query's turn is over after one query's time.
    assert GatewayPause.objects.get().repeats_until == clock.now() + timedelta(seconds=20)
    asked = GatewayTransaction.objects.order_by("last_queried_at", "pk")
    assert [row.pk for row in asked] == [row.pk for row in repeated], "the oldest first, and none lost"


def test_what_is_urgent_comes_first_and_in_between(
    repeated: list[GatewayTransaction],
    make_context: MakeContext,
    open_page: Pay,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    early, before, late = open_page().opening, queries(wallet_sandbox), list[GatewayTransaction]()
    clock.advance(seconds=75)

    def meanwhile(_seconds: float) -> None:
        if not late and GatewayTransaction.objects.filter(query_count=2).exists():
            late.append(open_page().opening)
            clock.advance(seconds=75)

    sweep(context=replace(make_context(), sleep=meanwhile))
    asked = asked_about(wallet_sandbox)[before:]
    references = [row.reference for row in repeated]
    assert asked[0] == early.reference
    assert late[0].reference in asked[1:-1]
    assert [reference for reference in asked if reference in references] == references


def test_a_gateway_that_does_not_answer_is_not_queried_again_and_again(
    repeated: list[GatewayTransaction], make_context: MakeContext, wallet_sandbox: SandboxControl
) -> None:
    context = make_context()
    wallet_sandbox.fault("status", "status_before", times=20, status=500)
    assert repeat_queries(context=context) == 1
    assert not GatewayTransaction.objects.filter(next_query_at=None).exists()


def test_what_has_fallen_behind_is_queried_once_and_not_for_each_day(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    pay()
    clock.advance(minutes=6)
    sweep(context=context)
    clock.advance(days=5, hours=3)
    assert sweep(context=context).queried_again == 1
    transaction = GatewayTransaction.objects.get()
    assert transaction.next_query_at == transaction.state_changed_at + 6 * DAY
