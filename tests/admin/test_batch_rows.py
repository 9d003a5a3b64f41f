"""The rows of a batch: claimed by one process each, carried out once, taken over from the dead."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from tests.admin.conftest import MakePerson, PaidOrder
from tests.models.rows import a_payment, an_order
from wallet_gateway import gateways
from wallet_gateway.admin import batch_rows
from wallet_gateway.admin.operation_registry import CAPTURE, REVERSE
from wallet_gateway.models import (
    BatchState,
    GatewayTransaction,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
    RowState,
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def anna(make_person: MakePerson) -> User:
    """Whoever confirms the batches."""
    make_person("capture_payment", name="anna")
    return User.objects.get(username="anna")


def running(*orders: PaymentOrder) -> OperationBatch:
    batch = batch_rows.draft(CAPTURE, orders, by="anna")
    assert batch_rows.start(batch, batch_rows.rows_of(batch), comment="shipped")
    batch.refresh_from_db()
    return batch


def test_a_draft_holds_all_that_is_left_of_each_order() -> None:
    order, several = an_order(), an_order()
    a_payment(order, authorized=2000, captured=500)
    a_payment(several, authorized=2000)
    a_payment(several, authorized=2000)

    rows = batch_rows.rows_of(batch_rows.draft(CAPTURE, [order, several, an_order()], by="anna"))

    assert [row.amount_minor for row in rows] == [1500, 0, 0]
    assert [row.state for row in rows] == [RowState.WAITING, RowState.LEFT_OUT, RowState.LEFT_OUT]
    assert rows[1].result == "It has several payments; open the order and choose one."


def test_of_two_payments_the_one_that_was_given_back_is_not_meant() -> None:
    order = an_order()
    a_payment(order, authorized=2000, reversal="done")
    live = a_payment(order, authorized=2000)

    [row] = batch_rows.rows_of(batch_rows.draft(REVERSE, [order], by="anna"))

    assert row.payment == live


def test_a_draft_is_set_going_once() -> None:
    batch = running(an_order())

    assert not batch_rows.start(batch, [], comment="again")
    assert not batch_rows.go_on(batch)


def test_a_second_page_that_is_submitted_late_changes_no_row_of_what_is_under_way(
    paid_order: PaidOrder,
) -> None:
    batch = batch_rows.draft(CAPTURE, [paid_order(), paid_order()], by="anna")
    mine, late = batch_rows.rows_of(batch), batch_rows.rows_of(batch)
    mine[1].state = RowState.LEFT_OUT
    assert batch_rows.start(batch, mine, comment="shipped")
    batch.refresh_from_db()
    batch_rows.step(batch)

    late[0].amount_minor = 100
    assert not batch_rows.start(batch, late, comment="part shipped")

    assert [row.state for row in batch_rows.rows_of(batch)] == [RowState.CARRIED_OUT, RowState.LEFT_OUT]
    assert batch_rows.rows_of(batch)[0].amount_minor == mine[0].amount_minor
    assert GatewayTransaction.objects.filter(kind="CAPTURE").count() == 1


def test_a_row_that_another_process_has_claimed_is_left_to_it(paid_order: PaidOrder) -> None:
    batch = running(paid_order(), paid_order())
    claimed = batch.rows.earliest("pk")
    until = gateways.clock().now() + timedelta(seconds=60)
    OperationBatchRow.objects.filter(pk=claimed.pk).update(state=RowState.WORKING, leased_until=until)

    done = batch_rows.step(batch)

    assert [row.pk for row in done] == [batch.rows.latest("pk").pk]
    batch.refresh_from_db()
    assert batch.state == BatchState.RUNNING


def test_a_row_of_a_process_that_died_is_taken_over_and_stays_one_operation(paid_order: PaidOrder) -> None:
    batch = running(paid_order())
    batch_rows.step(batch)
    long_ago = gateways.clock().now() - timedelta(seconds=1)
    batch.rows.update(state=RowState.WORKING, leased_until=long_ago, transaction=None)
    OperationBatch.objects.update(state=BatchState.RUNNING)

    [row] = batch_rows.step(batch)

    assert row.state == RowState.CARRIED_OUT
    assert row.transaction == GatewayTransaction.objects.get(kind="CAPTURE")
    batch.refresh_from_db()
    assert batch.state == BatchState.FINISHED
    assert batch.finished_at is not None


def test_a_stopped_batch_claims_nothing_more(paid_order: PaidOrder) -> None:
    batch = running(paid_order())
    assert batch_rows.stop(batch)

    assert batch_rows.step(batch) == []
    assert not batch_rows.stop(batch)
    assert batch.rows.get().state == RowState.WAITING


@pytest.mark.parametrize("how", ["permission", "deactivated", "deleted"])
def test_what_is_left_is_refused_once_whoever_confirmed_it_may_not_any_more(
    paid_order: PaidOrder, anna: User, how: str
) -> None:
    batch = running(paid_order(), paid_order())
    batch_rows.step(batch, seconds=0.0)
    if how == "permission":
        anna.user_permissions.clear()
    elif how == "deactivated":
        User.objects.update(is_active=False)
    else:
        anna.delete()

    [row] = batch_rows.step(batch)

    assert row.state == RowState.REFUSED
    assert row.result == "anna, who confirmed it, has no longer the permission for it. Nothing was sent."
    assert GatewayTransaction.objects.filter(kind="CAPTURE").count() == 1


def test_what_a_dead_process_had_sent_keeps_its_outcome_although_its_author_has_left(
    paid_order: PaidOrder, anna: User
) -> None:
    batch = running(paid_order())
    batch_rows.step(batch)
    long_ago = gateways.clock().now() - timedelta(seconds=1)
    batch.rows.update(state=RowState.WORKING, leased_until=long_ago, transaction=None)
    OperationBatch.objects.update(state=BatchState.RUNNING)
    anna.delete()

    [row] = batch_rows.step(batch)

    assert row.state == RowState.CARRIED_OUT
    assert row.transaction == GatewayTransaction.objects.get(kind="CAPTURE")
