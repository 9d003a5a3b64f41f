"""Paying with the wallet button: charged once, by our own rows, and only as the card's kind allows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, VirtualClock
from tests.operations.journal import sent
from tests.operations.wallet_customer import Customer, authorizing_through
from tests.refusals import refuses
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayPause, OutboxEvent, PaymentOrder, TransactionEvent, WalletAttempt
from wallet_gateway.models.wallet import MOST_RESULTS
from wallet_gateway.operations.errors import (
    CardRefused,
    InvalidInput,
    InvalidState,
    OrderNotPayable,
    SendingStopped,
)
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.wallet import attempts as wallet_attempts
from wallet_gateway.operations.wallet.pay import pay_with_wallet
from wallet_gateway.protocol.accounts import PaymentAccount
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


# A tokenized card


@pytest.mark.parametrize("network", ["MASTERCARD", "AMEX", "DISCOVER", "JCB"])
def test_a_token_of_each_network_pays_with_its_own_cryptogram(
    network: str, customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    payment = customer.pay(make_order(), network=network)
    assert payment.opening.state == S.APPROVED
    assert payment.card_network == network


@pytest.mark.parametrize(
    ("kind", "order_state", "wire_type"),
    [
        ("sale", OrderState.PAID, "ecom.sale"),
        ("preauthorization", OrderState.AUTHORIZED, "ecom.preauthorization"),
    ],
)
def test_a_token_pays_at_once_with_its_cryptogram_and_our_own_amount(
    kind: str,
    order_state: OrderState,
    wire_type: str,
    customer: Customer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order(type=kind)
    payment = customer.pay(order)

    assert (payment.opening.state, payment.order.state) == (S.APPROVED, order_state)
    payment.refresh_from_db()
    assert (payment.card_type, payment.card_network) == ("Token", "VISA")
    assert len(payment.card_last_four) == 4
    assert payment.authorized == order.amount_minor
    (body,) = sent(wallet_sandbox)
    assert (body["type"], body["amount"], body["currencyCode"]) == (wire_type, "20.00", "EUR")
    assert body["merchantId"] == "SANDBOX-MERCHANT"
    assert body["clientSystemTransactionId"] == payment.reference
    assert "redirectDetails" not in body
    outbox_events = OutboxEvent.objects.filter(order=order).values_list("kind", flat=True)
    assert list(outbox_events) == ["PAID" if kind == "sale" else "AUTHORIZED"]


def test_what_the_browser_says_of_money_and_merchant_is_not_even_read(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    lies = {"amount": "0.01", "currencyCode": "JPY", "merchantId": "EVIL", "state": "Approved"}

    payment = customer.post(order, detail | lies)

    (body,) = sent(wallet_sandbox)
    assert (body["amount"], body["currencyCode"], body["merchantId"]) == ("20.00", "EUR", "SANDBOX-MERCHANT")
    attempt = WalletAttempt.objects.get(transaction=payment.opening)
    assert "EVIL" not in str(attempt.given)


def test_the_result_takes_eleven_statements_and_two_for_telling_the_shop(
    customer: Customer, make_order: MakeOrder
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    quiet = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK")
    context = customer.context
    with CaptureQueriesContext(connection) as captured:
        payment = pay_with_wallet(
            tried=wallet_attempts.load(order.token),
            session=customer.session,
            detail=detail,
            context=context,
            return_urls=return_urls,
        )
    assert payment.opening.state == S.APPROVED
    texts = [q["sql"] for q in captured.captured_queries if not q["sql"].upper().startswith(quiet)]
    # One of them counts the result, on its own: what is refused afterwards stays counted. The shop listens:
    # the order's metadata is read, and it is written that it was told.
    assert len(texts) <= 13, texts


def test_a_result_posted_twice_charges_once_and_says_the_same(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    first, second = customer.post(order, detail), customer.post(order, detail)

    assert first.opening.state == second.opening.state == S.APPROVED
    assert first.reference == second.reference
    assert len(sent(wallet_sandbox)) == 1


# Whose result it is


def test_a_result_of_another_order_or_session_is_not_known(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    mine, other = make_order(), make_order()
    detail = customer.approve(customer.open(mine))
    customer.open(other)

    with pytest.raises(InvalidInput):
        customer.post(other, detail)
    stranger = replace(customer, session="session-key-of-eve")
    with pytest.raises(InvalidInput):
        stranger.post(mine, detail)
    with pytest.raises(InvalidInput):
        replace(customer, session="").post(mine, detail)
    assert not sent(wallet_sandbox)
    assert PaymentOrder.objects.get(pk=mine.pk).is_payable


def test_an_account_that_paid_one_order_pays_no_other(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    first, second = make_order(), make_order()
    detail = customer.approve(customer.open(first))
    customer.post(first, detail)

    button = customer.open(second)
    with pytest.raises(InvalidInput, match="transactionAccountId: belongs to another"):
        customer.post(second, detail | {"clientSystemTransactionId": button.reference})
    assert len(sent(wallet_sandbox)) == 1
    assert PaymentOrder.objects.get(pk=second.pk).is_payable


def test_a_reference_brings_five_results_and_no_sixth(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    nobody = {"clientSystemTransactionId": button.reference, "transactionAccountId": "no-such-account"}
    for _ in range(MOST_RESULTS):
        with pytest.raises(CardRefused):
            customer.post(order, nobody)
    with pytest.raises(InvalidState):
        customer.post(order, nobody)
    assert not sent(wallet_sandbox)
    assert WalletAttempt.objects.get().results_count == MOST_RESULTS


def test_a_button_whose_time_is_over_takes_no_result(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    clock.advance(hours=2)
    assert customer.post(order, detail).opening.state == S.AWAITING_RESULT
    sweep(context=customer.context)
    assert customer.post(order, detail).opening.state == S.EXPIRED
    assert not sent(wallet_sandbox)


# A decline, and another card


@pytest.mark.parametrize("minutes", [9, 10, 45])
def test_a_card_whose_look_up_outlasts_the_time_to_pay_is_not_charged(
    minutes: int,
    customer: Customer,
    make_order: MakeOrder,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order(payable_until=clock.now() + timedelta(minutes=10))
    detail = customer.approve(customer.open(order))
    clock.advance(seconds=1)
    look_up = customer.context.gateway.payment_account

    def slowly(*given: Any, **more: Any) -> Answer[PaymentAccount]:
        account = look_up(*given, **more)
        clock.advance(minutes=minutes)
        return account

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(customer.context.gateway, "payment_account", slowly)
        if minutes < 10:
            assert customer.post(order, detail).order.state == OrderState.PAID
            return
        with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="too late"):
            customer.post(order, detail)
    assert not sent(wallet_sandbox)


def test_after_a_decline_another_card_of_the_same_sheet_pays_under_a_reference_of_its_own(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    wallet_sandbox.fault("authorization", "errored")
    declined = customer.post(order, customer.approve(button))
    assert (declined.opening.state, declined.order.state) == (S.REJECTED, OrderState.FAILED)

    reference = customer.another_card(declined.order)
    assert reference != button.reference
    paid = customer.post(order, customer.approve(button, reference=reference))

    assert (paid.opening.state, paid.order.state) == (S.APPROVED, OrderState.PAID)
    assert paid.reference == reference


def test_a_failure_of_the_sheet_is_noted_and_charges_nothing(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    customer.open(order)
    failed = {
        "code": "4000340",
        "description": "GeneralValidationError",
        "details": {"message": "token of 4111 1111 1111 1111 missing"},
    }
    payment = customer.post(order, failed)

    assert payment.opening.state == S.AWAITING_RESULT
    (event,) = WalletAttempt.objects.get().events
    assert event["event"] == "ERROR"
    assert event["detail"].startswith("4000340 GeneralValidationError token of ***1111")
    assert not sent(wallet_sandbox)


# What never left


def test_when_nothing_left_the_customer_presses_again_and_the_first_request_is_never_sent(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    deaf = make_context(f"http://127.0.0.1:{unused_port()}")
    context = authorizing_through(deaf, context=customer.context)

    payment = customer.post(order, detail, context)

    assert (payment.opening.state, payment.order.state) == (S.ABANDONED, OrderState.FAILED)
    assert [e.lifecycle_event for e in TransactionEvent.objects.filter(transaction=payment.opening)] == [
        "NOTHING_LEFT",
        "ABANDONED",
    ]
    sweep(context=customer.context)
    assert not sent(wallet_sandbox)
    assert not OutboxEvent.objects.exists()
    assert customer.pay(payment.order).opening.state == S.APPROVED


# When nothing may be sent


def test_a_pause_and_the_emergency_stop_hold_the_button_back(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    with refuses(SendingStopped, ErrorCode.SENDING_STOPPED, says="switched off"):
        customer.post(order, detail, make_context(sending=False))
    GatewayPause.objects.create(
        gateway="default", sending_until=customer.context.clock.now() + timedelta(minutes=5)
    )
    with refuses(SendingStopped, ErrorCode.SENDING_STOPPED):
        customer.post(order, detail)
    assert not sent(wallet_sandbox)
    assert PaymentOrder.objects.get(pk=order.pk).is_payable


# One reference, one payment


def test_a_reference_is_paid_with_one_card(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    button = customer.open(order)
    first, second = customer.approve(button), customer.approve(button)
    nobody = first | {"transactionAccountId": "no-such-account"}
    with pytest.raises(CardRefused):
        customer.post(order, nobody)
    with pytest.raises(InvalidInput, match="transactionAccountId: another result"):
        customer.post(order, second)
    assert not sent(wallet_sandbox)


def test_a_payment_with_the_button_is_captured_and_refunded_like_any_other(
    customer: Customer, make_order: MakeOrder
) -> None:
    payment = customer.pay(make_order(type="preauthorization"))
    assert capture(payment=payment, context=customer.context).state == S.APPROVED
    assert refund(payment=payment, context=customer.context).state == S.APPROVED
    payment.refresh_from_db()
    assert payment.state == PaymentState.REFUNDED
