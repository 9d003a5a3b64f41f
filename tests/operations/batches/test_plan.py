"""Planning a batch and controlling it: what is left of each order, one start, pause, resume and stop."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.models.rows import NOW, a_deposit, a_payment, an_order
from tests.operations.conftest import VirtualClock
from tests.refusals import refuses
from wallet_gateway.domain.actors import Actor
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
    ResultCode,
    RowState,
)
from wallet_gateway.operations.batches import plan
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.operations.follow_ups.execute import Initiator, find_by_idempotency_key
from wallet_gateway.protocol.money import Money

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def books_stay_true() -> None:
    """Look through no books: the rows here were written by hand."""


@pytest.fixture
def order() -> PaymentOrder:
    order = an_order(type="preauthorization")
    a_payment(order, authorized=2000, captured=500)
    return order


def everybody(actor: Actor, kind: BatchKind) -> bool:
    return True


def drafted(
    clock: VirtualClock, *orders: PaymentOrder, kind: BatchKind = BatchKind.CAPTURE
) -> OperationBatch:
    return plan.draft(kind, orders, by="anna", clock=clock)


def started(clock: VirtualClock, *orders: PaymentOrder) -> OperationBatch:
    batch = drafted(clock, *orders)
    assert plan.start(batch, [], is_permitted=everybody, clock=clock)
    batch.refresh_from_db()
    return batch


def test_what_cannot_be_kept_is_refused_before_anything_is_started(
    clock: VirtualClock, order: PaymentOrder
) -> None:
    batch = drafted(clock, order)
    with pytest.raises(InvalidInput, match="shipped, part-shipped, service, other"):
        plan.start(batch, [], reason_code="returned", is_permitted=everybody, clock=clock)
    with pytest.raises(InvalidInput):
        plan.start(batch, [], comment="\x00", is_permitted=everybody, clock=clock)
    with pytest.raises(InvalidState, match="anna does not have the permission"):
        plan.start(batch, [], is_permitted=lambda name, kind: False, clock=clock)
    batch.refresh_from_db()
    assert batch.state == BatchState.DRAFT


@pytest.mark.parametrize(
    ("of_deposit", "asked", "why"),
    [
        ("EUR", Money(Decimal("5000"), "JPY"), "is in JPY, but the payment is in EUR"),
        ("JPY", Money(Decimal("50.00"), "EUR"), "is in EUR, but the payment is in JPY"),
        ("EUR", Money(Decimal("0.00"), "EUR"), "not a valid amount in EUR"),
    ],
)
def test_a_deposit_is_refunded_in_its_own_currency_and_not_by_nothing(
    clock: VirtualClock, of_deposit: str, asked: Money, why: str
) -> None:
    right = Money.parse("1.00", "EUR")
    amounts = {a_deposit(): right, a_deposit(currency=of_deposit): asked}

    with pytest.raises(InvalidInput, match=why):
        plan.start_detached_refunds(amounts, token="one", by="carla", is_permitted=everybody, clock=clock)

    assert not OperationBatch.objects.exists()


LONGEST = OperationBatch._meta.get_field("token").max_length or 0


@pytest.mark.parametrize("token", ["", "t" * (LONGEST + 1), "two words", "zw\u00f6lf", "line\n"], ids=ascii)
def test_a_token_that_no_key_can_begin_with_is_refused_when_it_is_given(
    clock: VirtualClock, token: str
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, argument="token"):
        plan.start_detached_refunds(
            {a_deposit(): Money.parse("1.00", "EUR")},
            token=token,
            by="carla",
            is_permitted=everybody,
            clock=clock,
        )

    assert not OperationBatch.objects.exists()


def test_the_longest_token_makes_keys_that_an_operation_accepts(clock: VirtualClock) -> None:
    batch = plan.start_detached_refunds(
        {a_deposit(): Money.parse("1.00", "EUR")},
        token="t" * LONGEST,
        by="carla",
        is_permitted=everybody,
        clock=clock,
    )

    longest = OperationBatchRow(pk=2**63 - 1, batch=batch).key
    who = Initiator(idempotency_key=longest)
    assert find_by_idempotency_key(who, kind=TransactionKind.DETACHED_REFUND) is None


@pytest.mark.parametrize("paused", [False, True])
def test_a_stop_is_for_good_and_leaves_out_what_was_not_begun(clock: VirtualClock, paused: bool) -> None:
    orders = [an_order(type="preauthorization") for _ in range(2)]
    for order in orders:
        a_payment(order, authorized=2000)
    batch = started(clock, *orders)
    working = batch.rows.earliest("pk")
    OperationBatchRow.objects.filter(pk=working.pk).update(state=RowState.WORKING, leased_until=NOW)
    if paused:
        plan.pause(batch, by="ben", clock=clock)

    assert plan.stop(batch, by="ben", clock=clock)
    assert not plan.stop(batch, by="carla", clock=clock)
    assert not plan.resume(batch, clock=clock)
    assert not plan.start(batch, [], is_permitted=everybody, clock=clock)

    batch.refresh_from_db()
    assert (batch.state, batch.stopped_by, batch.stopped_at) == (BatchState.STOPPED, "ben", clock.now())
    states = list(batch.rows.values_list("state", "result_code"))
    assert states == [(RowState.WORKING, ""), (RowState.LEFT_OUT, ResultCode.BATCH_STOPPED)]
