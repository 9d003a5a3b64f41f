"""Carrying out the rows of a batch: with nobody at the page, by each row's rules, never past a stop."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.client.servers import unused_port
from tests.models.rows import a_deposit
from tests.nameless_receivers import nameless
from tests.operations.batches.conftest import MakeBatch, MakeDriver
from tests.operations.batches.rows import LONG, rows_of, state_of, states_of
from tests.operations.conftest import MakeContext, VirtualClock
from tests.operations.journal import times_sent
from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    GatewayTransaction,
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


def test_a_reversal_and_a_refund_of_a_deposit_are_rows_like_others(
    make_batch: MakeBatch, driver: Driver, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    reversal = make_batch(1, BatchKind.REVERSAL)
    refunds = plan.start_detached_refunds(
        {a_deposit(parent_transaction_id="OLD-9"): Money.parse("1.00", "EUR")},
        token="one",
        by="anna",
        is_permitted=driver.is_permitted,
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


# Rules of each row


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
