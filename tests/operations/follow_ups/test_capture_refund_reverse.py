"""Capture, refund and reversal: what may be done, what may not and why, and what a repeated key means."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.operations.conftest import Pay, VirtualClock
from tests.operations.journal import posts
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import GatewayTransaction, OutboxEvent, Payment
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.protocol.money import Money
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


def eur(text: str) -> Decimal:
    return Decimal(text)


# What is sent


def test_a_follow_up_names_its_original_and_has_a_reference_of_its_own(
    paid: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    transaction = refund(payment=paid, context=context, amount=eur("7.50"))

    (entry,) = [entry for entry in posts(wallet_sandbox) if entry["operation"] == "refund"]
    assert entry["body"] | {"userId": ""} == {
        "merchantId": "SANDBOX-MERCHANT",
        "storeId": "SANDBOX-STORE",
        "userId": "",
        "type": "ecom.refund",
        "amount": "7.50",
        "currencyCode": "EUR",
        "clientSystemTransactionId": transaction.reference,
        "clientSystemInvoiceId": paid.reference,
        "providerDiscretionaryData": "A-1001",
        "apmDetails": {"apmProvider": "ExampleWalletV2"},
    }
    assert transaction.reference != paid.reference


def test_a_card_number_in_a_comment_keeps_its_last_four_digits(
    paid: Payment, context: GatewayContext
) -> None:
    who = Initiator(by="anna", comment="n" * 495 + " 4111.1111 1111-1111")
    transaction = refund(payment=paid, context=context, amount=eur("1.00"), who=who)
    assert transaction.comment == "n" * 495 + " ***1"


# How much


@pytest.mark.parametrize("amount", [None, eur("20.00"), eur("20"), Money(eur("20.00"), "EUR")])
def test_no_amount_means_all_that_is_left(
    amount: Decimal | Money | None, authorized: Payment, context: GatewayContext
) -> None:
    assert capture(payment=authorized, context=context, amount=amount).amount_minor == 2000
    authorized.refresh_from_db()
    assert refund(payment=authorized, context=context, amount=amount).amount_minor == 2000


@pytest.mark.parametrize(("currency", "amount", "wire"), [("JPY", "7", "7"), ("KWD", "1.25", "1.250")])
def test_amounts_leave_with_the_decimals_of_their_currency(
    currency: str,
    amount: str,
    wire: str,
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    payment = pay(currency=currency, items=(), amount=eur("20"))
    transaction = refund(payment=payment, context=context, amount=eur(amount))
    assert transaction.state == S.APPROVED
    assert posts(wallet_sandbox)[-1]["body"]["amount"] == wire


# What may not be done


def refused(
    verb: Callable[..., GatewayTransaction], code: ErrorCode, control: SandboxControl, **given: Any
) -> None:
    before, rows = len(posts(control)), GatewayTransaction.objects.count()
    with refuses(InvalidState, code):
        verb(**given)
    assert len(posts(control)) == before
    assert GatewayTransaction.objects.count() == rows


def test_more_than_is_left_is_refused(
    authorized: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    refused(
        capture,
        ErrorCode.AMOUNT_TOO_HIGH,
        wallet_sandbox,
        payment=authorized,
        context=context,
        amount=eur("20.01"),
    )
    capture(payment=authorized, context=context, amount=eur("5.00"))
    authorized.refresh_from_db()
    for amount in (eur("5.01"), eur("20.00")):
        code = ErrorCode.AMOUNT_TOO_HIGH
        refused(refund, code, wallet_sandbox, payment=authorized, context=context, amount=amount)


def test_what_is_not_captured_cannot_be_refunded(
    authorized: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    refused(refund, ErrorCode.NOTHING_LEFT, wallet_sandbox, payment=authorized, context=context)


@pytest.mark.parametrize(
    ("verb", "code"),
    [
        (capture, ErrorCode.NOTHING_LEFT),
        (refund, ErrorCode.NOTHING_LEFT),
        (reverse, ErrorCode.NOTHING_LEFT),
    ],
)
def test_a_page_that_is_not_paid_has_nothing_to_work_on(
    verb: Callable[..., GatewayTransaction],
    code: ErrorCode,
    open_page: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    refused(verb, code, wallet_sandbox, payment=open_page(), context=context)


@pytest.mark.parametrize("verb", [capture, refund, reverse])
def test_a_frozen_payment_is_left_alone(
    verb: Callable[..., GatewayTransaction],
    authorized: Payment,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    wallet_sandbox.portal(authorized.reference, "ecom.capture", "1.00")
    clock.advance(minutes=6)
    sweep(context=context)
    authorized.refresh_from_db()
    with refuses(InvalidState, ErrorCode.PAYMENT_FROZEN):
        verb(payment=authorized, context=context)
    assert len(posts(wallet_sandbox)) == 0


@pytest.mark.parametrize("verb", [capture, refund, reverse])
def test_a_payment_that_is_frozen_at_the_last_moment_is_left_alone(
    verb: Callable[..., GatewayTransaction],
    authorized: Payment,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between the payment's reading and its reservation, a sweep finds a difference."""
    if verb is refund:
        capture(payment=authorized, context=context)
    sent = len(posts(wallet_sandbox))
    build = follow_ups.__dict__["request_of"]

    def freeze_and_build(*args: Any, **given: Any) -> Any:  # noqa: ANN401 - handed through as it is
        Payment.objects.update(is_frozen=True)
        return build(*args, **given)

    monkeypatch.setattr(follow_ups, "request_of", freeze_and_build)
    with refuses(InvalidState, ErrorCode.PAYMENT_FROZEN):
        verb(payment=authorized, context=context)
    assert len(posts(wallet_sandbox)) == sent
    payment = Payment.objects.get()
    assert (payment.capture_reserved, payment.refund_reserved, payment.reversal) == (0, 0, "none")
    Payment.objects.update(is_frozen=False)


