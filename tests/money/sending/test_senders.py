"""Senders that die, sleep too long or lose their database, and what becomes of what they leave."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, connections

from tests.money.sending.movers import FOLLOW_UPS, Mover, mover
from tests.support.database_faults import meddling, raising
from tests.support.gateway import Killed, Sent, killing, record
from tests.support.refusals import refuses
from tests.support.shop import Shop, kinds, order_of, reloaded, state
from wallet_gateway import payments
from wallet_gateway.client.errors import NotSent, NotSentReason
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayTransaction, OutboxEvent

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
every_follow_up = pytest.mark.parametrize("name", FOLLOW_UPS)


def latest() -> GatewayTransaction:
    return GatewayTransaction.objects.latest("pk")


def end_lease(shop: Shop) -> None:
    shop.clock.by += timedelta(seconds=121)
    payments.sweep()


def kinds_of_events(transaction: GatewayTransaction) -> list[str]:
    return list(transaction.events.order_by("pk").values_list("kind", flat=True))


def after_work(shop: Shop, then: Callable[[], object]) -> Callable[[Sent], tuple[int, object]]:
    """Carry a request out; something happens before its answer arrives."""

    def answer(sent: Sent) -> tuple[int, object]:
        answered = shop.gateway.approve(sent)
        then()
        return answered

    return answer


def kill() -> None:
    raise Killed


# Death


@every_follow_up
def test_a_sender_that_dies_with_its_request_out_is_unknown_and_nothing_is_sent_again(
    name: str, shop: Shop
) -> None:
    operation = mover(name, shop)
    operation.will(killing)
    with pytest.raises(Killed):
        operation.execute()
    transaction = latest()
    assert (transaction.state, transaction.attempt_no, operation.held()) == ("SENDING", 1, operation.amount)
    with refuses(payments.errors.OperationOutstanding, ErrorCode.OPERATION_OUTSTANDING):
        operation.execute()

    shop.clock.by += timedelta(seconds=118)
    assert payments.sweep()[0].leases_ended == 0
    shop.clock.by += timedelta(seconds=3)
    assert payments.sweep()[0].leases_ended == 1
    assert (reloaded(transaction).state, transaction.explanation_code) == ("UNKNOWN", "sender_silent")
    shop.sweep_when_due(transaction)
    assert (transaction.state, transaction.absent_count) == ("UNKNOWN", 1)
    assert len(operation.requests(transaction)) == 1
    operation.check_money(transaction)


@every_follow_up
def test_a_sender_that_dies_after_the_gateway_did_its_work_is_found_out_by_the_sweep(
    name: str, shop: Shop
) -> None:
    operation = mover(name, shop)
    operation.will(after_work(shop, kill))
    with pytest.raises(Killed):
        operation.execute()
    check_that_the_sweep_finds_it(operation, shop)


def check_that_the_sweep_finds_it(operation: Mover, shop: Shop) -> None:
    assert (latest().state, operation.held()) == ("SENDING", operation.amount)
    end_lease(shop)
    shop.until(latest().next_query_at)
    payments.sweep()
    transaction = latest()
    assert (transaction.state, kinds_of_events(transaction)) == ("APPROVED", ["LEASE_ENDED", "RECORDS"])
    operation.check_money(transaction)
    assert len(operation.requests(transaction)) == 1


def test_a_page_whose_opener_died_is_abandoned_and_kept_on_watch(shop: Shop) -> None:
    operation = mover("checkout", shop)
    operation.will(killing)
    with pytest.raises(Killed):
        operation.execute()
    order = order_of(latest().opened_payment)
    with pytest.raises(payments.errors.TryAgain):
        payments.start_checkout(order)
    end_lease(shop)
    transaction = latest()
    assert transaction.expires_at is not None
    assert transaction.next_query_at is not None
    assert (transaction.state, transaction.next_query_at > transaction.expires_at) == ("ABANDONED", True)
    assert (reloaded(order).state, payments.start_checkout(order).reference != transaction.reference) == (
        "FAILED",
        True,
    )

    shop.report(transaction, record(transaction.reference))
    shop.sweep_when_due(transaction)
    assert (transaction.state, state(transaction.opened_payment)[0]) == ("ANOMALY", "FROZEN")


# What is written before the first byte


def in_another_connection(read: Callable[[], Any]) -> Any:  # noqa: ANN401 - what was read
    """Read in a thread of its own: a connection that sees what is committed, and nothing else."""
    with ThreadPoolExecutor(max_workers=1) as elsewhere:
        found = elsewhere.submit(read).result(60)
        elsewhere.submit(connections.close_all).result(60)
    return found


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["checkout", "refund", "detached_refund"])
def test_the_intent_is_committed_before_the_first_byte(name: str, shop: Shop) -> None:
    operation, seen = mover(name, shop), []

    def look() -> tuple[Any, ...]:
        row = latest()
        return row.state, row.attempt_no, row.amount_minor, row.body_hash != "", row.redirect_url

    shop.interrupt(lambda _: seen.append(in_another_connection(look)))
    transaction = operation.execute()
    assert seen == [("SENDING", 1, operation.amount, True, "")]
    committed = in_another_connection(look)
    assert (committed[0], committed[4]) == (transaction.state, transaction.redirect_url)


GONE = raising(OperationalError("server closed the connection unexpectedly"))
TRANSACTIONS = connection.ops.quote_name("wallet_gateway_gatewaytransaction")


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["capture", "detached_refund"])
class TestWithoutDatabase:
    def test_before_the_row_is_written_nothing_is_begun(self, name: str, shop: Shop) -> None:
        operation, before = mover(name, shop), GatewayTransaction.objects.count()
        with meddling(f"INSERT INTO {TRANSACTIONS}", act=GONE, times=1), pytest.raises(OperationalError):
            operation.execute()
        assert (GatewayTransaction.objects.count(), operation.held(), shop.gateway.sent) == (before, 0, [])

    @pytest.mark.usefixtures("no_waiting")
    def test_an_answer_is_stored_once_the_database_is_back(self, name: str, shop: Shop) -> None:
        operation = mover(name, shop)
        with meddling(f"UPDATE {TRANSACTIONS}", act=GONE, times=3):
            assert operation.execute().state == "APPROVED"
        assert kinds_of_events(latest()) == ["ANSWER"]

    @pytest.mark.usefixtures("no_waiting")
    def test_an_answer_that_cannot_be_stored_leaves_the_row_sending_and_the_sweep_finds_it(
        self, name: str, shop: Shop
    ) -> None:
        operation = mover(name, shop)
        with meddling(f"UPDATE {TRANSACTIONS}", act=GONE, times=6), pytest.raises(OperationalError):
            operation.execute()
        check_that_the_sweep_finds_it(operation, shop)


# Sleep


@every_follow_up
def test_a_sender_whose_machine_was_suspended_sends_nothing_on_its_old_claim(
    name: str, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between claim and first byte `time.monotonic` stands still, and the time since the start goes on."""
    operation = mover(name, shop)
    since_start, suspended = time.clock_gettime, {getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC): 3600}

    def be_suspended(_: str) -> None:
        monkeypatch.setattr(time, "clock_gettime", lambda clock: since_start(clock) + suspended.get(clock, 0))

    shop.interrupt(be_suspended)
    transaction = operation.execute()
    assert (transaction.state, transaction.explanation_params["reason"]) == ("NOT_SENT", "stale_claim")
    assert operation.requests(transaction) == []

    shop.interrupt(lambda _: None)
    shop.sweep_when_due(transaction)
    assert (latest().state, len(operation.requests(transaction))) == ("APPROVED", 1)


