"""Paying with the wallet button: charged once, by our own rows, and only as the card's kind allows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, VirtualClock
from tests.operations.journal import sent
from tests.operations.wallet_customer import CARD, Customer, authorizing_through
from tests.refusals import refuses
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, PaymentState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import (
    GatewayPause,
    GatewayTransaction,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
    WalletAttempt,
)
from wallet_gateway.models.wallet import MOST_RESULTS
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.errors import (
    CardRefused,
    InvalidInput,
    InvalidState,
    OrderNotPayable,
    PriceChanged,
    SendingStopped,
    TryAgain,
)
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.wallet import attempts as wallet_attempts
from wallet_gateway.operations.wallet.hooks import (
    SheetPricing,
    SheetQuestion,
    ShippingOption,
)
from wallet_gateway.operations.wallet.pay import pay_with_wallet
from wallet_gateway.operations.wallet.session import price_sheet_of
from wallet_gateway.protocol.accounts import PaymentAccount
from wallet_gateway.queries.wallet import wallet_receipt
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


def stored(payment: Payment) -> GatewayTransaction:
    return GatewayTransaction.objects.get(pk=payment.opening.pk)


def open_page(order: PaymentOrder, customer: Customer) -> Payment:
    """Go to the hosted page from the form beside the button."""
    order = PaymentOrder.objects.get(pk=order.pk)
    return start_checkout(order=order, context=customer.context, return_urls=return_urls)


# A tokenized card


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


def test_the_result_takes_eleven_statements_and_one_for_telling_the_shop(
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
    # One of them counts the result, on its own: what is refused afterwards stays counted.
    assert len(texts) <= 12, texts


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


# A plain card


def test_a_plain_card_goes_through_the_gateways_three_d_secure_and_pays(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    payment = customer.pay(order, CARD)

    assert payment.opening.state == S.AWAITING_3DS
    assert payment.redirect_url.startswith(customer.gateway_url)
    assert payment.order.state == OrderState.PENDING
    (body,) = sent(wallet_sandbox)
    assert "redirectDetails" in body
    assert "cryptogram" not in body
    with pytest.raises(OrderNotPayable):
        start_checkout(order=payment.order, context=customer.context, return_urls=return_urls)

    wallet_sandbox.complete_three_d_secure(payment.reference, "success")
    settled = reconcile_attempt(reference=payment.reference, context=customer.context)

    assert (settled.opening.state, settled.order.state) == (S.APPROVED, OrderState.PAID)
    assert len(sent(wallet_sandbox)) == 1


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


# A decline, and another card


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


# The hosted page beside the button


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
        with refuses(TryAgain, ErrorCode.PAGE_STATUS_UNKNOWN):
            customer.post(order, detail)
    assert not sent(wallet_sandbox)

    wallet_sandbox.clear_faults()
    with pytest.raises(OrderNotPayable):
        customer.post(order, detail)
    assert PaymentOrder.objects.get(pk=order.pk).state == OrderState.PAID


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
    with refuses(SendingStopped, ErrorCode.SENDING_DISABLED):
        customer.post(order, detail, make_context(sending=False))
    GatewayPause.objects.create(
        gateway="default", sending_until=customer.context.clock.now() + timedelta(minutes=5)
    )
    with refuses(SendingStopped, ErrorCode.SENDING_PAUSED):
        customer.post(order, detail)
    assert not sent(wallet_sandbox)
    assert PaymentOrder.objects.get(pk=order.pk).is_payable


# The price on the sheet


def pricing(question: SheetQuestion) -> SheetPricing:
    """Ship for 5.00, abroad for 15.00."""
    address = question.shipping_address or {}
    abroad = address.get("countryCode", "DE") != "DE"
    amount = Decimal("15.00") if abroad else Decimal("5.00")
    return SheetPricing(options=(ShippingOption(id="std", label="Standard", amount=amount),))


def test_what_the_sheet_showed_is_authorized_and_the_order_is_paid_by_it(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    shop = replace(customer, context=make_context(price=pricing))
    order = make_order()
    button = shop.open(order)
    assert button.parameters["amount"] == "25.00"

    payment = shop.post(order, shop.approve(button))

    (body,) = sent(wallet_sandbox)
    assert body["amount"] == "25.00"
    assert (payment.amount_minor, payment.authorized) == (2500, 2500)
    assert payment.order.state == OrderState.PAID
    assert payment.order.amount_minor == 2000


def test_an_address_that_costs_more_than_the_sheet_showed_is_not_charged(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    shop = replace(customer, context=make_context(price=pricing))
    order = make_order()
    detail = shop.approve(shop.open(order)) | {"shippingAddress": {"countryCode": "NZ"}}

    with pytest.raises(PriceChanged):
        shop.post(order, detail)
    assert not sent(wallet_sandbox)
    assert PaymentOrder.objects.get(pk=order.pk).is_payable


def test_a_price_for_one_address_is_not_paid_for_a_parcel_that_the_page_says_nothing_of(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    context = make_context(price=pricing)
    assert context.wallet is not None
    wallet = replace(context.wallet, shipping_address=True, shipping_countries=("DE", "NZ"))
    shop, order = replace(customer, context=replace(context, wallet=wallet)), make_order()
    button = shop.open(order)
    detail = shop.approve(button)

    for spoilt in ({}, {"shippingAddress": {"name": "Ada"}}, {"shippingAddress": {"countryCode": "AQ"}}):
        with pytest.raises(InvalidInput, match="shippingAddress"):
            shop.post(order, detail | spoilt)

    assert not sent(wallet_sandbox)
    paid = shop.post(order, detail | {"shippingAddress": {"countryCode": "DE"}})
    assert paid.order.state == OrderState.PAID


def test_what_is_priced_while_a_card_is_being_charged_changes_neither_its_amount_nor_what_is_on_record(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder
) -> None:
    context = make_context(price=pricing)
    shop, order = replace(customer, context=context), make_order()
    button = shop.open(order)
    detail = shop.approve(button) | {"shippingAddress": {"countryCode": "DE"}}
    look_up = context.gateway.payment_account

    def meanwhile(*given: Any, **more: Any) -> Answer[PaymentAccount]:
        price_sheet_of(
            order=order,
            reference=button.reference,
            session=shop.session,
            chosen={"address": {"countryCode": "NZ"}, "option": "std", "offers": ()},
            context=context,
        )
        with pytest.raises(InvalidInput, match="another result"):
            shop.post(order, detail | {"shippingAddress": {"countryCode": "NZ"}})
        return look_up(*given, **more)

    context.gateway.payment_account = meanwhile  # type: ignore[method-assign]
    payment = shop.post(order, detail)

    assert (payment.authorized, payment.order.state) == (2500, OrderState.PAID)
    receipt = wallet_receipt(order)
    assert receipt is not None
    assert (receipt.amount.to_wire(), receipt.shipping_address) == ("25.00", {"countryCode": "DE"})
    assert WalletAttempt.objects.get().price["address"] is None


def test_another_card_is_charged_what_the_sheet_showed_after_the_first_one(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    context = make_context(price=pricing)
    shop, order = replace(customer, context=context), make_order()
    button = shop.open(order)
    wallet_sandbox.fault("authorization", "errored")
    shop.post(order, shop.approve(button))
    price_sheet_of(
        order=order,
        reference=button.reference,
        session=shop.session,
        chosen={"address": {"countryCode": "NZ"}, "option": "std", "offers": ()},
        context=context,
    )
    shop.post(order, shop.approve(button, reference=shop.another_card(order)))
    assert [body["amount"] for body in sent(wallet_sandbox)] == ["25.00", "35.00"]


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
