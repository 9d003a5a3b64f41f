"""Workers at one batch: each row is done once, also when one of them is killed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.operations.batches.conftest import MakeBatch, MakeDriver
from tests.operations.batches.rows import LONG, rows_of, state_of, states_of
from tests.operations.conftest import VirtualClock
from tests.operations.dying import Killed, interrupted, kill
from tests.operations.journal import times_sent
from tests.operations.second_person import needs_two
from tests.operations.threads import together
from wallet_gateway.domain.actors import Actor
from wallet_gateway.models import (
    Approval,
    BatchKind,
    BatchState,
    GatewayTransaction,
    OperationBatch,
    OperationBatchRow,
    ResultCode,
    RowState,
)
from wallet_gateway.operations.batches import plan
from wallet_gateway.operations.batches.drive import LEASE, Driver, drive, step
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


def test_workers_at_the_same_batch_at_once_do_each_row_once(
    make_batch: MakeBatch, driver: Driver, wallet_sandbox: SandboxControl
) -> None:
    batch = make_batch(6)

    results = together(lambda: step(batch, seconds=LONG, driver=driver), times=2)

    done = [row.pk for rows in results for row in rows]
    assert sorted(done) == sorted(row.pk for row in rows_of(batch))
    assert times_sent(wallet_sandbox, "capture") == 6
    assert state_of(batch) == BatchState.FINISHED


def die(batch: OperationBatch, driver: Driver) -> None:
    with pytest.raises(Killed):
        step(batch, seconds=LONG, driver=driver)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_row_of_a_worker_that_was_killed_is_taken_over_and_stays_one_operation(
    make_batch: MakeBatch,
    make_driver: MakeDriver,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
    moment: str,
) -> None:
    batch = make_batch(1)
    die(batch, make_driver(interrupted(context, **{moment: kill})))
    assert states_of(batch) == [RowState.WORKING]
    begun = GatewayTransaction.objects.get(kind="CAPTURE")

    assert step(batch, seconds=LONG, driver=make_driver()) == []
    assert state_of(batch) == BatchState.RUNNING
    clock.advance(seconds=LEASE.total_seconds() + 1)
    [row] = step(batch, seconds=LONG, driver=make_driver())

    assert (row.state, row.transaction) == (RowState.CARRIED_OUT, begun)
    assert state_of(batch) == BatchState.FINISHED
    assert times_sent(wallet_sandbox, "capture") == (moment == "after")


@pytest.mark.parametrize("waits", [False, True])
def test_a_row_of_a_worker_that_was_killed_keeps_what_was_made_of_it_although_the_gateway_is_unknown_now(
    make_batch: MakeBatch,
    make_driver: MakeDriver,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
    waits: bool,
) -> None:
    batch = make_batch(2, BatchKind.REFUND)
    if waits:
        step(batch, seconds=0.0, driver=make_driver(needs_two(context)))
        left_working(batch, clock)
    else:
        die(batch, make_driver(interrupted(context, after=kill)))
    clock.advance(seconds=LEASE.total_seconds() + 1)

    step(batch, seconds=LONG, driver=replace(make_driver(), context_of=unknown))

    begun, untouched = rows_of(batch)
    if waits:
        assert (begun.state, begun.approval) == (RowState.AWAITING_APPROVAL, Approval.objects.get())
    else:
        made = GatewayTransaction.objects.get(kind="REFUND")
        assert (begun.state, begun.transaction) == (RowState.CARRIED_OUT, made)
    assert begun.result_code == ""
    assert (untouched.state, untouched.result_code) == (RowState.REFUSED, ResultCode.UNKNOWN_GATEWAY)
    assert times_sent(wallet_sandbox, "refund") == (not waits)


def unknown(alias: str) -> GatewayContext:
    raise ImproperlyConfigured(alias)


def left_working(batch: OperationBatch, clock: VirtualClock) -> None:
    """Leave the first row as a worker does that dies before it records what it made of it."""
    first = OperationBatchRow.objects.filter(pk=batch.rows.earliest("pk").pk)
    first.update(state=RowState.WORKING, leased_until=clock.now() + LEASE, approval=None)


def test_a_worker_that_was_slow_does_not_write_over_what_another_one_did(
    make_batch: MakeBatch, driver: Driver, make_driver: MakeDriver, clock: VirtualClock, permitted: set[str]
) -> None:
    batch = make_batch(1)

    def lose_the_lease_and_the_permission(actor: Actor, kind: BatchKind) -> bool:
        clock.advance(seconds=LEASE.total_seconds() + 1)
        step(batch, seconds=LONG, driver=driver)
        return False

    step(batch, seconds=LONG, driver=replace(driver, is_permitted=lose_the_lease_and_the_permission))

    [row] = rows_of(batch)
    assert (row.state, row.result_code) == (RowState.CARRIED_OUT, "")
    assert row.transaction is not None


@pytest.mark.parametrize(("control", "expected"), [("pause", RowState.WAITING), ("stop", RowState.LEFT_OUT)])
def test_a_row_that_nothing_was_made_of_is_free_or_left_out_when_its_worker_died_and_the_batch_was_ended(
    make_batch: MakeBatch, driver: Driver, clock: VirtualClock, control: str, expected: RowState
) -> None:
    batch = make_batch(1)

    def dies(alias: str) -> GatewayContext:
        raise Killed

    die(batch, replace(driver, context_of=dies))
    getattr(plan, control)(batch, by="ben", clock=clock)

    drive(seconds=LONG, driver=driver)
    assert states_of(batch) == [RowState.WORKING]
    clock.advance(seconds=LEASE.total_seconds() + 1)
    drive(seconds=LONG, driver=driver)

    assert states_of(batch) == [expected]
    assert not GatewayTransaction.objects.filter(kind="CAPTURE").exists()


def test_what_a_killed_worker_had_sent_is_found_although_the_batch_was_stopped(
    make_batch: MakeBatch,
    make_driver: MakeDriver,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    batch = make_batch(2)
    die(batch, make_driver(interrupted(context, after=kill)))
    plan.stop(batch, by="ben", clock=clock)
    clock.advance(seconds=LEASE.total_seconds() + 1)

    drive(seconds=LONG, driver=make_driver())

    first, second = rows_of(batch)
    assert (first.state, first.transaction) == (
        RowState.CARRIED_OUT,
        GatewayTransaction.objects.get(kind="CAPTURE"),
    )
    assert (second.state, second.result_code) == (RowState.LEFT_OUT, ResultCode.BATCH_STOPPED)
