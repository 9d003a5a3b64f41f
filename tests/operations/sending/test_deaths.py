"""Processes that die or lose their database while they send, and what becomes of what they leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, connections

from tests.operations.aftermath import latest
from tests.operations.conftest import MakeOrder, VirtualClock
from tests.operations.dying import Killed, interrupted, kill
from tests.operations.sending.leases import end_lease
from tests.operations.subjects import Subject
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, PaymentOrder, TransactionEvent
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import OperationOutstanding, TryAgain
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.sending import answers
from wallet_gateway.operations.settlement import db_transactions
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


# A sender dies


def test_a_sender_that_dies_before_a_byte_leaves_is_unknown_although_nothing_was_sent(
    subject: Subject, context: GatewayContext, clock: VirtualClock
) -> None:
    with pytest.raises(Killed):
        subject.execute(interrupted(context, before=kill))
    transaction = latest()
    assert (transaction.state, transaction.attempt_no) == (S.SENDING, 1)
    assert subject.reserved() == subject.amount
    assert subject.requests() == 0

    clock.advance(seconds=119)
    assert sweep(context=context).leases_ended == 0
    clock.advance(seconds=2)
    assert sweep(context=context).leases_ended == 1
    transaction.refresh_from_db()
    assert transaction.state == S.UNKNOWN
    assert transaction.explanation_code == "sender_silent"
    assert subject.reserved() == subject.amount

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert (transaction.state, transaction.absent_count) == (S.UNKNOWN, 1)
    assert subject.requests() == 0, "what may have left is never sent again"


@pytest.mark.parametrize("where", ["before the answer is read", "before it is stored"])
def test_a_sender_that_dies_after_the_gateway_did_its_work_is_found_out_by_the_sweep(
    where: str,
    subject: Subject,
    context: GatewayContext,
    clock: VirtualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unstored = where == "before it is stored"
    sender = context if unstored else interrupted(context, after=kill)
    with monkeypatch.context() as patch:
        if unstored:
            patch.setattr(answers, "settle", lambda *_, **__: kill())
        with pytest.raises(Killed):
            subject.execute(sender)
    assert latest().state == S.SENDING

    end_lease(context, clock)
    clock.advance_to(latest().next_query_at)
    sweep(context=context)

    transaction = latest()
    assert transaction.state == S.APPROVED
    assert subject.booked() == subject.executed(transaction) == subject.amount
    assert subject.requests() == 1
    kinds = [row.kind for row in TransactionEvent.objects.filter(transaction=transaction)]
    assert kinds == ["LEASE_ENDED", "RECORDS"]


def test_while_a_sender_has_its_lease_nobody_begins_another_operation(
    subject: Subject, context: GatewayContext
) -> None:
    with pytest.raises(Killed):
        subject.execute(interrupted(context, before=kill))

    with pytest.raises(OperationOutstanding):
        subject.execute()
    assert GatewayTransaction.objects.filter(kind=latest().kind).count() == 1
    assert subject.reserved() == subject.amount


def test_a_page_whose_opener_died_is_abandoned_and_kept_on_watch(
    make_order: MakeOrder, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    order = make_order()
    with pytest.raises(Killed):
        start_checkout(order=order, context=interrupted(context, after=kill), return_urls=return_urls)
    assert latest().state == S.SENDING

    with pytest.raises(TryAgain):
        start_checkout(order=order, context=context, return_urls=return_urls)
    end_lease(context, clock)

    transaction = latest()
    assert transaction.state == S.ABANDONED
    assert transaction.expires_at is not None
    assert transaction.next_query_at is not None
    assert transaction.next_query_at > transaction.expires_at
    order.refresh_from_db()
    assert order.state == OrderState.FAILED
    second = start_checkout(order=order, context=context, return_urls=return_urls)
    assert second.reference != transaction.reference

    wallet_sandbox.complete_checkout(transaction.reference, "success")
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    order.refresh_from_db()
    assert (transaction.state, order.state) == (S.ANOMALY, OrderState.FROZEN)


def in_another_connection(read: Callable[[], Any]) -> Any:  # noqa: ANN401 - what was read
    """Read in a thread of its own: a connection that sees what is committed, and nothing else."""
    with ThreadPoolExecutor(max_workers=1) as elsewhere:
        found = elsewhere.submit(read).result(60)
        elsewhere.submit(connections.close_all).result(60)
    return found


@pytest.mark.django_db(transaction=True)
def test_the_intent_is_committed_before_the_first_byte_and_the_page_before_anybody_is_sent_there(
    make_order: MakeOrder, context: GatewayContext
) -> None:
    def committed() -> tuple[str, str]:
        transaction = GatewayTransaction.objects.get()
        assert transaction.body_hash
        return transaction.state, transaction.redirect_url

    seen: list[tuple[str, str]] = []
    looked_at = interrupted(context, before=lambda: seen.append(in_another_connection(committed)))
    payment = start_checkout(order=make_order(), context=looked_at, return_urls=return_urls)
    assert seen == [(S.SENDING, "")]
    assert in_another_connection(committed) == (S.OPEN, payment.redirect_url)
    assert in_another_connection(lambda: TransactionEvent.objects.get().lifecycle_event) == "OPENED"


@pytest.mark.django_db(transaction=True)
def test_an_opener_that_dies_leaves_a_committed_intent_and_no_page(
    make_order: MakeOrder, context: GatewayContext
) -> None:
    for moment in ("before", "after"):
        order = make_order()
        with pytest.raises(Killed):
            start_checkout(
                order=order, context=interrupted(context, **{moment: kill}), return_urls=return_urls
            )

        def left(order: PaymentOrder = order) -> tuple[str, str, int]:
            transaction = GatewayTransaction.objects.get(payment__order=order)
            return transaction.state, transaction.redirect_url, transaction.events.count()

        assert in_another_connection(left) == (S.SENDING, "", 0)


@pytest.mark.django_db(transaction=True)
def test_an_opened_page_is_stored_once_the_database_is_back(
    make_order: MakeOrder, context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = make_order()
    tries: list[bool] = []
    in_transaction = db_transactions.in_transaction

    def away(work: Callable[[], object]) -> object:
        tries.append(True)
        if len(tries) <= 2:
            raise OperationalError("server closed the connection unexpectedly")
        return in_transaction(work)

    monkeypatch.setattr(db_transactions, "in_transaction", away)
    monkeypatch.setattr(db_transactions, "PATIENT_WAITS", (0.01,) * 5)
    payment = start_checkout(order=order, context=context, return_urls=return_urls)
    assert (len(tries), payment.is_open) == (3, True)
    assert TransactionEvent.objects.count() == 1


# The database goes away


@contextmanager
def database_fails(*, on: str, times: int) -> Iterator[list[str]]:
    """Let the next statements that begin so fail as they do when the server is gone."""
    failed: list[str] = []

    def wrapper(execute: Callable[..., Any], sql: str, *rest: Any) -> object:
        if sql.startswith(on) and len(failed) < times:
            failed.append(sql)
            raise OperationalError("server closed the connection unexpectedly")
        return execute(sql, *rest)

    with connection.execute_wrapper(wrapper):
        yield failed


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("subject", ["capture", "detached_refund"], indirect=True)
class TestWithoutDatabase:
    INSERT_INTENT = f"INSERT INTO {connection.ops.quote_name('wallet_gateway_gatewaytransaction')}"
    UPDATE_INTENT = f"UPDATE {connection.ops.quote_name('wallet_gateway_gatewaytransaction')}"

    def test_before_the_row_is_written_nothing_is_begun(self, subject: Subject) -> None:
        before = GatewayTransaction.objects.count()
        with database_fails(on=self.INSERT_INTENT, times=1), pytest.raises(OperationalError):
            subject.execute()

        assert GatewayTransaction.objects.count() == before
        assert subject.reserved() == 0
        assert subject.requests() == 0

    def test_an_answer_that_cannot_be_stored_leaves_the_row_sending_and_the_sweep_finds_it(
        self,
        subject: Subject,
        context: GatewayContext,
        clock: VirtualClock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(db_transactions, "PATIENT_WAITS", (0.01,) * 5)
        with database_fails(on=self.UPDATE_INTENT, times=6), pytest.raises(OperationalError):
            subject.execute()
        assert latest().state == S.SENDING
        assert subject.reserved() == subject.amount

        end_lease(context, clock)
        clock.advance_to(latest().next_query_at)
        sweep(context=context)

        assert latest().state == S.APPROVED
        assert subject.booked() == subject.executed(latest()) == subject.amount
        assert subject.requests() == 1


# Clocks differ


@pytest.mark.parametrize("skew", [timedelta(hours=1), timedelta(days=3650)], ids=["an hour", "ten years"])
def test_the_gateways_clock_decides_nothing(
    skew: timedelta, subject: Subject, context: GatewayContext, clock: VirtualClock
) -> None:
    subject.control.advance_clock(skew.total_seconds())
    subject.control.fault(subject.name, "drop_after")
    transaction = subject.execute()

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)

    transaction.refresh_from_db()
    assert transaction.state == S.APPROVED
    assert transaction.state_changed_at == clock.now()
