"""Opening the hosted page: one at a time, never a second one by accident, never one of a strange host."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test.utils import CaptureQueriesContext

from tests.client.servers import RawServer, unused_port
from tests.operations.conftest import MUG, MakeContext, MakeOrder, Pay, VirtualClock
from tests.operations.dying import interrupted, scripted
from wallet_gateway.client.errors import OutcomeUnknown, UnknownReason
from wallet_gateway.client.exchange import Answer
from wallet_gateway.contexts import return_urls
from wallet_gateway.domain.lifecycle import IntentState, OrderState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations import follow_ups, reconciliation
from wallet_gateway.operations.attempts import (
    CheckoutInProgress,
    CheckoutPaused,
    OrderNotPayable,
)
from wallet_gateway.operations.checkout import CheckoutRefused, GatewayUnreachable, start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import OperationRefused
from wallet_gateway.protocol.checkout import CheckoutRequest, CheckoutResponse
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = IntentState
Start = Callable[..., Payment]


@pytest.fixture
def start(context: GatewayContext) -> Start:
    def begin(order: PaymentOrder, context: GatewayContext = context) -> Payment:
        return start_checkout(order=order, context=context, return_urls=return_urls)

    return begin


def bodies(control: SandboxControl) -> list[dict[str, Any]]:
    return [entry["body"] for entry in control.journal() if entry["operation"] == "checkout"]


# One page at a time


def test_a_page_is_committed_with_its_end_before_anybody_is_sent_there(
    make_order: MakeOrder, start: Start, clock: VirtualClock
) -> None:
    payment = start(make_order())

    stored = GatewayTransaction.objects.get(reference=payment.reference)
    assert stored.state == S.OPEN
    assert stored.redirect_url == payment.redirect_url
    assert stored.expires_at == payment.expires_at == clock.now() + timedelta(seconds=900)
    assert payment.is_open
    assert payment.state == "OPEN"


def test_a_second_click_is_shown_the_same_page(
    make_order: MakeOrder, start: Start, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    first = start(order)
    clock.advance(seconds=839)
    second = start(PaymentOrder.objects.get())

    assert (second.redirect_url, second.reference) == (first.redirect_url, first.reference)
    assert len(bodies(wallet_sandbox)) == 1


def test_a_page_with_less_than_a_minute_left_is_not_offered_again(
    make_order: MakeOrder, start: Start, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    first = start(order)
    clock.advance(seconds=840)
    second = start(order)

    assert second.reference != first.reference
    assert second.number == 2
    assert len(bodies(wallet_sandbox)) == 2


@pytest.mark.parametrize("outcome", ["refused", "error", "cancelled"])
def test_after_a_failure_the_next_click_opens_another_page(
    outcome: str, pay: Pay, start: Start, wallet_sandbox: SandboxControl
) -> None:
    first = pay(outcome)
    second = start(first.order)
    assert second.reference != first.reference
    second.order.refresh_from_db()
    assert second.order.state == OrderState.OPEN


def test_a_customer_who_went_back_undecided_is_shown_the_same_page(pay: Pay, start: Start) -> None:
    first = pay("return")
    assert start(first.order).redirect_url == first.redirect_url


def test_after_the_page_ended_unpaid_the_next_click_opens_another(
    pay: Pay, start: Start, clock: VirtualClock, context: GatewayContext
) -> None:
    first = pay("return")
    clock.advance(seconds=900 + 15 * 60 + 1)
    reconciliation.reconcile_attempt(reference=first.reference, context=context)
    order = PaymentOrder.objects.get()
    assert order.state == OrderState.EXPIRED

    assert start(order).number == 2


def test_after_a_reversal_the_customer_may_pay_anew(pay: Pay, start: Start, context: GatewayContext) -> None:
    payment = pay(type="preauthorization")
    follow_ups.reverse(payment=payment, context=context)
    assert start(PaymentOrder.objects.get()).number == 2


# Never again what is paid


@pytest.mark.parametrize(
    ("outcome", "details", "state"),
    [
        ("success", {}, OrderState.PAID),
        ("pending", {}, OrderState.PENDING),
        ("success", {"type": "preauthorization"}, OrderState.AUTHORISED),
    ],
)
def test_what_is_paid_or_may_be_is_not_paid_again(
    outcome: str,
    details: dict[str, Any],
    state: OrderState,
    pay: Pay,
    start: Start,
    wallet_sandbox: SandboxControl,
) -> None:
    order = pay(outcome, **details).order
    with pytest.raises(OrderNotPayable, match=f"is {state}; it must not be paid again"):
        start(order)
    assert len(bodies(wallet_sandbox)) == 1
    assert GatewayTransaction.objects.count() == 1


@pytest.mark.parametrize("amount", [Decimal("5.00"), None], ids=["in part", "whole"])
def test_what_was_refunded_is_not_paid_again(
    amount: Decimal | None, pay: Pay, start: Start, context: GatewayContext
) -> None:
    payment = pay()
    follow_ups.refund(payment=payment, context=context, amount=amount)
    with pytest.raises(OrderNotPayable):
        start(payment.order)


def test_a_caller_with_an_old_copy_of_the_order_cannot_pay_it_again(
    make_order: MakeOrder, start: Start, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    payment = start(PaymentOrder.objects.get())
    wallet_sandbox.complete_checkout(payment.reference, "success")
    reconciliation.reconcile_attempt(reference=payment.reference, context=context)

    assert (order.state, order.version) == (OrderState.OPEN, 0)
    with pytest.raises(OrderNotPayable):
        start(order)


# What never left


def test_the_same_bytes_leave_that_were_written_whatever_the_settings_say_by_now(
    make_order: MakeOrder,
    make_context: MakeContext,
    start: Start,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order(language="de", cardholder={"cardholder_email": "ada@example.com"})
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    with pytest.raises(GatewayUnreachable, match="nothing was sent"):
        start(order, unreachable)
    written = GatewayTransaction.objects.get().request_body.encode()

    context.gateway.account = replace(context.gateway.account, skin_id="midnight", redirect_url_timeout=60)
    with RawServer(lambda connection, request: False) as gateway:
        elsewhere = make_context(gateway.base_url)
        elsewhere.gateway.account = context.gateway.account
        with pytest.raises(GatewayUnreachable):
            start(order, elsewhere)
        assert [request.body for request in gateway.requests] == [written]


def test_a_request_tries_twice_to_reach_the_gateway_and_no_more(
    make_order: MakeOrder, make_context: MakeContext, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    tries: list[CheckoutRequest] = []
    ask = unreachable.gateway.checkout

    def counted(request: CheckoutRequest, **given: Any) -> Answer[CheckoutResponse]:
        tries.append(request)
        return ask(request, **given)

    monkeypatch.setattr(unreachable.gateway, "checkout", counted)
    with pytest.raises(GatewayUnreachable):
        start(make_order(), unreachable)

    assert len(tries) == 2
    assert tries[0] == tries[1]
    assert GatewayTransaction.objects.get().attempt_no == 1


def test_a_second_try_that_loses_its_answer_ends_the_attempt(
    make_order: MakeOrder, context: GatewayContext, start: Start
) -> None:
    def lose() -> None:
        raise OutcomeUnknown(UnknownReason.TIMEOUT)

    with pytest.raises(GatewayUnreachable, match="no payment page was received"):
        start(make_order(), interrupted(context, before=lose))
    assert GatewayTransaction.objects.get().state == S.ABANDONED


# Two clicks at once


def test_a_click_that_waits_in_vain_is_told_so_and_sends_nothing(
    make_order: MakeOrder, start: Start, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    waits: list[float] = []

    def click_once_more() -> None:
        with pytest.raises(CheckoutInProgress, match="try again in a moment"):
            start(PaymentOrder.objects.get(), replace(context, sleep=waits.append))

    start(order, interrupted(context, before=click_once_more))
    assert sum(waits) == pytest.approx(3.1)
    assert len(bodies(wallet_sandbox)) == 1


# The host of the page


def page_at(url: str) -> bytes:
    return b'{"redirectUrl": "%s"}' % url.encode()


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/checkout/1/",
        "https://gateway.example.evil.example/",
        "https://evil.example/gateway.example",
        "https://gateway.example:444/",
        "https://gateway.example./",
        "http://gateway.example/",
        "http://127.0.0.1:8001/",
        "https://xn--gatewy-mva.example/",
    ],
)
def test_a_page_on_a_host_that_is_not_allowed_is_shown_to_nobody(
    url: str, make_order: MakeOrder, make_context: MakeContext, start: Start
) -> None:
    strict = make_context(redirect_hosts=frozenset({"gateway.example"}), allow_plain_http=False)
    with pytest.raises(CheckoutRefused, match="not among the allowed"):
        start(make_order(), scripted(strict, page_at(url)))

    intent = GatewayTransaction.objects.get()
    assert (intent.state, intent.redirect_url) == (S.ABANDONED, "")
    assert Discrepancy.objects.get().kind == "UNEXPECTED_HOST"
    assert not Payment.objects.get().frozen


@pytest.mark.parametrize(
    "url",
    ["https://gateway.example/checkout/1/", "https://GATEWAY.example/x?y=z", "https://pay.example:8443/"],
)
def test_a_page_on_an_allowed_host_is_shown(
    url: str, make_order: MakeOrder, make_context: MakeContext, start: Start
) -> None:
    hosts = frozenset({"gateway.example", "pay.example:8443"})
    strict = make_context(redirect_hosts=hosts, allow_plain_http=False)
    assert start(make_order(), scripted(strict, page_at(url))).redirect_url == url


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "/checkout/1/",
        "//evil.example/",
        "https://127.0.0.1@evil.example/",
        "https://evil.example\\\\@127.0.0.1/",
        "https://",
        "",
    ],
)
def test_what_is_no_address_is_no_answer(
    url: str, make_order: MakeOrder, context: GatewayContext, start: Start
) -> None:
    with pytest.raises(GatewayUnreachable):
        start(make_order(), scripted(context, page_at(url)))
    assert GatewayTransaction.objects.get().state == S.ABANDONED


# Refusals


def test_a_refusal_before_anything_is_sent_is_told_apart_from_one_by_the_gateway() -> None:
    assert issubclass(OrderNotPayable, OperationRefused)
    assert issubclass(CheckoutInProgress, OperationRefused)
    assert issubclass(CheckoutPaused, OperationRefused)
    assert not issubclass(CheckoutRefused, OperationRefused)
    assert not issubclass(GatewayUnreachable, OperationRefused)


# What it costs


def statements(captured: CaptureQueriesContext) -> list[str]:
    quiet = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK")
    return [q["sql"] for q in captured.captured_queries if not q["sql"].upper().startswith(quiet)]


@pytest.mark.parametrize("lines", [1, 100])
@pytest.mark.parametrize("attempt", ["first", "second"])
def test_a_checkout_takes_six_statements_whatever_the_cart(
    lines: int,
    attempt: str,
    make_order: MakeOrder,
    start: Start,
    pay: Pay,
    context: GatewayContext,
    django_capture_queries: Callable[[], AbstractContextManager[CaptureQueriesContext]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wallet_gateway.operations._breaker._PAUSE_IS_READ_EVERY", 3600.0)
    cart = tuple(replace(MUG, product_id=f"MUG-{n}") for n in range(lines))
    start(make_order())
    order = make_order(items=cart) if attempt == "first" else pay("refused", items=cart).order
    with django_capture_queries() as captured:
        start(order)
    assert len(statements(captured)) <= 6, statements(captured)


@pytest.fixture
def django_capture_queries() -> Callable[[], AbstractContextManager[CaptureQueriesContext]]:
    from django.db import connection

    return lambda: CaptureQueriesContext(connection)
