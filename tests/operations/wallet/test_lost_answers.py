"""Cards of the wallet button whose answer is lost: what was charged is found, nothing is charged twice."""

from __future__ import annotations

import pytest

from tests.operations.conftest import (
    MakeOrder,
    VirtualClock,
)
from tests.operations.dying import Killed, interrupted, kill
from tests.operations.journal import times_sent
from tests.operations.wallet_customer import CARD, Customer
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.operations.errors import OrderNotPayable
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState
ORDER_STATES = {
    S.UNKNOWN: OrderState.PENDING,
    S.PENDING: OrderState.PENDING,
    S.APPROVED: OrderState.PAID,
    S.REJECTED: OrderState.FAILED,
}


def check_money(transaction: GatewayTransaction) -> None:
    """The payment's sums, the order and the secrets fit the state of the transaction."""
    transaction.refresh_from_db()
    assert transaction.payment is not None
    paid = 2000 if transaction.state == S.APPROVED else 0
    assert (transaction.payment.authorized, transaction.payment.captured) == (paid, paid)
    assert PaymentOrder.objects.get().state == ORDER_STATES[S(transaction.state)]
    assert transaction.wallet_secrets is None


def test_a_card_that_was_charged_by_a_copy_of_its_request_keeps_the_order_until_its_record_shows(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.behaviour(status_lag_seconds=3600)
    wallet_sandbox.fault("authorization", "duplicate")
    order = make_order()
    transaction = customer.pay(order).opening
    assert (transaction.state, transaction.error_code) == (S.UNKNOWN, "4409001")
    with pytest.raises(OrderNotPayable):
        customer.open(order)

    clock.advance(hours=1, minutes=1)
    sweep(context=customer.context)
    transaction.refresh_from_db()
    assert transaction.state == S.APPROVED
    check_money(transaction)


@pytest.mark.parametrize("fault", ["drop_after", "status_after"])
def test_an_answer_with_a_three_d_secure_page_that_is_lost_is_found_by_the_status_query(
    fault: str,
    customer: Customer,
    make_order: MakeOrder,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    wallet_sandbox.fault("authorization", fault)
    transaction = customer.pay(make_order(), CARD).opening
    assert (transaction.state, transaction.redirect_url) == (S.UNKNOWN, "")

    # Nobody can go to a page whose address was lost, so it fails at its end.
    clock.advance(minutes=17)
    sweep(context=customer.context)
    sweep(context=customer.context)
    transaction.refresh_from_db()
    assert transaction.state in {S.REJECTED, S.PENDING}
    assert times_sent(wallet_sandbox, "authorization") == 1


def test_an_authorization_whose_sender_died_after_the_gateway_had_it_is_found_within_seconds(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    with pytest.raises(Killed):
        customer.post(
            order, customer.approve(customer.open(order)), interrupted(customer.context, after=kill)
        )
    clock.advance(seconds=121)
    sweep(context=customer.context)
    transaction = GatewayTransaction.objects.get()
    clock.advance_to(transaction.next_query_at)
    sweep(context=customer.context)

    transaction.refresh_from_db()
    assert (transaction.state, times_sent(wallet_sandbox, "authorization")) == (S.APPROVED, 1)
    check_money(transaction)
