"""A batch above its limit waits for a second person as a whole: for one person, in time, and for no other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError
from django.db import transaction as db_transaction

from tests.models.rows import a_deposit
from tests.operations.conftest import Pay, VirtualClock
from tests.operations.journal import times_sent
from tests.operations.second_person import person
from tests.refusals import refuses
from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.approval_policy import ApprovalPolicy
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import (
    Approval,
    BatchKind,
    BatchState,
    OperationBatch,
    OperationBatchRow,
    RowState,
)
from wallet_gateway.operations.batches import plan
from wallet_gateway.operations.batches.approve import approve, decline, expire_waiting_batches
from wallet_gateway.operations.batches.drive import Driver, drive
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
ANNA, BERT = person("anna"), person("bert")
MakeBatch = Callable[..., OperationBatch]
# One payment may be given back whole by one person, all payments of a batch up to 50.00 EUR.
POLICY = ApprovalPolicy(limits={"EUR": 2000}, batch_limits={"EUR": 5000}, waiting_time=timedelta(days=2))


@pytest.fixture
def driver(context: GatewayContext, clock: VirtualClock) -> Driver:
    limited = replace(context, policy=replace(context.policy, approval_policy=POLICY))
    return Driver(
        context_of=lambda alias: limited,
        is_permitted=lambda actor, kind: True,
        clock=clock,
        sleep=lambda seconds: None,
    )


@pytest.fixture
def make_batch(pay: Pay, driver: Driver, clock: VirtualClock) -> MakeBatch:
    """Start a batch of anna's that refunds some payments of 20.00 EUR."""

    def make(
        count: int = 3, kind: BatchKind = BatchKind.REFUND, policy: ApprovalPolicy = POLICY, by: Actor = ANNA
    ) -> OperationBatch:
        type_ = "sale" if kind is BatchKind.REFUND else "preauthorization"
        batch = plan.draft(kind, [pay(type=type_).order for _ in range(count)], by=by, clock=clock)
        assert plan.start(
            batch, [], is_permitted=driver.is_permitted, policy_of=lambda alias: policy, clock=clock
        )
        return batch

    return make


def states_of(batch: OperationBatch) -> list[str]:
    return list(OperationBatchRow.objects.filter(batch=batch).values_list("state", flat=True))


