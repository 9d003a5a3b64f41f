"""Old attempts and ended pages: what is paid late is money, and no page ends upon a silence."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.explanations import explained
from tests.operations.aftermath import the_order, told
from tests.operations.conftest import Pay, VirtualClock
from tests.operations.dying import in_the_name_of
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.due import reconcile_due
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


# Old attempts


@pytest.fixture
def two_pages(open_page: Pay, context: GatewayContext, clock: VirtualClock) -> tuple[Payment, Payment]:
    """Two attempts of one order whose pages can both still be paid: the first has a minute left."""
    first = open_page()
    clock.advance(seconds=845)
    second = start_checkout(order=first.order, context=context, return_urls=return_urls)
    return first, second


def test_a_late_success_of_an_old_attempt_pays_the_order(
    two_pages: tuple[Payment, Payment],
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    first, second = two_pages
    wallet_sandbox.complete_checkout(first.reference, "success")
    clock.advance(minutes=2)
    sweep(context=context)

    assert the_order().state == OrderState.PAID
    assert told() == ["PAID"]
    assert Payment.objects.get(pk=second.pk).opening.state == S.OPEN


def test_two_paid_pages_make_the_order_overpaid_and_call_a_person(
    two_pages: tuple[Payment, Payment],
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    first, second = two_pages
    for payment in two_pages:
        wallet_sandbox.complete_checkout(payment.reference, "success")
    reconcile_attempt(reference=second.reference, context=context)
    assert the_order().state == OrderState.PAID
    reconcile_attempt(reference=first.reference, context=context)

    assert the_order().state == OrderState.OVERPAID
    assert told() == ["PAID", "ANOMALY"], "a second payment is not 'paid' once more"
    assert PaymentOrder.objects.get().is_paid


# The end of a page


def test_a_page_ends_unpaid_once_a_record_would_have_shown(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = open_page().opening
    while transaction.state == S.OPEN:
        assert the_order().state == OrderState.OPEN
        clock.advance_to(transaction.next_query_at)
        sweep(context=context)
        transaction.refresh_from_db()

    assert transaction.state == S.EXPIRED
    assert transaction.expires_at is not None
    assert timedelta(minutes=15) <= clock.now() - transaction.expires_at < timedelta(minutes=20)
    assert the_order().state == OrderState.EXPIRED
    assert told() == ["EXPIRED"]
    assert "page_ended" in explained(transaction)


def test_a_page_of_an_account_that_the_settings_no_longer_name_does_not_end_unasked(
    open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")
    clock.advance(hours=1)
    assert reconcile_due(context=in_the_name_of("ANOTHER", context)) == 1

    transaction = payment.opening
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator) == (S.OPEN, True)
    assert the_order().state == OrderState.OPEN

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator) == (S.APPROVED, False)
    assert the_order().state == OrderState.PAID
