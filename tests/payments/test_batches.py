"""Batches through the front door: for a person whose account has the permission, driven by the sweep."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from pytest_django import Settings

from tests.conf.test_settings import with_gateway
from tests.models.rows import a_deposit, a_payment, an_order
from tests.payments.paid_orders import paid
from wallet_gateway import payments
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    Payment,
    PaymentOrder,
    ResultCode,
    RowState,
)
from wallet_gateway.payments import batches
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


PaidOrder = Callable[[], PaymentOrder]


@pytest.fixture(autouse=True)
def anna(db: None) -> User:
    """Confirms the batches."""
    ContentType.objects.clear_cache()
    person = User.objects.create_user("anna")
    for model, codename in ((Payment, "capture_payment"), (MigratedDeposit, "detached_refund")):
        content_type = ContentType.objects.get_for_model(model)
        person.user_permissions.add(
            Permission.objects.get_or_create(codename=codename, content_type=content_type)[0]
        )
    return person


@pytest.fixture
def paid_order(wallet_sandbox: SandboxControl) -> PaidOrder:
    numbers = itertools.count(1)
    return lambda: paid(wallet_sandbox, f"A-{next(numbers)}", type="preauthorization")


def rows_of(batch: OperationBatch) -> list[OperationBatchRow]:
    return list(batch.rows.all())


def running(*orders: PaymentOrder) -> OperationBatch:
    batch = batches.draft(BatchKind.CAPTURE, orders, by="anna")
    assert batches.start(batch, rows_of(batch), reason_code="shipped")
    batch.refresh_from_db()
    return batch


def test_a_draft_holds_all_that_is_left_of_each_order() -> None:
    order, several = an_order(), an_order()
    a_payment(order, authorized=2000, captured=500)
    a_payment(several, authorized=2000)
    a_payment(several, authorized=2000)

    rows = rows_of(batches.draft(BatchKind.CAPTURE, [order, several, an_order()], by="anna"))

    assert [row.amount_minor for row in rows] == [1500, 0, 0]
    assert [row.state for row in rows] == [RowState.WAITING, RowState.LEFT_OUT, RowState.LEFT_OUT]
    assert [row.result_code for row in rows] == ["", "SEVERAL_PAYMENTS", "NOTHING_AUTHORIZED"]


def test_of_two_payments_the_one_that_was_given_back_is_not_meant() -> None:
    order = an_order()
    a_payment(order, authorized=2000, reversal="done")
    live = a_payment(order, authorized=2000)

    [row] = rows_of(batches.draft(BatchKind.REVERSAL, [order], by="anna"))

    assert row.payment == live


def test_a_draft_is_set_going_once() -> None:
    batch = running(an_order())

    assert not batches.start(batch, [], comment="again")
    assert not batches.resume(batch)


def test_a_second_page_that_is_submitted_late_changes_no_row_of_what_is_under_way(
    paid_order: PaidOrder,
) -> None:
    batch = batches.draft(BatchKind.CAPTURE, [paid_order(), paid_order()], by="anna")
    mine, late = rows_of(batch), rows_of(batch)
    mine[1].state = RowState.LEFT_OUT
    assert batches.start(batch, mine, reason_code="shipped")
    batch.refresh_from_db()
    batches.step(batch)

    late[0].amount_minor = 100
    assert not batches.start(batch, late, reason_code="part-shipped")

    assert [row.state for row in rows_of(batch)] == [RowState.CARRIED_OUT, RowState.LEFT_OUT]
    assert rows_of(batch)[0].amount_minor == mine[0].amount_minor
    assert GatewayTransaction.objects.filter(kind="CAPTURE").count() == 1


def test_a_paused_batch_claims_nothing_until_it_is_resumed(paid_order: PaidOrder) -> None:
    batch = running(paid_order())
    assert batches.pause(batch, by="ben")

    assert batches.step(batch) == []
    assert not batches.pause(batch, by="ben")
    assert batch.rows.get().state == RowState.WAITING
    batch.refresh_from_db()
    assert (batch.paused_by, batch.paused_at is None) == ("ben", False)

    assert batches.resume(batch)
    assert [row.state for row in batches.step(batch)] == [RowState.CARRIED_OUT]


@pytest.mark.parametrize("how", ["permission", "deactivated", "deleted"])
def test_what_is_left_is_refused_once_whoever_confirmed_it_may_not_any_more(
    paid_order: PaidOrder, anna: User, how: str
) -> None:
    batch = running(paid_order(), paid_order())
    batches.step(batch, seconds=0.0)
    if how == "permission":
        anna.user_permissions.clear()
    elif how == "deactivated":
        User.objects.update(is_active=False)
    else:
        anna.delete()

    [row] = batches.step(batch)

    assert row.state == RowState.REFUSED
    assert row.result_code == ResultCode.NO_PERMISSION
    assert GatewayTransaction.objects.filter(kind="CAPTURE").count() == 1


def test_a_sweep_carries_out_what_was_confirmed_although_the_page_was_closed(paid_order: PaidOrder) -> None:
    batch = running(paid_order(), paid_order())

    (report,) = payments.sweep()

    assert (report.batch_rows, report.did_something) == (2, True)
    batch.refresh_from_db()
    assert batch.state == BatchState.FINISHED
    made = GatewayTransaction.objects.filter(kind="CAPTURE")
    assert {(each.state, each.created_by, each.reason_code) for each in made} == {
        ("APPROVED", "anna", "shipped")
    }


def test_nobody_starts_a_batch_without_the_permission_for_what_it_does(
    paid_order: PaidOrder, anna: User
) -> None:
    draft = batches.draft(BatchKind.CAPTURE, [paid_order()], by="anna")
    anna.user_permissions.clear()
    amounts = {a_deposit(): Money.parse("1.00", "EUR")}

    with pytest.raises(payments.errors.InvalidState, match="anna"):
        batches.start(draft)
    for by in ("anna", "nobody"):
        with pytest.raises(payments.errors.InvalidState, match="permission"):
            batches.start_detached_refunds(amounts, token="t", by=by)

    draft.refresh_from_db()
    assert draft.state == BatchState.DRAFT
    assert OperationBatch.objects.count() == 1


def test_to_ask_takes_no_permission_and_the_sweep_does_it(paid_order: PaidOrder) -> None:
    batch = batches.start_status_queries([paid_order(), an_order()], by="otto")

    payments.sweep()

    assert [row.result_code for row in batch.rows.all()] == [ResultCode.UNCHANGED, ResultCode.NEVER_SENT]


def test_small_refunds_of_one_batch_add_up_and_what_is_above_the_day_waits(
    wallet_sandbox: SandboxControl, settings: Settings
) -> None:
    with_gateway(settings, APPROVAL_DAY_LIMITS={"EUR": "30.00"})
    anna, bert = (User.objects.create_superuser(name) for name in ("day-anna", "day-bert"))
    batch = batches.draft(
        BatchKind.REFUND, [paid(wallet_sandbox, f"R-{number}") for number in range(3)], by=anna
    )
    batches.start(batch)

    payments.sweep()

    assert [row.state for row in rows_of(batch)] == [
        RowState.CARRIED_OUT,
        RowState.AWAITING_APPROVAL,
        RowState.AWAITING_APPROVAL,
    ]
    for request in payments.approvals.waiting():
        payments.approvals.approve(request, by=bert)
    assert [payment.refunded for payment in Payment.objects.all()] == [2000, 2000, 2000]


@pytest.mark.parametrize("first", [BatchKind.CAPTURE, BatchKind.REVERSAL])
def test_a_row_of_which_nothing_is_left_names_the_operation_that_has_no_outcome(
    paid_order: PaidOrder, wallet_sandbox: SandboxControl, first: BatchKind
) -> None:
    order = paid_order()
    wallet_sandbox.fault(first.lower(), "drop_after")
    (payments.capture if first == BatchKind.CAPTURE else payments.reverse)(order)

    for kind in (BatchKind.CAPTURE, BatchKind.REVERSAL):
        (row,) = rows_of(batches.draft(kind, [order], by="anna"))
        assert (row.state, row.result_code) == (RowState.LEFT_OUT, ResultCode.NOT_POSSIBLE)
        assert row.refusal_code == payments.errors.ErrorCode.OPERATION_OUTSTANDING
