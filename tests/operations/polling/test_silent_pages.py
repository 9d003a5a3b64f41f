"""Payments of which nothing readable is heard: after a day a person is called, and no page ends unasked."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.operations.aftermath import problems, the_order, told
from tests.operations.conftest import Pay, Resolve, VirtualClock, sweep_until
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.queries.work_queue import waiting
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


SILENCES: dict[str, tuple[str, dict[str, Any]]] = {
    "no answer": ("drop_before", {}),
    "HTML": ("not_json", {}),
    "no array": ("wrong_shape", {}),
    "503": ("status_before", {"status": 503}),
}


@pytest.mark.parametrize("silence", SILENCES.values(), ids=SILENCES.keys())
def test_a_page_a_day_past_its_end_without_a_readable_answer_reaches_a_person(
    silence: tuple[str, dict[str, Any]],
    open_page: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = open_page()
    transaction, end = payment.opening, payment.opening.expires_at
    assert end is not None
    wallet_sandbox.complete_checkout(payment.reference, "success")
    fault, options = silence
    wallet_sandbox.fault("status", fault, times=0, **options)
    clock.advance(hours=2)
    sweep(context=context)
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="needs no decision"):
        resolve(transaction, Decision.DID_NOT_HAPPEN)
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator) == (S.OPEN, False)

    sweep_until(transaction, lambda row: row.needs_operator, context=context, clock=clock)
    assert transaction.state == S.OPEN
    assert timedelta(days=1) <= clock.now() - end < timedelta(days=2)
    assert "transactions that wait for a person: 1" in problems(clock)
    assert waiting({}, now=clock.now()).stuck == (transaction,)

    wallet_sandbox.clear_faults()
    sweep_until(transaction, lambda row: row.state == S.APPROVED, context=context, clock=clock)
    assert (the_order().state, told()) == (OrderState.PAID, ["PAID"])
    assert not transaction.needs_operator


def test_a_silent_page_that_a_person_gave_up_is_watched(
    open_page: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")
    wallet_sandbox.fault("status", "not_json", times=0)
    clock.advance(days=2)
    transaction = payment.opening
    sweep_until(transaction, lambda row: row.needs_operator, context=context, clock=clock)
    given_up = resolve(transaction, Decision.DID_NOT_HAPPEN)
    assert (given_up.state, the_order().state) == (S.ABANDONED, OrderState.FAILED)

    wallet_sandbox.clear_faults()
    clock.advance_to(given_up.next_query_at)
    sweep(context=context)
    assert the_order().state == OrderState.FROZEN
    assert Discrepancy.objects.get().kind == "APPROVED_AFTER_END"


def test_a_page_that_ends_after_two_days_without_a_sweep_calls_nobody(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = open_page().opening
    clock.advance(days=2)
    sweep(context=context)
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator) == (S.EXPIRED, False)


def test_something_pending_of_which_nothing_is_heard_for_a_day_reaches_a_person(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    transaction = pay("pending").opening
    sweep_until(transaction, lambda row: row.query_count == 10, context=context, clock=clock)
    assert not transaction.needs_operator
    wallet_sandbox.fault("status", "not_json", times=0)
    clock.advance_to(transaction.next_query_at)
    began = clock.now()
    sweep(context=context)
    transaction.refresh_from_db()
    sweep_until(transaction, lambda row: row.needs_operator, context=context, clock=clock)
    assert timedelta(hours=20) <= clock.now() - began <= timedelta(hours=30)
    assert "transactions that wait for a person: 1" in problems(clock)

    wallet_sandbox.clear_faults()
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator) == (S.PENDING, False), "the gateway speaks again"


def test_one_silent_answer_about_something_that_is_pending_calls_nobody(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    transaction = pay("pending").opening
    sweep_until(transaction, lambda row: row.query_count == 11, context=context, clock=clock)
    wallet_sandbox.fault("status", "not_json")
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert not transaction.needs_operator