def test_small_refunds_of_one_batch_add_up_and_it_waits_as_a_whole(
    make_batch: MakeBatch, driver: Driver, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    batch = make_batch(3)
    assert (batch.state, batch.expires_at) == (BatchState.AWAITING_APPROVAL, clock.now() + timedelta(days=2))
    assert drive(seconds=600.0, driver=driver) == {}
    assert states_of(batch) == [RowState.WAITING] * 3
    assert times_sent(wallet_sandbox, "refund") == 0


def test_up_to_the_limit_it_runs(make_batch: MakeBatch) -> None:
    assert make_batch(2).state == BatchState.RUNNING


def test_what_gives_nothing_back_has_no_limit(make_batch: MakeBatch) -> None:
    assert make_batch(3, BatchKind.CAPTURE).state == BatchState.RUNNING
    assert make_batch(3, BatchKind.REVERSAL).state == BatchState.RUNNING


def test_a_currency_that_was_forgotten_has_the_limit_zero(make_batch: MakeBatch) -> None:
    assert make_batch(1, policy=ApprovalPolicy(batch_limits={"SEK": 1})).state == BatchState.AWAITING_APPROVAL


def test_rows_that_are_left_out_do_not_count(pay: Pay, driver: Driver, clock: VirtualClock) -> None:
    batch = plan.draft(BatchKind.REFUND, [pay().order for _ in range(3)], by=ANNA, clock=clock)
    rows = list(batch.rows.all())
    rows[0].state, rows[1].amount_minor = RowState.LEFT_OUT, 1
    plan.start(batch, rows, is_permitted=driver.is_permitted, policy_of=lambda alias: POLICY, clock=clock)
    assert batch.state == BatchState.RUNNING


def test_detached_refunds_wait_as_well(driver: Driver, clock: VirtualClock) -> None:
    amounts = {a_deposit(parent_transaction_id=f"OLD-{n}"): Money.parse("30.00", "EUR") for n in range(2)}
    given: dict[str, Any] = {"token": "one", "is_permitted": driver.is_permitted, "clock": clock}
    batch, again = (
        plan.start_detached_refunds(amounts, by=ANNA, policy_of=lambda alias: POLICY, **given)
        for _ in range(2)
    )
    assert batch.state == BatchState.AWAITING_APPROVAL
    assert again == batch


def test_once_another_person_agrees_every_row_is_done_without_a_further_one(
    make_batch: MakeBatch, driver: Driver, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    batch = make_batch(3, policy=replace(POLICY, limits={"EUR": 1}))
    agreed = approve(batch, by=BERT, reason="seen the list", clock=clock)
    assert (agreed.state, agreed.decided_by, agreed.decided_by_account, agreed.decision_reason) == (
        BatchState.RUNNING,
        "bert",
        "key-of-bert",
        "seen the list",
    )
    drive(seconds=600.0, driver=driver)
    batch.refresh_from_db()
    assert (batch.state, states_of(batch)) == (BatchState.FINISHED, [RowState.CARRIED_OUT] * 3)
    assert times_sent(wallet_sandbox, "refund") == 3
    assert not Approval.objects.exists()


@pytest.mark.parametrize(
    ("by", "code"),
    [
        (ANNA, ErrorCode.NOT_PERMITTED),
        (person("anna married", "key-of-anna"), ErrorCode.NOT_PERMITTED),
        (person("Anna", "made anew"), ErrorCode.NOT_PERMITTED),
        (Actor(name="bert"), ErrorCode.NOT_PERMITTED),
    ],
    ids=["author", "renamed", "made anew", "program"],
)
def test_nobody_agrees_to_their_own_and_no_program_does(
    by: Actor, code: ErrorCode, make_batch: MakeBatch, clock: VirtualClock
) -> None:
    batch = make_batch()
    with refuses(InvalidState, code):
        approve(batch, by=by, clock=clock)
    batch.refresh_from_db()
    assert batch.state == BatchState.AWAITING_APPROVAL


def test_a_decline_leaves_every_row_out_and_takes_a_reason(
    make_batch: MakeBatch, clock: VirtualClock
) -> None:
    batch = make_batch()
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="The reason is missing"):
        decline(batch, by=BERT, reason=" ", clock=clock)
    assert decline(batch, by=BERT, reason="wrong list", clock=clock).state == BatchState.DECLINED
    assert states_of(batch) == [RowState.LEFT_OUT] * 3
    for late in (
        lambda: approve(batch, by=BERT, clock=clock),
        lambda: decline(batch, by=BERT, reason="x", clock=clock),
    ):
        with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="no longer waits"):
            late()


def test_a_card_number_in_a_reason_is_not_stored(make_batch: MakeBatch, clock: VirtualClock) -> None:
    agreed = approve(make_batch(), by=BERT, reason="of 4111 1111 1111 1111", clock=clock)
    declined = decline(make_batch(), by=BERT, reason="of 4111-1111-1111-1111", clock=clock)
    assert (agreed.decision_reason, declined.decision_reason) == ("of ***1111", "of ***1111")


def test_who_started_it_may_stop_it(make_batch: MakeBatch, clock: VirtualClock) -> None:
    batch = make_batch()
    assert decline(batch, by=ANNA, reason="wrong list", clock=clock).state == BatchState.STOPPED
    assert (batch.stopped_by, batch.decided_by) == ("anna", "")
    assert states_of(batch) == [RowState.LEFT_OUT] * 3


def test_after_its_time_nobody_agrees_any_more_and_a_sweep_ends_it(
    make_batch: MakeBatch, clock: VirtualClock
) -> None:
    batch = make_batch()
    assert expire_waiting_batches(clock=clock) == 0
    clock.advance(days=2)
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="no longer waits"):
        approve(batch, by=BERT, clock=clock)
    assert expire_waiting_batches(clock=clock) == 1
    batch.refresh_from_db()
    assert (batch.state, states_of(batch)) == (BatchState.EXPIRED, [RowState.LEFT_OUT] * 3)


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"decided_by": "bert"},
        {"decided_by": "bert", "decided_by_account": "key-of-anna"},
        {"decided_by": "anna", "decided_by_account": "key-of-bert"},
    ],
)
def test_the_database_lets_none_run_without_a_second_person(
    columns: dict[str, str], make_batch: MakeBatch
) -> None:
    batch = make_batch()
    with pytest.raises(IntegrityError), db_transaction.atomic():
        OperationBatch.objects.filter(pk=batch.pk).update(state=BatchState.RUNNING, **columns)
