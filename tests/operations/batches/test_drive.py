"""Carrying out the rows of a batch: each once, by any number of workers, also when one of them is killed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.client.servers import unused_port
from tests.models.rows import a_deposit
from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.dying import Killed, interrupted, kill
from tests.operations.journal import times_sent
from tests.operations.second_person import needs_two
from tests.operations.test_races import together
from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.approval_policy import ApprovalPolicy
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    GatewayTransaction,
    OperationBatch,
    OperationBatchRow,
    Payment,
    ResultCode,
    RowState,
)
from wallet_gateway.operations.batches import plan
from wallet_gateway.operations.batches.drive import LEASE, Driver, drive, step
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.sending.emergency_stop import stop_sending
from wallet_gateway.protocol.money import Money
from wallet_gateway.signals import batch_row_done
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
MakeDriver = Callable[..., Driver]
MakeBatch = Callable[..., OperationBatch]
WHY = {"reason_code": "shipped", "comment": "parcel 1"}
LONG = 600.0


def no_limits(gateway: str) -> ApprovalPolicy:
    return ApprovalPolicy()


@pytest.fixture
def permitted() -> set[str]:
    """Who may do everything now."""
    return {"anna"}


@pytest.fixture
def naps() -> list[float]:
    return []


@pytest.fixture
def make_driver(
    context: GatewayContext, clock: VirtualClock, permitted: set[str], naps: list[float]
) -> MakeDriver:
    def make(given: GatewayContext = context) -> Driver:
        return Driver(
            context_of=lambda alias: given,
            is_permitted=lambda actor, kind: actor.name in permitted,
            clock=clock,
            sleep=naps.append,
        )

    return make


@pytest.fixture
def driver(make_driver: MakeDriver) -> Driver:
    return make_driver()


@pytest.fixture
def make_batch(pay: Pay, driver: Driver, clock: VirtualClock) -> MakeBatch:
    """Let customers pay some orders, and start a batch that captures them."""

    def make(count: int, kind: BatchKind = BatchKind.CAPTURE) -> OperationBatch:
        type_ = "sale" if kind is BatchKind.REFUND else "preauthorization"
        orders = [pay(type=type_).order for _ in range(count)]
        batch = plan.draft(kind, orders, by="anna", clock=clock)
        why = WHY if kind is BatchKind.CAPTURE else {}
        assert plan.start(
            batch, [], is_permitted=driver.is_permitted, policy_of=no_limits, clock=clock, **why
        )
        batch.refresh_from_db()
        return batch

    return make


def rows_of(batch: OperationBatch) -> list[OperationBatchRow]:
    return list(batch.rows.select_related("transaction"))


def states_of(batch: OperationBatch) -> list[str]:
    return [row.state for row in rows_of(batch)]


def state_of(batch: OperationBatch) -> str:
    batch.refresh_from_db()
    return str(batch.state)


# With nobody at the page


def test_the_sweep_carries_out_every_running_batch_and_needs_no_page(
    make_batch: MakeBatch, driver: Driver, wallet_sandbox: SandboxControl
) -> None:
    captures, refunds = make_batch(2), make_batch(1, BatchKind.REFUND)

    assert drive(seconds=LONG, driver=driver) == Counter(default=3)

    assert (state_of(captures), state_of(refunds)) == (BatchState.FINISHED, BatchState.FINISHED)
    made = [row.transaction for row in rows_of(captures)]
    assert {(one.state, one.created_by, one.reason_code, one.comment) for one in made if one} == {
        ("APPROVED", "anna", "shipped", "parcel 1")
    }
    assert (times_sent(wallet_sandbox, "capture"), times_sent(wallet_sandbox, "refund")) == (2, 1)
    assert drive(seconds=LONG, driver=driver) == Counter()


def test_a_reversal_and_a_refund_of_a_deposit_are_rows_like_others(
    make_batch: MakeBatch, driver: Driver, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    reversal = make_batch(1, BatchKind.REVERSAL)
    refunds = plan.start_detached_refunds(
        {a_deposit(parent_transaction_id="OLD-9"): Money.parse("1.00", "EUR")},
        token="one",
        by="anna",
        is_permitted=driver.is_permitted,
        policy_of=no_limits,
        clock=clock,
    )

    drive(seconds=LONG, driver=driver)

    assert (states_of(reversal), states_of(refunds)) == ([RowState.CARRIED_OUT], [RowState.CARRIED_OUT])
    kinds = GatewayTransaction.objects.filter(idempotency_key__isnull=False).order_by("pk")
    assert [one.kind for one in kinds] == ["REVERSAL", "DETACHED_REFUND"]


def test_a_sweep_keeps_to_its_time_and_gives_every_batch_its_turn(
    make_batch: MakeBatch, driver: Driver, clock: VirtualClock
) -> None:
    first, second = make_batch(2), make_batch(2)
    clock.advance(seconds=1)

    assert drive(seconds=0.0, driver=driver) == Counter(default=1)
    assert drive(seconds=0.0, driver=driver) == Counter(default=1)

    assert [states_of(batch).count(RowState.CARRIED_OUT) for batch in (first, second)] == [1, 1]


def test_between_rows_it_keeps_to_the_rate_of_the_gateway(
    make_batch: MakeBatch, make_driver: MakeDriver, context: GatewayContext, naps: list[float]
) -> None:
    batch = make_batch(2)
    calm = replace(context, policy=replace(context.policy, query_rate=2.0))

    step(batch, seconds=LONG, driver=make_driver(calm))

    assert naps == [0.5, 0.5]


def test_each_step_leaves_its_heartbeat(make_batch: MakeBatch, driver: Driver, clock: VirtualClock) -> None:
    batch = make_batch(2)
    clock.advance(minutes=3)

    step(batch, seconds=0.0, driver=driver)

    batch.refresh_from_db()
    assert batch.driven_at == clock.now()


# Workers


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


# Between two rows


@pytest.mark.parametrize(("control", "left"), [("pause", RowState.WAITING), ("stop", RowState.LEFT_OUT)])
def test_a_pause_and_a_stop_take_effect_between_two_rows(
    make_batch: MakeBatch, driver: Driver, clock: VirtualClock, control: str, left: RowState
) -> None:
    batch = make_batch(3)

    def interrupt(**_: object) -> None:
        getattr(plan, control)(batch, by="ben", clock=clock)

    batch_row_done.connect(interrupt)
    try:
        done = step(batch, seconds=LONG, driver=driver)
    finally:
        batch_row_done.disconnect(interrupt)

    assert len(done) == 1
    assert states_of(batch) == [RowState.CARRIED_OUT, left, left]
    assert drive(seconds=LONG, driver=driver) == Counter()


def test_a_permission_that_is_lost_in_the_middle_ends_the_batch_and_nothing_more_is_sent(
    make_batch: MakeBatch, driver: Driver, permitted: set[str], wallet_sandbox: SandboxControl
) -> None:
    batch = make_batch(3)
    step(batch, seconds=0.0, driver=driver)
    permitted.clear()

    drive(seconds=LONG, driver=driver)

    assert states_of(batch) == [RowState.CARRIED_OUT, RowState.REFUSED, RowState.REFUSED]
    assert {row.result_code for row in rows_of(batch)[1:]} == {ResultCode.NO_PERMISSION}
    assert times_sent(wallet_sandbox, "capture") == 1
    assert state_of(batch) == BatchState.FINISHED


# Rules of each row


def test_what_takes_a_second_person_waits_for_one_and_the_others_go(
    make_batch: MakeBatch, make_driver: MakeDriver, context: GatewayContext
) -> None:
    batch = make_batch(2, BatchKind.REFUND)
    first = batch.rows.earliest("pk")
    OperationBatchRow.objects.filter(pk=first.pk).update(amount_minor=100)

    step(batch, seconds=LONG, driver=make_driver(needs_two(context)))

    small, large = batch.rows.select_related("approval")
    assert (small.state, large.state) == (RowState.CARRIED_OUT, RowState.AWAITING_APPROVAL)
    assert large.approval is not None
    assert (large.approval.amount_minor, large.approval.created_by) == (2000, "anna")


def test_a_frozen_payment_and_an_emergency_stop_refuse_a_row(
    make_batch: MakeBatch, driver: Driver, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    batch = make_batch(2)
    frozen = batch.rows.earliest("pk").payment
    assert frozen is not None
    Payment.objects.filter(pk=frozen.pk).update(is_frozen=True)
    step(batch, seconds=0.0, driver=driver)
    stop_sending(context=context, by="ben", reason="drill")
    step(batch, seconds=LONG, driver=driver)
    Payment.objects.filter(pk=frozen.pk).update(is_frozen=False)

    assert [(row.state, row.result_code) for row in rows_of(batch)] == [(RowState.REFUSED, "REFUSED")] * 2
    assert [row.refusal_code for row in rows_of(batch)] == [
        ErrorCode.PAYMENT_FROZEN,
        ErrorCode.SENDING_PAUSED,
    ]
    assert times_sent(wallet_sandbox, "capture") == 0


def test_what_never_left_is_given_up_and_reserves_nothing(
    make_batch: MakeBatch, make_driver: MakeDriver, make_context: MakeContext
) -> None:
    batch = make_batch(1)
    dead = make_context(f"http://127.0.0.1:{unused_port()}")

    step(batch, seconds=LONG, driver=make_driver(dead))

    [row] = rows_of(batch)
    assert (row.state, row.result_code) == (RowState.REFUSED, ResultCode.UNREACHABLE)
    assert row.transaction is not None
    assert (row.transaction.state, row.transaction.holds_reservation) == ("ABANDONED", False)


def test_a_gateway_that_the_settings_do_not_name_is_said(make_batch: MakeBatch, driver: Driver) -> None:
    batch = make_batch(1)

    def unknown(alias: str) -> GatewayContext:
        raise ImproperlyConfigured(alias)

    step(batch, seconds=LONG, driver=replace(driver, context_of=unknown))

    [row] = rows_of(batch)
    assert (row.state, row.result_code) == (RowState.REFUSED, ResultCode.UNKNOWN_GATEWAY)


def test_a_status_query_says_what_it_changed(
    pay: Pay, driver: Driver, clock: VirtualClock, wallet_sandbox: SandboxControl, make_batch: MakeBatch
) -> None:
    wallet_sandbox.fault("capture", "drop_after")
    lost = make_batch(1)
    step(lost, seconds=LONG, driver=driver)
    [row] = rows_of(lost)
    assert row.transaction is not None
    assert row.transaction.state == "UNKNOWN"
    batch = plan.start_status_queries([row.subject], by="otto", clock=clock)

    drive(seconds=LONG, driver=driver)

    [asked] = batch.rows.all()
    assert (asked.state, asked.result_code) == (RowState.CARRIED_OUT, ResultCode.CHANGED)
    assert list(asked.changed.all()) == [row.transaction]
    row.transaction.refresh_from_db()
    assert row.transaction.state == "APPROVED"


def test_one_row_that_cannot_be_handled_is_logged_and_the_others_go_on(
    make_batch: MakeBatch, driver: Driver, permitted: set[str], caplog: pytest.LogCaptureFixture
) -> None:
    batch = make_batch(2)
    broken = batch.rows.earliest("pk")
    verdicts = iter([ValueError("odd"), True])

    def odd_once(actor: Actor, kind: BatchKind) -> bool:
        verdict = next(verdicts)
        if isinstance(verdict, ValueError):
            raise verdict
        return bool(verdict)

    done = step(batch, seconds=LONG, driver=replace(driver, is_permitted=odd_once))

    assert len(done) == 1
    assert broken not in done
    assert f"row {broken.pk} of batch {batch.pk} could not be handled" in caplog.text
    assert state_of(batch) == BatchState.RUNNING
