"""Carrying out the rows of a batch: with nobody at the page, by each row's rules, never past a stop."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.client.servers import unused_port
from tests.models.rows import a_deposit
from tests.nameless_receivers import Nameless, between_two, nameless
from tests.operations.batches.conftest import MakeBatch, MakeDriver
from tests.operations.batches.rows import LONG, no_limits, rows_of, state_of, states_of
from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.journal import times_sent
from tests.operations.second_person import needs_two
from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    GatewayTransaction,
    OperationBatchRow,
    Payment,
    ResultCode,
    RowState,
)
from wallet_gateway.operations.batches import plan
from wallet_gateway.operations.batches.drive import Driver, drive, step
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.sending.emergency_stop import stop_sending
from wallet_gateway.protocol.money import Money
from wallet_gateway.signals import batch_row_done
from wallet_gateway.testing.control import SandboxControl

__all__ = ["nameless"]
pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


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


def test_a_receiver_without_a_name_that_raises_holds_up_no_row(
    nameless: Nameless, make_batch: MakeBatch, driver: Driver
) -> None:
    batch = make_batch(2)
    with between_two(batch_row_done, nameless) as heard:
        done = step(batch, seconds=LONG, driver=driver)
    assert len(done) == 2
    assert heard == ["first", "last"] * 2
    assert states_of(batch) == [RowState.CARRIED_OUT] * 2


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
        ErrorCode.SENDING_STOPPED,
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
