"""A result that comes late meets the closing of its attempt, in every order: exactly one of them wins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from tests.operations.conftest import MakeOrder, VirtualClock
from tests.operations.dying import interrupted
from tests.operations.journal import times_sent
from tests.operations.threads import surprises, together
from tests.operations.wallet_customer import Customer
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder, TransactionEvent
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.operations.wallet import attempts
from wallet_gateway.operations.wallet.abandon import abandon
from wallet_gateway.operations.wallet.hooks import SheetPricing, SheetQuestion
from wallet_gateway.operations.wallet.pay import pay_with_wallet
from wallet_gateway.operations.wallet.sweep import expire_buttons
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.every_database
S = TransactionState


@dataclass
class Late:
    """An approved card whose result is posted, and the closing that comes into it."""

    customer: Customer
    order: PaymentOrder
    detail: object
    clock: VirtualClock

    def read(self) -> Payment:
        """Read the attempt, as a page does that asks what became of it."""
        return attempts.load(PaymentOrder.objects.get(pk=self.order.pk)).openings[-1].opened_payment

    def close(self, payment: Payment | None = None) -> Payment:
        return abandon(payment or self.read(), context=self.customer.context)

    def post(self) -> Payment:
        return self.customer.post(self.order, self.detail)


def closed_before_it_comes(late: Late) -> None:
    late.close()
    late.post()


def closed_after_its_attempt_was_read(late: Late) -> None:
    tried = attempts.load(PaymentOrder.objects.get(pk=late.order.pk))
    late.close()
    pay_with_wallet(
        tried=tried,
        session=late.customer.session,
        detail=late.detail,
        context=late.customer.context,
        return_urls=return_urls,
    )


def closed_while_its_price_is_checked(late: Late) -> None:
    def price(_question: SheetQuestion) -> SheetPricing:
        late.close()
        return SheetPricing()

    late.customer = replace(late.customer, context=replace(late.customer.context, price=price))
    late.post()


def closed_by_two_pages(late: Late) -> None:
    one, other = late.read(), late.read()
    late.close(one)
    assert late.close(other).opening.state == S.ABANDONED
    late.post()


def closed_by_a_page_that_read_it_before_it_came(late: Late) -> None:
    stale = late.read()
    late.post()
    assert late.close(stale).opening.state == S.APPROVED


def _while_it_is_sent(late: Late, when: str) -> None:
    stale = late.read()

    def close() -> None:
        for known in (stale, late.read()):
            assert late.close(known).opening.state == S.SENDING

    late.customer.post(late.order, late.detail, interrupted(late.customer.context, **{when: close}))


def closed_right_before_it_is_sent(late: Late) -> None:
    _while_it_is_sent(late, "before")


def closed_before_its_answer_is_stored(late: Late) -> None:
    _while_it_is_sent(late, "after")


def closed_after_the_sweep_has_ended_it(late: Late) -> None:
    stale = late.read()
    late.clock.advance(minutes=61)
    expire_buttons(context=late.customer.context, limit=5)
    assert late.close(stale).opening.state == S.EXPIRED
    late.post()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("meet", "state", "order_state"),
    [
        (closed_before_it_comes, S.ABANDONED, OrderState.FAILED),
        (closed_after_its_attempt_was_read, S.ABANDONED, OrderState.FAILED),
        (closed_while_its_price_is_checked, S.ABANDONED, OrderState.FAILED),
        (closed_by_two_pages, S.ABANDONED, OrderState.FAILED),
        (closed_by_a_page_that_read_it_before_it_came, S.APPROVED, OrderState.PAID),
        (closed_right_before_it_is_sent, S.APPROVED, OrderState.PAID),
        (closed_before_its_answer_is_stored, S.APPROVED, OrderState.PAID),
        (closed_after_the_sweep_has_ended_it, S.EXPIRED, OrderState.EXPIRED),
    ],
)
def test_a_result_is_either_charged_or_closed(
    customer: Customer,
    make_order: MakeOrder,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
    meet: Callable[[Late], None],
    state: TransactionState,
    order_state: OrderState,
) -> None:
    order = make_order()
    late = Late(customer, order, customer.approve(customer.open(order)), clock)

    meet(late)

    order.refresh_from_db()
    assert (GatewayTransaction.objects.get().state, order.state) == (state, order_state)
    assert times_sent(wallet_sandbox, "authorization") == (state is S.APPROVED)
    # Who loses says nothing in the history of the one that has won.
    written = TransactionEvent.objects.filter(explanation_code="result_not_received")
    assert written.exists() == (state is not S.APPROVED)
    if state is not S.APPROVED:
        assert order.is_payable
        assert customer.pay(order).state == PaymentState.PAID


@pytest.mark.django_db(transaction=True)
def test_of_many_results_and_closings_at_the_same_moment_one_wins(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    late = Late(customer, order, customer.approve(customer.open(order)), clock)

    results = together(late.post, late.close, times=3)

    assert surprises(results, OperationRefused) == []
    state = GatewayTransaction.objects.get().state
    assert state in {S.APPROVED, S.ABANDONED}
    assert times_sent(wallet_sandbox, "authorization") == (state == S.APPROVED)
    # Nobody was told that it is closed and may be paid again, and charged all the same.
    told = {one.opening.state for one in results if isinstance(one, Payment)}
    assert not {S.APPROVED, S.ABANDONED} <= told


@pytest.mark.django_db
@pytest.mark.parametrize("state", sorted(set(S) - {S.AWAITING_RESULT}))
def test_what_does_not_wait_for_a_result_is_left_alone(
    customer: Customer, make_order: MakeOrder, state: TransactionState
) -> None:
    order = make_order()
    customer.open(order)
    payment = attempts.load(order).openings[-1].opened_payment
    payment.opening.state = state
    assert abandon(payment, context=customer.context).opening.state == state
    assert not TransactionEvent.objects.exists()
