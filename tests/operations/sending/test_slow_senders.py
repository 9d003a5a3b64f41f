"""A sender that wakes up after its lease sends nothing more, and what it reports is true."""

from __future__ import annotations

import time

import pytest

from tests.exhaustive import one_of
from tests.operations.aftermath import latest
from tests.operations.conftest import MakeOrder, Resolve, VirtualClock, sweep_until
from tests.operations.dying import interrupted
from tests.operations.sending.leases import end_lease
from tests.operations.subjects import OPERATIONS, Subject
from tests.refusals import refuses
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, TransactionEvent
from wallet_gateway.operations import context as contexts
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable
from wallet_gateway.operations.maintenance.sweep import sweep

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


def test_a_sender_that_slept_on_its_claim_does_not_begin(
    subject: Subject, context: GatewayContext, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(contexts, "SEND_WITHIN_SECONDS", -1.0)
        transaction = subject.execute()
    assert transaction.state == S.NOT_SENT
    assert transaction.explanation_params["reason"] == "stale_claim"
    assert subject.requests() == 0

    clock.advance_to(transaction.next_send_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert transaction.state == S.APPROVED
    assert subject.requests() == 1


def test_a_sender_whose_machine_was_suspended_sends_nothing_on_its_old_claim(
    subject: Subject, context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between claim and first byte `time.monotonic` stands still, and the time since the start goes on."""
    since_start, suspended = time.clock_gettime, {getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC): 3600}

    def be_suspended() -> None:
        monkeypatch.setattr(time, "clock_gettime", lambda clock: since_start(clock) + suspended.get(clock, 0))

    transaction = subject.execute(interrupted(context, before=be_suspended))

    assert transaction.state == S.NOT_SENT
    assert transaction.explanation_params["reason"] == "stale_claim"
    assert subject.requests() == 0


def test_a_sender_that_wakes_up_after_its_lease_cannot_say_that_nothing_was_sent(
    subject: Subject, context: GatewayContext, clock: VirtualClock
) -> None:
    def sleep_too_long() -> None:
        end_lease(context, clock)
        raise NotSent(NotSentReason.STALE_CLAIM)

    transaction = subject.execute(interrupted(context, before=sleep_too_long))

    assert transaction.state == S.UNKNOWN
    assert transaction.next_send_at is None, "it must not come to be sent again by a detour"
    assert subject.reserved() == subject.amount
    assert [row.kind for row in TransactionEvent.objects.filter(transaction=transaction)] == [
        "LEASE_ENDED",
        "FAULT",
    ]


@pytest.mark.parametrize("subject", one_of(OPERATIONS), indirect=True)
def test_a_sender_that_a_paused_machine_held_back_until_it_was_given_up_is_seen(
    subject: Subject, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    """No clock of a paused virtual machine counts that time: the request leaves once, and that is told."""

    def be_paused() -> None:
        end_lease(context, clock)
        sweep_until(latest(), lambda row: row.needs_operator, context=context, clock=clock)
        resolve(latest(), Decision.DID_NOT_HAPPEN)

    transaction = subject.execute(interrupted(context, before=be_paused))

    assert transaction.state == S.ANOMALY
    assert (subject.requests(), subject.is_frozen()) == (1, True)
    assert Discrepancy.objects.get(transaction=transaction).kind == DiscrepancyKind.APPROVED_AFTER_END


def test_an_answer_that_comes_after_the_lease_still_counts(
    subject: Subject, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = subject.execute(interrupted(context, after=lambda: end_lease(context, clock)))

    assert transaction.state == S.APPROVED
    assert subject.booked() == subject.executed(transaction) == subject.amount
    assert OutboxEvent.objects.filter(transaction=transaction).count() == (subject.payment is not None)


def test_an_answer_that_comes_after_the_sweep_has_found_out_is_counted_once(
    subject: Subject, context: GatewayContext, clock: VirtualClock
) -> None:
    def be_overtaken() -> None:
        end_lease(context, clock)
        clock.advance(seconds=3)
        sweep(context=context)
        assert latest().state == S.APPROVED

    transaction = subject.execute(interrupted(context, after=be_overtaken))

    assert transaction.state == S.APPROVED
    assert subject.booked() == subject.amount
    assert OutboxEvent.objects.filter(transaction=transaction).count() == (subject.payment is not None)


def test_a_page_that_comes_after_the_lease_is_shown_to_nobody(
    make_order: MakeOrder, context: GatewayContext, clock: VirtualClock
) -> None:
    sleeper = interrupted(context, after=lambda: end_lease(context, clock))
    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT, says="too late"):
        start_checkout(order=make_order(), context=sleeper, return_urls=return_urls)

    transaction = latest()
    assert (transaction.state, transaction.redirect_url) == (S.ABANDONED, "")


def test_a_page_that_comes_after_another_click_opened_one_is_shown_to_nobody(
    make_order: MakeOrder, context: GatewayContext, clock: VirtualClock
) -> None:
    order = make_order()

    def somebody_else_clicks() -> None:
        end_lease(context, clock)
        start_checkout(order=order, context=context, return_urls=return_urls)

    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT, says="too late"):
        start_checkout(
            order=order, context=interrupted(context, after=somebody_else_clicks), return_urls=return_urls
        )

    opened = GatewayTransaction.objects.get(state=S.OPEN)
    assert opened.payment is not None
    assert opened.payment.number == 2
    assert start_checkout(order=order, context=context, return_urls=return_urls).reference == opened.reference