@every_follow_up
def test_a_sender_that_wakes_up_after_its_lease_cannot_say_that_nothing_was_sent(
    name: str, shop: Shop
) -> None:
    operation = mover(name, shop)

    def sleep_too_long(_: str) -> None:
        end_lease(shop)
        raise NotSent(NotSentReason.STALE_CLAIM)

    shop.interrupt(sleep_too_long)
    transaction = operation.execute()
    assert (transaction.state, transaction.next_send_at) == ("UNKNOWN", None), "no detour to a second send"
    assert kinds_of_events(transaction) == ["LEASE_ENDED", "FAULT"]
    operation.check_money(transaction)


def test_a_sender_that_a_paused_machine_held_back_until_it_was_given_up_is_seen(shop: Shop) -> None:
    """No clock of a paused virtual machine counts that time: the request leaves once, and that is told."""
    operation = mover("capture", shop)

    def be_paused(_: str) -> None:
        end_lease(shop)
        while not latest().needs_operator:
            shop.until(latest().next_query_at)
            payments.sweep()
        payments.approvals.resolve(latest(), decision="DID_NOT_HAPPEN", reason="ticket 4711", by="anna")

    shop.interrupt(be_paused)
    transaction = operation.execute()
    assert (transaction.state, operation.row().is_frozen, kinds()) == (
        "ANOMALY",
        True,
        {"APPROVED_AFTER_END"},
    )
    assert len(operation.requests(transaction)) == 1


@pytest.mark.parametrize(
    ("name", "overtaken"),
    [("capture", True), ("refund", False), ("reversal", True), ("detached_refund", False)],
)
def test_an_answer_that_comes_late_counts_once(name: str, overtaken: bool, shop: Shop) -> None:
    operation = mover(name, shop)

    def meanwhile() -> None:
        end_lease(shop)
        if overtaken:
            shop.clock.by += timedelta(seconds=3)
            payments.sweep()
            assert latest().state == "APPROVED"

    operation.will(after_work(shop, meanwhile))
    transaction = operation.execute()
    assert transaction.state == "APPROVED"
    operation.check_money(transaction)
    told = OutboxEvent.objects.filter(transaction=transaction).count()
    assert told == (operation.payment is not None)


@pytest.mark.parametrize("another_click", [False, True])
def test_a_page_that_comes_after_the_lease_is_shown_to_nobody(another_click: bool, shop: Shop) -> None:
    order = shop.order()

    def meanwhile(_: Sent) -> tuple[int, object]:
        end_lease(shop)
        if another_click:
            payments.start_checkout(order)
        return 200, {"redirectUrl": "http://127.0.0.1:8001/late"}

    shop.gateway.pages.append(meanwhile)
    with refuses(payments.errors.GatewayUnreachable, ErrorCode.GATEWAY_SILENT, says="too late"):
        payments.start_checkout(order)
    first = GatewayTransaction.objects.earliest("pk")
    assert (first.state, first.redirect_url) == ("ABANDONED", "")
    second = payments.start_checkout(order)
    assert second.number == 2
    assert GatewayTransaction.objects.get(state="OPEN").reference == second.reference


def test_the_gateways_clock_decides_nothing(shop: Shop) -> None:
    operation = mover("refund", shop)
    transaction = operation.execute()
    for found in shop.gateway.records[transaction.reference]:
        found["transactionDateTime"] = "2099-01-01T00:00:00.0000000"
    shop.sweep_when_due(transaction)
    assert (transaction.state, transaction.confirmed_at is not None) == ("APPROVED", True)
    assert transaction.state_changed_at <= shop.clock.now()
