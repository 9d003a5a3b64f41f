"""Paying with the wallet button: charged once, by our own rows, and only as the card's kind allows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.operations.conftest import MakeContext, MakeOrder, VirtualClock
from tests.operations.journal import sent
from tests.operations.wallet_customer import Customer
from tests.refusals import refuses
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import GatewayPause, OutboxEvent, PaymentOrder, WalletAttempt
from wallet_gateway.operations.errors import (
    CardRefused,
    InvalidInput,
    OrderNotPayable,
    SendingStopped,
)
from wallet_gateway.operations.maintenance.sweep import sweep
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


# Whose result it is


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
