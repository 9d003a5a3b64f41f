"""Carrying out the rows of a batch: by each row's rules, each once, never past a stop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from tests.money.approvals.people import person
from tests.money.batches.conftest import MakeBatch
from tests.support.database_faults import meddling, raising
from tests.support.gateway import Killed, Sent, killing
from tests.support.shop import Shop, reloaded
from tests.support.shop_fixtures import Connect
from tests.support.threads import together
from wallet_gateway import payments
from wallet_gateway.models import (
    Approval,
    BatchKind,
    GatewayTransaction,
    OperationBatch,
    OperationBatchRow,
    Payment,
)
from wallet_gateway.payments import batches
from wallet_gateway.payments.errors import ErrorCode
from wallet_gateway.protocol.money import Money
from wallet_gateway.signals import batch_row_done

pytestmark = pytest.mark.django_db
LEASE = timedelta(seconds=120)
LONG = 600.0


def rows_of(batch: OperationBatch) -> list[OperationBatchRow]:
    return list(batch.rows.select_related("transaction"))


def results_of(batch: OperationBatch) -> list[tuple[str, str]]:
    return [(row.state, row.result_code) for row in rows_of(batch)]


def states_of(batch: OperationBatch) -> list[str]:
    return [row.state for row in rows_of(batch)]


def state_of(batch: OperationBatch) -> str:
    return reloaded(batch).state


def carry_out(batch: OperationBatch) -> list[OperationBatchRow]:
    return batches.step(batch, seconds=LONG)


def when_asked_who_may(then: Callable[[], object]) -> AbstractContextManager[None]:
    """Let something happen once, when a row has been claimed and its permission is looked up."""
    return meddling("auth_user", act=then)


@contextmanager
def without_the_gateway(shop: Shop) -> Iterator[None]:
    """Let the settings name another gateway instead."""
    usual = shop.settings.WALLET_GATEWAY["GATEWAYS"]["default"]
    shop.set(GATEWAYS={"second": usual})
    yield
    shop.set(GATEWAYS={"default": usual})


# Rows


def test_a_reversal_and_a_refund_of_a_deposit_are_rows_like_others(running: MakeBatch, shop: Shop) -> None:
    reversal = running(1, BatchKind.REVERSAL)
    amounts = {shop.deposit(): Money.parse("1.00", "EUR")}
    refunds = batches.start_detached_refunds(amounts, token="one", by=person("anna"))
    assert batches.drive(seconds=LONG) == Counter(default=2)
    assert states_of(reversal) == states_of(refunds) == ["CARRIED_OUT"]
    keyed = GatewayTransaction.objects.filter(idempotency_key__isnull=False).order_by("pk")
    assert [one.kind for one in keyed] == ["REVERSAL", "DETACHED_REFUND"]


@pytest.mark.every_database
def test_a_sweep_keeps_to_its_time_and_gives_every_batch_its_turn(running: MakeBatch) -> None:
    both = running(2), running(2)
    for _ in both:
        assert batches.drive(seconds=0.0) == Counter(default=1)
    assert [states_of(batch).count("CARRIED_OUT") for batch in both] == [1, 1]


def test_a_batch_that_was_resumed_comes_after_those_that_waited(running: MakeBatch, shop: Shop) -> None:
    resumed, waited = running(1), running(1)
    batches.pause(resumed, by="ben")
    shop.clock.by += timedelta(minutes=1)
    assert batches.resume(resumed)
    batches.drive(seconds=0.0)
    assert (states_of(resumed), states_of(waited)) == (["WAITING"], ["CARRIED_OUT"])


def test_between_rows_it_keeps_to_the_rate_of_the_gateway(running: MakeBatch, shop: Shop) -> None:
    batch = running(3)
    shop.configure(QUERIES={"RATE": 0.5})
    shop.clock.stop()
    begun = shop.clock.now()
    carry_out(batch)
    assert shop.clock.now() - begun == 3 * timedelta(seconds=2)


@pytest.mark.parametrize(("control", "left"), [("pause", "WAITING"), ("stop", "LEFT_OUT")])
def test_a_pause_and_a_stop_take_effect_between_two_rows(
    control: str, left: str, running: MakeBatch, connect: Connect
) -> None:
    batch = running(3)

    def interrupt(**_: object) -> None:
        getattr(batches, control)(batch, by="ben")

    connect(batch_row_done, interrupt)
    assert len(carry_out(batch)) == 1
    assert states_of(batch) == ["CARRIED_OUT", left, left]
    assert batches.drive(seconds=LONG) == Counter()


def test_a_frozen_payment_and_an_emergency_stop_refuse_a_row(running: MakeBatch, shop: Shop) -> None:
    batch = running(2)
    frozen = Payment.objects.filter(pk__in=[batch.rows.earliest("pk").payment_id])
    frozen.update(is_frozen=True)
    batches.step(batch, seconds=0.0)
    payments.maintenance.stop_sending("default", by="ben", reason="drill")
    carry_out(batch)
    frozen.update(is_frozen=False)
    assert results_of(batch) == [("REFUSED", "REFUSED")] * 2
    refusals = [row.refusal_code for row in rows_of(batch)]
    assert refusals == [ErrorCode.PAYMENT_FROZEN, ErrorCode.SENDING_STOPPED]
    assert shop.gateway.sent == []


def test_what_never_left_is_given_up_and_reserves_nothing(running: MakeBatch, shop: Shop) -> None:
    batch = running(1)
    with shop.cut_off():
        carry_out(batch)
    (row,) = rows_of(batch)
    assert (row.state, row.result_code) == ("REFUSED", "UNREACHABLE")
    assert row.transaction is not None
    assert (row.transaction.state, row.transaction.holds_reservation) == ("ABANDONED", False)


def test_a_gateway_that_the_settings_do_not_name_is_said(running: MakeBatch, shop: Shop) -> None:
    batch = running(1)
    with without_the_gateway(shop):
        carry_out(batch)
    assert results_of(batch) == [("REFUSED", "UNKNOWN_GATEWAY")]


def test_one_row_that_cannot_be_handled_is_logged_and_the_others_go_on(
    running: MakeBatch, caplog: pytest.LogCaptureFixture
) -> None:
    batch = running(2)
    broken = batch.rows.earliest("pk")

    with when_asked_who_may(raising(ValueError("odd"))):
        done = carry_out(batch)
    assert len(done) == 2
    assert f"row {broken.pk} of batch {batch.pk} could not be handled" in caplog.text
    # What always fails must not be tried for ever.
    assert results_of(batch) == [("REFUSED", "FAILED"), ("CARRIED_OUT", "")]
    assert state_of(batch) == "FINISHED"


@pytest.mark.django_db(transaction=True)
def test_a_row_that_fails_after_its_request_was_sent_has_what_was_sent(running: MakeBatch) -> None:
    batch = running(1)
    with meddling("UPDATE", "operationbatchrow", "transaction_id", act=raising(ValueError("odd"))):
        carry_out(batch)
    (row,) = rows_of(batch)
    assert row.transaction is not None
    assert (row.state, row.transaction.state, state_of(batch)) == ("CARRIED_OUT", "APPROVED", "FINISHED")


@pytest.mark.parametrize("how", ["permission", "deactivated", "deleted"])
def test_what_is_left_is_refused_once_whoever_confirmed_it_may_not_any_more(
    how: str, running: MakeBatch
) -> None:
    batch = running(2)
    batches.step(batch, seconds=0.0)
    if how == "deleted":
        person("anna").delete()
    else:
        User.objects.update(**{"is_superuser" if how == "permission" else "is_active": False})
    (row,) = carry_out(batch)
    assert (row.state, row.result_code) == ("REFUSED", "NO_PERMISSION")
    assert GatewayTransaction.objects.filter(kind="CAPTURE").count() == 1


@pytest.mark.every_database
def test_a_sweep_carries_out_what_was_confirmed_although_the_page_was_closed(running: MakeBatch) -> None:
    batch = running(2)
    (report,) = payments.sweep()
    assert (report.batch_rows, report.did_something, state_of(batch)) == (2, True, "FINISHED")
    made = GatewayTransaction.objects.filter(kind="CAPTURE")
    assert {(each.state, each.created_by, each.reason_code) for each in made} == {
        ("APPROVED", "anna", "shipped")
    }


def test_small_refunds_of_one_batch_add_up_and_what_is_above_the_day_waits(
    running: MakeBatch, shop: Shop
) -> None:
    shop.configure(APPROVALS={"DAY_LIMITS": {"EUR": "45.00"}})
    batch = running(3, BatchKind.REFUND)
    payments.sweep()
    assert states_of(batch) == ["CARRIED_OUT", "AWAITING_APPROVAL", "AWAITING_APPROVAL"]
    for request in payments.approvals.waiting():
        payments.approvals.approve(request, by=person("bert"))
    assert [payment.refunded for payment in Payment.objects.all()] == [3000] * 3


# Workers at one batch


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_workers_at_the_same_batch_at_once_do_each_row_once(running: MakeBatch, shop: Shop) -> None:
    batch = running(6)
    results = together(lambda: carry_out(batch), times=2)
    done = [row.pk for rows in results for row in rows]
    assert sorted(done) == sorted(row.pk for row in rows_of(batch))
    assert (len(shop.gateway.sent), state_of(batch)) == (6, "FINISHED")


def die_while_it_is_out(batch: OperationBatch, shop: Shop, *, carried_out: bool = True) -> None:
    """Kill a worker while its request is out, or after the gateway has carried it out."""

    def answer(sent: Sent) -> tuple[int, object]:
        shop.gateway.approve(sent)
        raise Killed

    shop.gateway.answers.append(answer if carried_out else killing)
    with pytest.raises(Killed):
        carry_out(batch)


@pytest.mark.every_database
@pytest.mark.parametrize("carried_out", [False, True])
def test_a_row_of_a_worker_that_was_killed_is_taken_over_and_stays_one_operation(
    carried_out: bool, running: MakeBatch, shop: Shop
) -> None:
    batch = running(1)
    die_while_it_is_out(batch, shop, carried_out=carried_out)
    assert states_of(batch) == ["WORKING"]
    begun = GatewayTransaction.objects.get(kind="CAPTURE")

    assert carry_out(batch) == []
    assert state_of(batch) == "RUNNING"
    shop.clock.by += LEASE + timedelta(seconds=1)
    (row,) = carry_out(batch)
    assert (row.state, row.transaction) == ("CARRIED_OUT", begun)
    assert (state_of(batch), len(shop.gateway.sent)) == ("FINISHED", 1)


@pytest.mark.parametrize("waits", [False, True])
def test_a_row_of_a_killed_worker_keeps_what_was_made_of_it_although_the_gateway_is_unknown_now(
    waits: bool, running: MakeBatch, shop: Shop
) -> None:
    batch = running(2, BatchKind.REFUND)
    if waits:
        shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
        batches.step(batch, seconds=0.0)
        # As a worker leaves it that dies before it records what it made of it.
        first = OperationBatchRow.objects.filter(pk=batch.rows.earliest("pk").pk)
        first.update(state="WORKING", leased_until=shop.clock.now() + LEASE, approval=None)
    else:
        die_while_it_is_out(batch, shop)
    shop.clock.by += LEASE + timedelta(seconds=1)
    with without_the_gateway(shop):
        carry_out(batch)

    assert results_of(batch) == [
        ("AWAITING_APPROVAL" if waits else "CARRIED_OUT", ""),
        ("REFUSED", "UNKNOWN_GATEWAY"),
    ]
    begun = rows_of(batch)[0]
    if waits:
        assert begun.approval == Approval.objects.get()
    else:
        assert begun.transaction == GatewayTransaction.objects.get(kind="REFUND")
    assert len(shop.gateway.sent) == (not waits)


def test_a_worker_that_was_slow_does_not_write_over_what_another_one_did(
    running: MakeBatch, shop: Shop
) -> None:
    batch = running(1)

    def lose_the_lease_and_the_permission() -> None:
        shop.clock.by += LEASE + timedelta(seconds=1)
        carry_out(batch)
        User.objects.update(is_active=False)

    with when_asked_who_may(lose_the_lease_and_the_permission):
        carry_out(batch)
    (row,) = rows_of(batch)
    assert (row.state, row.result_code) == ("CARRIED_OUT", "")
    assert row.transaction is not None


@pytest.mark.parametrize(("control", "expected"), [("pause", "WAITING"), ("stop", "LEFT_OUT")])
def test_a_row_that_nothing_was_made_of_is_free_or_left_out_when_its_worker_died_and_the_batch_was_ended(
    control: str, expected: str, running: MakeBatch, shop: Shop
) -> None:
    batch = running(1)
    with when_asked_who_may(raising(Killed())), pytest.raises(Killed):
        carry_out(batch)
    getattr(batches, control)(batch, by="ben")

    batches.drive(seconds=LONG)
    assert states_of(batch) == ["WORKING"]
    shop.clock.by += LEASE + timedelta(seconds=1)
    batches.drive(seconds=LONG)
    assert states_of(batch) == [expected]
    assert not GatewayTransaction.objects.filter(kind="CAPTURE").exists()


def test_what_a_killed_worker_had_sent_is_found_although_the_batch_was_stopped(
    running: MakeBatch, shop: Shop
) -> None:
    batch = running(2)
    die_while_it_is_out(batch, shop)
    batches.stop(batch, by="ben")
    shop.clock.by += LEASE + timedelta(seconds=1)
    batches.drive(seconds=LONG)
    assert results_of(batch) == [("CARRIED_OUT", ""), ("LEFT_OUT", "BATCH_STOPPED")]