def test_what_a_stale_copy_allows_is_refused_by_the_row(
    authorized: Payment, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    stale = Payment.objects.get(pk=authorized.pk)
    capture(payment=authorized, context=context)
    assert (stale.captured, stale.capture_reserved) == (0, 0)
    refused(
        capture,
        ErrorCode.AMOUNT_TOO_HIGH,
        wallet_sandbox,
        payment=stale,
        context=context,
        amount=eur("0.01"),
    )
    stale.captured = 0
    refused(reverse, ErrorCode.REFUND_NEEDED, wallet_sandbox, payment=stale, context=context)


# What is pending


def test_a_pending_refund_holds_its_amount_until_the_gateway_decides(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    payment = pay(items=(), amount=eur("7000.00"))
    transaction = refund(payment=payment, context=context, amount=eur("6660.02"))
    assert transaction.state == S.PENDING
    payment.refresh_from_db()
    assert payment.refund_reserved == 666002

    wallet_sandbox.settle_pending(transaction.reference, "success")
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    payment.refresh_from_db()
    assert (payment.refund_reserved, payment.refunded) == (0, 666002)
    payment.order.refresh_from_db()
    assert payment.order.state == OrderState.PART_REFUNDED
    assert OutboxEvent.objects.filter(transaction=transaction).get().kind == "REFUNDED"


# Two payments of one order


def test_the_refund_of_a_second_payment_leaves_the_order_paid(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    first = pay("return")
    clock.advance(seconds=850)
    second = start_checkout(order=first.order, context=context, return_urls=return_urls)
    for payment in (first, second):
        wallet_sandbox.complete_checkout(payment.reference, "success")
        reconciliation.reconcile_attempt(reference=payment.reference, context=context)
    order = first.order
    order.refresh_from_db()
    assert order.state == OrderState.OVERPAID

    payment = Payment.objects.select_related("order").get(pk=second.pk)
    assert refund(payment=payment, context=context).state == S.APPROVED
    order.refresh_from_db()
    assert order.state == OrderState.PAID
