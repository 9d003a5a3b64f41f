"""What a batch is drafted with, who may start it, and what a pause and a stop leave of it."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import pytest
from django.db import OperationalError, connection

from tests.models.rows import a_deposit, a_payment, an_order
from tests.money.approvals.people import person
from tests.money.batches.conftest import MakeBatch
from tests.support.database_faults import meddling, raising
from tests.support.refusals import refuses
from tests.support.shop import Shop, order_of, reloaded
from tests.support.tables import every
from wallet_gateway import payments
from wallet_gateway.models import (
    BatchKind,
    GatewayTransaction,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
)
from wallet_gateway.payments import batches
from wallet_gateway.payments.errors import ErrorCode, IdempotencyConflict, InvalidInput, InvalidState
from wallet_gateway.protocol.money import Money

pytestmark = pytest.mark.django_db
CAPTURE = BatchKind.CAPTURE
EURO = Money.parse("1.00", "EUR")


def rows_of(batch: OperationBatch) -> list[OperationBatchRow]:
    return list(batch.rows.all())


@pytest.fixture
def order() -> PaymentOrder:
    order = an_order(type="preauthorization")
    a_payment(order, authorized=2000, captured=500)
    return order


@pytest.mark.every_database
def test_a_draft_holds_all_that_is_left_of_each_order(order: PaymentOrder) -> None:
    several = an_order()
    a_payment(several, authorized=2000)
    a_payment(several, authorized=2000)
    rows = rows_of(batches.draft(CAPTURE, [order, several, an_order()], by="anna"))
    assert [(row.amount_minor, row.state, row.result_code) for row in rows] == [
        (1500, "WAITING", ""),
        (0, "LEFT_OUT", "SEVERAL_PAYMENTS"),
        (0, "LEFT_OUT", "NOTHING_AUTHORIZED"),
    ]


@pytest.mark.django_db(transaction=True)
def test_a_batch_that_is_stored_at_the_second_try_takes_no_other_batchs_key(order: PaymentOrder) -> None:
    tries = []

    def meet() -> None:
        tries.append(1)
        if len(tries) == 2:
            OperationBatch.objects.create(kind=CAPTURE, created_at=order.created_at)

    table, conflict = connection.ops.quote_name, raising(OperationalError("database is locked"))
    with (
        meddling("INSERT INTO", table("wallet_gateway_operationbatchrow"), act=conflict),
        meddling("INSERT INTO", table("wallet_gateway_operationbatch"), act=meet, times=2),
    ):
        batch = batches.draft(CAPTURE, [order], by="anna")
    assert OperationBatch.objects.count() == 2
    (row,) = rows_of(OperationBatch.objects.get(pk=batch.pk))
    assert row.order == order


def test_of_two_payments_the_one_that_was_given_back_is_not_meant() -> None:
    order = an_order()
    a_payment(order, authorized=2000, reversal="done")
    live = a_payment(order, authorized=2000)
    (row,) = rows_of(batches.draft(BatchKind.REVERSAL, [order], by="anna"))
    assert row.payment == live


@pytest.mark.parametrize("first", [payments.capture, payments.reverse])
def test_a_row_of_which_nothing_is_left_names_the_operation_that_has_no_outcome(
    first: object, shop: Shop
) -> None:
    order = order_of(shop.pay(type="preauthorization"))
    shop.lose_answer(first, order)  # type: ignore[arg-type]
    for kind in (CAPTURE, BatchKind.REVERSAL):
        (row,) = rows_of(batches.draft(kind, [order], by="anna"))
        assert (row.state, row.result_code) == ("LEFT_OUT", "NOT_POSSIBLE")
        assert row.refusal_code == ErrorCode.OPERATION_OUTSTANDING


def test_what_cannot_be_kept_or_is_not_permitted_is_refused_before_anything_is_started(
    order: PaymentOrder,
) -> None:
    person("anna")
    batch = batches.draft(CAPTURE, [order], by="anna")
    with pytest.raises(InvalidInput, match="shipped, part-shipped, service, other"):
        batches.start(batch, reason_code="returned")
    with pytest.raises(InvalidInput):
        batches.start(batch, comment="\x00")
    person("anna").delete()
    with pytest.raises(InvalidState, match="anna does not have the permission"):
        batches.start(batch)
    for by in ("anna", "nobody"):
        with pytest.raises(InvalidState, match="permission"):
            batches.start_detached_refunds({a_deposit(): EURO}, token="t", by=by)
    assert OperationBatch.objects.get().state == "DRAFT"


@every(
    ("of_deposit", "asked", "why"),
    [
        ("EUR", Money(Decimal("5000"), "JPY"), "is in JPY, but the payment is in EUR"),
        ("JPY", Money(Decimal("50.00"), "EUR"), "is in EUR, but the payment is in JPY"),
        ("EUR", Money(Decimal("0.00"), "EUR"), "not a valid amount in EUR"),
    ],
)
def test_a_deposit_is_refunded_in_its_own_currency_and_not_by_nothing(
    of_deposit: str, asked: Money, why: str
) -> None:
    amounts = {a_deposit(): EURO, a_deposit(currency=of_deposit): asked}
    with pytest.raises(InvalidInput, match=why):
        batches.start_detached_refunds(amounts, token="one", by=person("carla"))
    assert not OperationBatch.objects.exists()


LONGEST = OperationBatch._meta.get_field("token").max_length or 0


def test_a_token_belongs_to_one_batch_of_the_same_refunds() -> None:
    deposit, carla = a_deposit(), person("carla")
    start = partial(batches.start_detached_refunds, token="one", by=carla)
    assert start({deposit: EURO}) == start({deposit: EURO})
    for other in ({deposit: Money.parse("2.00", "EUR")}, {deposit: EURO, a_deposit(): EURO}):
        with refuses(IdempotencyConflict, ErrorCode.KEY_TAKEN, key="one"):
            start(other)
    assert OperationBatch.objects.get().rows.count() == 1


@every("token", ["", "t" * (LONGEST + 1), "two words", "zw\u00f6lf", "line\n"])
def test_a_token_that_no_key_can_begin_with_is_refused_when_it_is_given(token: str) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, argument="token"):
        batches.start_detached_refunds({a_deposit(): EURO}, token=token, by=person("carla"))
    assert not OperationBatch.objects.exists()


def test_the_longest_token_makes_keys_that_an_operation_accepts_and_no_two_are_alike(shop: Shop) -> None:
    deposit, carla = shop.deposit(), person("carla")
    batch = batches.start_detached_refunds({deposit: EURO}, token="t" * LONGEST, by=carla)
    other = batches.draft(CAPTURE, [shop.order(), shop.order()], by="anna")
    keys = [OperationBatchRow(pk=2**63 - 1, batch=batch).key, *(row.key for row in rows_of(other))]
    assert (len(set(keys)), len(other.token)) == (3, 22)
    for key in keys:
        given_key = {"idempotency_key": key, "by": "carla"}
        assert payments.refund_migrated("OLD-1", Decimal("1.00"), "EUR", **given_key).state == "APPROVED"


def test_a_second_page_that_is_submitted_late_changes_no_row_of_what_is_under_way(shop: Shop) -> None:
    orders = [order_of(shop.pay(type="preauthorization")) for _ in range(2)]
    batch = batches.draft(CAPTURE, orders, by=person("anna"))
    mine, late = rows_of(batch), rows_of(batch)
    mine[1].state, mine[1].result_code, mine[0].amount_minor = "LEFT_OUT", "NOT_WANTED", 1200
    assert batches.start(batch, mine, reason_code="shipped")
    batch.refresh_from_db()
    batches.step(batch)
    late[0].amount_minor = 100
    assert not batches.start(batch, late, reason_code="part-shipped")
    assert not batches.resume(batch)
    assert [(row.state, row.amount_minor) for row in rows_of(batch)] == [
        ("CARRIED_OUT", 1200),
        ("LEFT_OUT", 3000),
    ]
    assert GatewayTransaction.objects.get(kind="CAPTURE").amount_minor == 1200


def test_a_paused_batch_claims_nothing_until_it_is_resumed(running: MakeBatch) -> None:
    batch = running(1)
    assert batches.pause(batch, by="ben")
    assert batches.step(batch) == []
    assert not batches.pause(batch, by="ben")
    assert batch.rows.get().state == "WAITING"
    assert (reloaded(batch).paused_by, batch.paused_at is None) == ("ben", False)
    assert batches.resume(batch)
    assert (reloaded(batch).paused_by, batch.paused_at) == ("", None)
    assert [row.state for row in batches.step(batch)] == ["CARRIED_OUT"]


@pytest.mark.every_database
@pytest.mark.parametrize("paused", [False, True])
def test_a_stop_is_for_good_and_leaves_out_what_was_not_begun(
    paused: bool, running: MakeBatch, shop: Shop
) -> None:
    shop.clock.stop()
    batch = running(2)
    working = OperationBatchRow.objects.filter(pk=batch.rows.earliest("pk").pk)
    working.update(state="WORKING", leased_until=shop.clock.now())
    if paused:
        batches.pause(batch, by="ben")
    assert batches.stop(batch, by="ben")
    assert not batches.stop(batch, by="carla")
    assert not batches.resume(batch)
    assert not batches.start(batch)
    assert (reloaded(batch).state, batch.stopped_by, batch.stopped_at) == ("STOPPED", "ben", shop.clock.now())
    left = list(batch.rows.values_list("state", "result_code"))
    assert left == [("WORKING", ""), ("LEFT_OUT", "BATCH_STOPPED")]


def test_to_ask_takes_no_permission_and_the_sweep_does_it(shop: Shop) -> None:
    batch = batches.start_status_queries([order_of(shop.pay()), shop.order()], by="otto")
    payments.sweep()
    assert [row.result_code for row in rows_of(batch)] == ["UNCHANGED", "NEVER_SENT"]


@pytest.mark.parametrize(("state", "why"), [("OVERPAID", "SEVERAL_PAYMENTS"), ("FROZEN", "NOT_POSSIBLE")])
def test_no_batch_takes_more_of_an_order_about_which_a_person_decides(state: str, why: str) -> None:
    order = an_order(type="preauthorization", state=state)
    a_payment(order, authorized=2000, captured=2000)
    a_payment(order, authorized=2000)
    (row,) = rows_of(batches.draft(CAPTURE, [order], by="anna"))
    assert (row.state, row.result_code) == ("LEFT_OUT", why)
    (row,) = rows_of(batches.draft(BatchKind.REVERSAL, [order], by="anna"))
    assert row.state == "WAITING", "it may be given back"
