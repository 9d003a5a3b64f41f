"""The hosted page beside the wallet button: what is paid there is not charged again with a card."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.conftest import MakeOrder, VirtualClock
from tests.operations.journal import sent
from tests.operations.wallet_customer import Customer
from tests.refusals import refuses
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.errors import OrderNotPayable, TryAgain
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.protocol.accounts import PaymentAccount
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


def open_page(order: PaymentOrder, customer: Customer) -> Payment:
    """Go to the hosted page from the form beside the button."""
    order = PaymentOrder.objects.get(pk=order.pk)
    return start_checkout(order=order, context=customer.context, return_urls=return_urls)


def test_a_page_that_was_paid_meanwhile_keeps_the_button_from_paying_too(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    page = open_page(order, customer)
    wallet_sandbox.complete_checkout(page.reference, "success")

    with pytest.raises(OrderNotPayable):
        customer.post(order, detail)
    assert not sent(wallet_sandbox)
    assert PaymentOrder.objects.get(pk=order.pk).state == OrderState.PAID


def test_an_open_page_that_nobody_paid_does_not_keep_the_button_from_paying(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    order = make_order()
    button = customer.open(order)
    page = open_page(order, customer)
    paid = customer.post(order, customer.approve(button))
    assert paid.order.state == OrderState.PAID

    # The page cannot be closed; when it is paid as well, a person must know.
    wallet_sandbox.complete_checkout(page.reference, "success")
    clock.advance(minutes=2)
    again = reconcile_attempt(reference=page.reference, context=customer.context)
    assert again.order.state == OrderState.OVERPAID


@pytest.mark.parametrize("opened", ["before the result", "during the look-up"])
def test_a_page_that_is_paid_while_the_card_is_looked_up_keeps_the_card_from_being_charged(
    opened: str, customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    page = open_page(order, customer) if opened == "before the result" else None
    look_up = customer.context.gateway.payment_account

    def meanwhile(*args: Any, **kwargs: Any) -> Answer[PaymentAccount]:
        paid = page or open_page(order, customer)
        wallet_sandbox.complete_checkout(paid.reference, "success")
        return look_up(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(customer.context.gateway, "payment_account", meanwhile)
        with pytest.raises(OrderNotPayable):
            customer.post(order, detail)
    assert not sent(wallet_sandbox)
    assert PaymentOrder.objects.get(pk=order.pk).state == OrderState.PAID


@pytest.mark.parametrize("fault", ["drop_before", "status_before", "not_json"])
def test_while_the_gateway_does_not_say_whether_the_page_is_paid_no_card_is_charged(
    fault: str, customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    page = open_page(order, customer)
    wallet_sandbox.complete_checkout(page.reference, "success")
    wallet_sandbox.fault("status", fault, times=20)

    # Pressed twice: that the page has just been queried says nothing if there was no answer.
    for _ in range(2):
        with refuses(TryAgain, ErrorCode.TRY_AGAIN):
            customer.post(order, detail)
    assert not sent(wallet_sandbox)

    wallet_sandbox.clear_faults()
    with pytest.raises(OrderNotPayable):
        customer.post(order, detail)
    assert PaymentOrder.objects.get(pk=order.pk).state == OrderState.PAID


@pytest.mark.parametrize("times", [1, 2])
def test_while_the_record_of_the_page_cannot_be_read_no_card_is_charged(
    times: int, customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    open_page(order, customer)
    wallet_sandbox.fault("status", "unreadable_record", times=times)

    for _ in range(times):
        with refuses(TryAgain, ErrorCode.TRY_AGAIN):
            customer.post(order, detail)
    assert not sent(wallet_sandbox)

    assert customer.post(order, detail).order.state == OrderState.PAID


def test_a_page_that_was_paid_with_another_card_after_a_refusal_keeps_the_button_from_paying_too(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    page = open_page(order, customer)
    GatewayTransaction.objects.filter(pk=page.opening.pk).update(
        state=S.REJECTED, next_query_at=page.opening.created_at
    )
    PaymentOrder.objects.filter(pk=order.pk).update(state=OrderState.FAILED)
    detail = customer.approve(customer.open(PaymentOrder.objects.get(pk=order.pk)))
    wallet_sandbox.complete_checkout(page.reference, "success")

    with pytest.raises(OrderNotPayable):
        customer.post(order, detail)
    assert not sent(wallet_sandbox)


def test_a_button_that_is_only_shown_keeps_nobody_from_the_hosted_page(
    customer: Customer, make_order: MakeOrder
) -> None:
    order = make_order()
    customer.open(order)
    page = open_page(order, customer)
    assert page.number == 2
    assert page.redirect_url
    # And the other way round, with a page of the same order open.
    assert customer.open(PaymentOrder.objects.get(pk=order.pk)).reference
