"""What a booking writes: the counters and states of its own payment, order or deposit, and of no other."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.models.rows import a_deposit, an_order
from tests.operations.conftest import VirtualClock
from tests.operations.settlement.rows import a_follow_up, a_page, approval, contradiction, in_state, update
from wallet_gateway.domain.lifecycle import LifecycleEvent, OrderState, TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.models.orders import KnownPayments
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.counters import VersionConflict, write_order
from wallet_gateway.operations.settlement.settle import reread, settle

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, E, K = TransactionState, LifecycleEvent, TransactionKind


# Deposits


@pytest.fixture
def detached() -> GatewayTransaction:
    """A refund of 5.00 of an earlier provider's payment, whose outcome is unknown."""
    held = {"deposit": a_deposit(refund_reserved=500), "holds_reservation": True}
    return in_state(K.DETACHED_REFUND, S.UNKNOWN, **held)


def counters_of(deposit: MigratedDeposit | None) -> tuple[int, int, bool]:
    assert deposit is not None
    deposit.refresh_from_db()
    return deposit.refunded, deposit.refund_reserved, deposit.is_frozen


@pytest.mark.parametrize(
    ("event", "counters"),
    [
        (E.APPROVED, (500, 0, False)),
        (E.REJECTED, (0, 0, False)),
        (E.HELD, (0, 500, False)),
        (E.CONTRADICTED, (0, 500, True)),
    ],
)
def test_a_deposits_counters_follow_its_refund_and_no_others(
    event: LifecycleEvent,
    counters: tuple[int, int, bool],
    detached: GatewayTransaction,
    context: GatewayContext,
) -> None:
    other = a_deposit()
    finding = approval(500).finding if event is E.APPROVED else contradiction(None)
    settle(detached, update(event, finding=finding), context=context)
    assert counters_of(detached.deposit) == counters
    assert counters_of(other) == (0, 0, False)


# Payments and orders


def test_a_booking_counts_the_order_on_and_touches_no_other(
    reserved: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    capture = a_follow_up(reserved, K.CAPTURE)
    assert capture.payment is not None
    before = capture.payment.order.version
    other = a_page(order=an_order(version=before))
    clock.instant += timedelta(seconds=1)
    settled = settle(capture, approval(500), context=context)

    assert (capture.state, capture.payment.captured) == (S.UNKNOWN, 0), "the caller's rows are not changed"
    assert (capture.payment.order.version, capture.payment.order.state) == (before, OrderState.AUTHORIZED)
    assert settled.payment is not None
    order = settled.payment.order
    stored = PaymentOrder.objects.get(pk=order.pk)
    for each in (order, stored):
        found = (each.version, each.updated_at, each.state)
        assert found == (before + 1, clock.now(), OrderState.PART_CAPTURED)
    assert (order.known_payments, stored.release_check_at) == (None, None)
    payment = Payment.objects.get(pk=settled.payment.pk)
    counted = (payment.state, payment.captured, payment.capture_reserved, payment.authorized)
    assert counted == ("PART_CAPTURED", 500, 0, 2000)
    assert other.payment is not None
    other = reread(other)
    assert other.payment is not None
    untouched = (other.payment.state, other.payment.captured, other.payment.order.version)
    assert untouched == ("OPEN", 0, before)


def test_a_transition_that_changes_no_total_leaves_the_order_as_it_is(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    assert capture.payment is not None
    before = capture.payment.order.version
    settle(capture, update(E.HELD), context=context)
    assert PaymentOrder.objects.get().version == before


@pytest.mark.parametrize(("event", "state"), [(E.HELD, OrderState.PENDING), (E.REJECTED, OrderState.FAILED)])
def test_a_state_that_changes_without_a_total_is_written(
    event: LifecycleEvent, state: OrderState, context: GatewayContext
) -> None:
    settle(a_page(), update(event), context=context)
    assert PaymentOrder.objects.get().state == state
    assert Payment.objects.get().state == state


@pytest.mark.parametrize(
    ("event", "reversal", "state"),
    [
        (E.APPROVED, "done", "REVERSED"),
        (E.REJECTED, "none", "AUTHORIZED"),
        (E.HELD, "reserved", "AUTHORIZED"),
    ],
)
def test_a_reversal_is_written_without_a_counter(
    event: LifecycleEvent,
    reversal: str,
    state: str,
    reserved: GatewayTransaction,
    context: GatewayContext,
) -> None:
    row = a_follow_up(reserved, K.REVERSAL, amount_minor=2000)
    settle(row, replace(approval(2000), event=event), context=context)
    payment = Payment.objects.get()
    assert (payment.reversal, payment.state, PaymentOrder.objects.get().state) == (reversal, state, state)


@pytest.mark.parametrize("has_end", [True, False])
def test_an_order_with_an_end_is_looked_at_again(
    has_end: bool, context: GatewayContext, clock: VirtualClock
) -> None:
    end = {"payable_until": clock.now() + timedelta(hours=1), "release_check_at": clock.now()}
    page = a_page(order=an_order(**end if has_end else {}))
    clock.instant += timedelta(seconds=1)
    settled = settle(page, approval(2000), context=context)
    expected = clock.now() if has_end else None
    assert PaymentOrder.objects.get().release_check_at == expected
    assert settled.payment is not None
    assert settled.payment.order.release_check_at == expected


def test_an_order_that_another_process_has_written_is_not_overwritten(clock: VirtualClock) -> None:
    payment = a_page().payment
    assert payment is not None
    PaymentOrder.objects.update(version=payment.order.version + 1)
    payment.state = "FAILED"
    with pytest.raises(VersionConflict):
        write_order(payment, clock.now())
    assert PaymentOrder.objects.get().state == OrderState.OPEN


# The other payments of the order


def test_the_latest_attempt_names_the_state_of_an_order_without_money_whichever_ended_last(
    context: GatewayContext,
) -> None:
    order = an_order()
    first, second = a_page(order=order), a_page(order=order)
    settle(reread(second), update(E.EXPIRED), context=context)
    settle(reread(first), update(E.REJECTED), context=context)
    assert PaymentOrder.objects.get().state == OrderState.EXPIRED


@pytest.mark.parametrize(("behind", "state"), [(0, OrderState.PAID), (1, OrderState.OVERPAID)])
def test_payments_that_were_read_with_the_order_count_while_it_has_not_changed_since(
    behind: int, state: OrderState, context: GatewayContext
) -> None:
    order = an_order()
    first, second = a_page(order=order), a_page(order=order)
    settle(reread(first), approval(2000, "g1"), context=context)
    page = reread(second)
    assert page.payment is not None
    version = page.payment.order.version
    known: list[Any] = [page.payment]
    page.payment.order.known_payments = KnownPayments(version=version - behind, payments=known)
    settled = settle(page, approval(2000, "g2"), context=context)
    assert settled.payment is not None
    assert settled.payment.order.state == state
    PaymentOrder.objects.update(state=OrderState.OVERPAID)
