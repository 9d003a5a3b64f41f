"""Differences: each is closed once, with a name and a reason, and the last one lets the payment be used."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.operations.conftest import Pay, VirtualClock
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, Payment
from wallet_gateway.operations.approvals.resolve import close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


@pytest.fixture
def elsewhere(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> Discrepancy:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "1.00")
    clock.advance(minutes=7)
    sweep(context=context)
    return Discrepancy.objects.get()


def test_closing_the_last_difference_lets_the_payment_be_used_again(
    elsewhere: Discrepancy, context: GatewayContext, clock: VirtualClock
) -> None:
    closed = close_discrepancy(elsewhere, reason="by hand", by="anna", context=context)

    assert (closed.closed_at, closed.closed_by, closed.reason) == (clock.now(), "anna", "by hand")
    payment = Payment.objects.select_related("order").get()
    assert not payment.is_frozen
    assert payment.order.state == OrderState.PAID
    assert refund(payment=payment, context=context, amount=Decimal("5.00")).state == S.APPROVED


@pytest.mark.parametrize("words", [("", "anna"), ("by hand", " ")])
def test_a_difference_is_closed_with_a_reason_and_a_name(
    words: tuple[str, str], elsewhere: Discrepancy, context: GatewayContext
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="is missing"):
        close_discrepancy(elsewhere, reason=words[0], by=words[1], context=context)
    assert Payment.objects.get().is_frozen


def test_a_difference_is_closed_once(elsewhere: Discrepancy, context: GatewayContext) -> None:
    close_discrepancy(elsewhere, reason="by hand", by="anna", context=context)
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="already closed"):
        close_discrepancy(elsewhere, reason="again", by="bert", context=context)
    elsewhere.refresh_from_db()
    assert elsewhere.closed_by == "anna"


def test_a_difference_about_no_transaction_is_closed_too(
    context: GatewayContext, clock: VirtualClock
) -> None:
    loose = Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", fingerprint="x", found_at=clock.now()
    )
    assert close_discrepancy(loose, reason="seen", by="anna", context=context).closed_at is not None
