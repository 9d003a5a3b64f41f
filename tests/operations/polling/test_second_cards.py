"""Hosted pages on which a card is refused and another one is tried: money taken there is never overlooked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from proof.gateway_truth import GatewayTruth
from tests.operations.aftermath import told
from tests.operations.conftest import Pay, Start, VirtualClock, sweep_until
from tests.operations.journal import queries
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState
TryCard = Callable[..., None]


def order() -> PaymentOrder:
    return PaymentOrder.objects.get()


@pytest.fixture
def another_card(wallet_sandbox: SandboxControl) -> TryCard:
    """Try a card on a page of a gateway that lets its customers try another one after it."""
    wallet_sandbox.behaviour(another_card=True)

    def attempt(payment: Payment, outcome: str) -> None:
        wallet_sandbox.complete_checkout(payment.reference, outcome)

    return attempt


@pytest.fixture
def refused(open_page: Pay, another_card: TryCard, context: GatewayContext, clock: VirtualClock) -> Payment:
    """A page of 15 minutes on which a card was refused, as seen 80 seconds after it was opened."""
    payment = open_page()
    another_card(payment, "refused")
    clock.advance(seconds=80)
    sweep(context=context)
    assert (payment.opening.state, order().state) == (S.OPEN, OrderState.FAILED)
    return Payment.objects.get()


def test_a_second_card_on_a_refused_page_pays_the_order_though_nobody_comes_back(
    refused: Payment, another_card: TryCard, context: GatewayContext, clock: VirtualClock
) -> None:
    clock.advance(seconds=9 * 60 - 80)
    another_card(refused, "success")
    transaction = refused.opening
    sweep_until(transaction, lambda row: row.state == S.APPROVED, context=context, clock=clock)

    assert transaction.expires_at is not None
    assert clock.now() < transaction.expires_at + timedelta(minutes=5)
    assert (order().state, told()) == (OrderState.PAID, ["FAILED", "PAID"])
    refused.refresh_from_db()
    assert (refused.captured, refused.is_frozen) == (2000, False)
    GatewayTruth(order(), context.gateway).check_known()


def test_a_payment_in_the_last_minute_of_a_refused_page_that_shows_late_is_found_within_the_week(
    refused: Payment,
    another_card: TryCard,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    # The sandbox's own clock goes on, and a busy machine takes its time.
    clock.advance(seconds=840 - 80)
    wallet_sandbox.behaviour(status_lag_seconds=3 * 86_400)
    another_card(refused, "success")
    sweep_until(refused.opening, lambda row: row.state == S.APPROVED, context=context, clock=clock)
    assert (order().state, told()) == (OrderState.PAID, ["FAILED", "PAID"])


def test_a_refused_page_is_asked_about_until_it_has_ended_and_a_week_longer(
    refused: Payment, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    transaction = refused.opening
    end = transaction.expires_at
    assert end is not None
    asked = []
    while transaction.next_query_at is not None:
        asked.append(transaction.next_query_at - end)
        clock.advance_to(transaction.next_query_at)
        sweep(context=context)
        transaction.refresh_from_db()

    assert transaction.state == S.REJECTED
    planned = [timedelta(minutes=1), timedelta(minutes=15)]
    planned += [timedelta(minutes=15, days=day) for day in range(1, 8)]
    for at, wanted in zip(asked[-9:], planned, strict=True):
        assert timedelta(0) <= at - wanted <= timedelta(hours=5), "jitter delays, and never hastens"
    before = queries(wallet_sandbox)
    clock.advance(days=40)
    sweep(context=context)
    reconcile_attempt(reference=refused.reference, context=context)
    assert queries(wallet_sandbox) == before


def test_a_refused_page_that_is_paid_beside_another_one_makes_the_order_overpaid(
    refused: Payment,
    start: Start,
    another_card: TryCard,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    second = start(order())
    another_card(second, "success")
    reconcile_attempt(reference=second.reference, context=context)
    assert order().state == OrderState.PAID

    another_card(refused, "success")
    sweep_until(refused.opening, lambda row: row.state == S.APPROVED, context=context, clock=clock)
    assert (order().state, told()) == (OrderState.OVERPAID, ["FAILED", "PAID", "ANOMALY"])
    GatewayTruth(order(), context.gateway).check_known()


def test_while_another_page_is_open_the_refused_one_pays_and_the_open_one_stays_watched(
    refused: Payment,
    start: Start,
    another_card: TryCard,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    second = start(order())
    clock.advance(seconds=3)
    another_card(refused, "success")
    reconcile_attempt(reference=refused.reference, context=context)
    assert (order().state, second.opening.state) == (OrderState.PAID, S.OPEN)

    another_card(second, "success")
    clock.advance(minutes=2)
    sweep(context=context)
    assert order().state == OrderState.OVERPAID


def test_a_second_card_that_is_pending_keeps_the_order_from_being_paid_elsewhere(
    refused: Payment,
    another_card: TryCard,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    clock.advance(seconds=3)
    another_card(refused, "pending")
    reconcile_attempt(reference=refused.reference, context=context)
    assert (order().state, order().is_payable) == (OrderState.PENDING, False)

    wallet_sandbox.settle_pending(refused.reference, "success")
    sweep_until(refused.opening, lambda row: row.state == S.APPROVED, context=context, clock=clock)
    assert (order().state, told()) == (OrderState.PAID, ["FAILED", "PAID"])
