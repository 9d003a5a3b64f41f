"""The end of a follow-up may show what was done elsewhere: its payment is queried soon after it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.operations.conftest import Resolve, VirtualClock
from tests.operations.settlement.rows import a_follow_up, a_page, approval, contradiction, update
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.settlement.settle import reread, settle

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, E, K = TransactionState, LifecycleEvent, TransactionKind


def opening_is_queried(opening: GatewayTransaction, clock: VirtualClock) -> bool:
    return reread(opening).next_query_at == clock.now()


@pytest.mark.parametrize("event", [E.REJECTED, E.ABANDONED, E.APPROVED])
def test_the_end_of_a_follow_up_lets_its_own_payment_be_queried_at_once(
    event: LifecycleEvent,
    sold: GatewayTransaction,
    refund: GatewayTransaction,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    other = settle(a_page(), approval(2000, "other"), context=context)
    later = clock.now() + timedelta(hours=1)
    GatewayTransaction.objects.filter(kind=K.CHECKOUT).update(next_query_at=later)
    settle(refund, update(event), context=context)
    assert opening_is_queried(sold, clock)
    assert reread(other).next_query_at == later


@pytest.mark.parametrize("event", [E.HELD, None])
def test_a_follow_up_that_goes_on_does_not_hurry_it(
    event: LifecycleEvent | None,
    sold: GatewayTransaction,
    refund: GatewayTransaction,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    GatewayTransaction.objects.filter(pk=sold.pk).update(next_query_at=clock.now() + timedelta(hours=1))
    settle(refund, update(event), context=context)
    assert not opening_is_queried(sold, clock)


def test_a_query_that_is_due_already_stays_as_it_is(
    sold: GatewayTransaction, refund: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    due = clock.now() - timedelta(minutes=1)
    GatewayTransaction.objects.filter(pk=sold.pk).update(next_query_at=due)
    settle(refund, update(E.REJECTED), context=context)
    assert reread(sold).next_query_at == due


def test_what_was_never_outstanding_hides_nothing(
    sold: GatewayTransaction,
    refund: GatewayTransaction,
    context: GatewayContext,
    clock: VirtualClock,
    resolve: Resolve,
) -> None:
    rejected = settle(refund, update(E.REJECTED), context=context)
    later = clock.now() + timedelta(hours=1)
    GatewayTransaction.objects.filter(pk=sold.pk).update(next_query_at=later)
    doubtful = settle(rejected, update(E.CONTRADICTED, finding=contradiction(None)), context=context)
    resolve(doubtful, Decision.DID_NOT_HAPPEN)
    assert reread(sold).next_query_at == later


@pytest.mark.parametrize(
    ("before", "event", "is_hurried"),
    [
        (S.SENDING, E.REJECTED, False),
        (S.NOT_SENT, E.ABANDONED, True),
        (S.PENDING, E.REJECTED, True),
        (S.UNKNOWN, E.CONTRADICTED, False),
    ],
)
def test_what_may_have_hidden_other_records_is_followed_by_a_query(
    before: TransactionState,
    event: LifecycleEvent,
    is_hurried: bool,
    sold: GatewayTransaction,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    refund = a_follow_up(sold, K.REFUND, before)
    GatewayTransaction.objects.filter(pk=sold.pk).update(next_query_at=clock.now() + timedelta(hours=1))
    settle(refund, update(event), context=context)
    assert opening_is_queried(sold, clock) == is_hurried


def test_a_payment_that_is_decided_itself_keeps_its_schedule(
    context: GatewayContext, clock: VirtualClock
) -> None:
    page = settle(a_page(), update(E.HELD), context=context)
    decided = settle(page, approval(2000), context=context)
    assert decided.next_query_at is not None
    assert decided.next_query_at > clock.now()
    assert reread(page).next_query_at == decided.next_query_at


def test_a_payment_that_is_contradicted_keeps_its_schedule(
    sold: GatewayTransaction, refund: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    settle(sold, update(E.CONTRADICTED, finding=contradiction(None)), context=context)
    later = clock.now() + timedelta(hours=1)
    GatewayTransaction.objects.filter(pk=sold.pk).update(next_query_at=later)
    settle(reread(refund), update(E.REJECTED), context=context)
    assert reread(sold).next_query_at == later
