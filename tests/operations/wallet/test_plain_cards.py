"""Plain cards of the wallet: the gateway's 3-D Secure decides, whether the customer comes back or not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.operations.conftest import MakeContext, MakeOrder, VirtualClock
from tests.operations.wallet_customer import CARD, Customer
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


def stored(payment: Payment) -> GatewayTransaction:
    return GatewayTransaction.objects.get(pk=payment.opening.pk)


@pytest.mark.parametrize("outcome", ["failed", "abandoned"])
def test_three_d_secure_that_does_not_succeed_leaves_the_order_payable(
    outcome: str,
    customer: Customer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = customer.pay(make_order(), CARD)
    wallet_sandbox.complete_three_d_secure(payment.reference, outcome)
    if outcome == "abandoned":
        clock.advance(minutes=16)
    else:
        clock.advance(seconds=3)
    settled = reconcile_attempt(reference=payment.reference, context=customer.context)

    assert (settled.opening.state, settled.order.state) == (S.REJECTED, OrderState.FAILED)
    assert settled.order.is_payable
    assert customer.pay(settled.order).opening.state == S.APPROVED


def test_the_sweep_finds_out_how_three_d_secure_ended_when_nobody_comes_back(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = customer.pay(make_order(), CARD)
    wallet_sandbox.complete_three_d_secure(payment.reference, "success")
    clock.advance_to(stored(payment).next_query_at)
    sweep(context=customer.context)
    assert stored(payment).state == S.APPROVED


def test_a_three_d_secure_page_on_a_strange_host_is_not_gone_to(
    make_context: MakeContext, customer: Customer, make_order: MakeOrder
) -> None:
    strict = make_context(redirect_hosts=frozenset({"pay.example"}))
    payment = replace(customer, context=strict).pay(make_order(), CARD)

    assert payment.opening.state == S.PENDING
    assert payment.redirect_url == ""
    assert payment.opening.discrepancies.get().kind == "UNEXPECTED_HOST"
    assert not payment.order.is_payable
