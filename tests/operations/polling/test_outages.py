"""A gateway that is away learns us nothing, and costs no question."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.operations.conftest import VirtualClock
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


def test_a_payment_made_before_an_outage_of_a_week_is_found_within_the_hour_after_it(
    open_page: Callable[..., Payment],
    wallet_sandbox: SandboxControl,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    attempt = open_page()
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    wallet_sandbox.fault("status", "status_before", status=500, times=0)
    # A sweep that comes every hour on the first two days and on the last; between them, one a day.
    for hours in (*[1] * 48, *[24] * 5, *[1] * 24):
        clock.advance(hours=hours)
        sweep(context=context)
    wallet_sandbox.clear_faults()

    clock.advance(hours=1, seconds=1)
    sweep(context=context)

    attempt.order.refresh_from_db()
    assert attempt.order.state == OrderState.PAID


def test_a_sweep_that_was_not_run_for_a_week_catches_up_with_one_answer(
    open_page: Callable[..., Payment], context: GatewayContext, clock: VirtualClock
) -> None:
    attempt = open_page()
    clock.advance(days=9)

    assert sweep(context=context).queried == 1
    attempt.order.refresh_from_db()
    assert attempt.order.state == OrderState.EXPIRED


def test_an_unanswered_question_is_repeated_soon_and_climbs_no_rung(
    open_page: Callable[..., Payment],
    wallet_sandbox: SandboxControl,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    attempt = open_page()
    wallet_sandbox.fault("status", "drop_before", times=0)
    clock.advance(minutes=2)
    sweep(context=context)

    transaction = GatewayTransaction.objects.get(reference=attempt.reference)
    assert transaction.poll_step == 0
    assert transaction.next_query_at is not None
    assert 0 < (transaction.next_query_at - clock.now()).total_seconds() <= 60
