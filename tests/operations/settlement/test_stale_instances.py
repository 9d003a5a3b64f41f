"""What a caller holds may be old: operations read for themselves what they decide on."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from wallet_gateway import gateways
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import OutboxEvent, Payment, PaymentOrder
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_an_old_payment_beside_a_fresh_order_does_not_make_the_order_payable_again(
    open_page: Callable[..., Payment], wallet_sandbox: SandboxControl, context: GatewayContext
) -> None:
    old = open_page(type="preauthorization")
    wallet_sandbox.complete_checkout(old.reference, "success")
    reconciliation.reconcile_attempt(reference=old.reference, context=context)
    old.order.refresh_from_db()

    follow_ups.capture(payment=old, context=context, amount=Decimal("5.00"))

    order = PaymentOrder.objects.get(pk=old.order.pk)
    assert order.state == OrderState.PART_CAPTURED
    assert not order.is_payable
    assert [outbox_event.kind for outbox_event in OutboxEvent.objects.all()] == [
        "AUTHORIZED",
        "CAPTURED_IN_PART",
    ]


def test_an_order_refreshed_after_its_reversal_can_be_paid_anew(
    pay: Callable[..., Payment], context: GatewayContext
) -> None:
    payment = pay(type="preauthorization")
    order = payment.order
    follow_ups.reverse(payment=payment, context=context)
    order.refresh_from_db()

    again = start_checkout(order=order, context=context, return_urls=gateways.return_urls)

    assert again.redirect_url
    assert PaymentOrder.objects.get(pk=order.pk).state == OrderState.OPEN
