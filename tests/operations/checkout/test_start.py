"""Opening the hosted page: one at a time, never a second one by accident, never one of a strange host."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.client.servers import RawServer, unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Pay, Start, VirtualClock
from tests.operations.dying import interrupted, scripted
from tests.operations.wallet_customer import Customer
from tests.refusals import refuses
from wallet_gateway.client.errors import OutcomeUnknown, UnknownReason
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    GatewayRefused,
    GatewayUnreachable,
    OperationRefused,
    OrderNotPayable,
    SendingStopped,
    TryAgain,
)
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.queries.work_queue import waiting
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


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
    with refuses(GatewayUnreachable, ErrorCode.NOTHING_SENT):
        start(order, unreachable)
    written = GatewayTransaction.objects.get().request_body.encode()

    context.gateway.account = replace(context.gateway.account, skin_id="midnight", redirect_url_timeout=60)
    with RawServer(lambda connection, request: False) as gateway:
        elsewhere = make_context(gateway.base_url)
        elsewhere.gateway.account = context.gateway.account
        with pytest.raises(GatewayUnreachable):
            start(order, elsewhere)
        assert [request.body for request in gateway.requests] == [written]


def test_a_second_try_that_loses_its_answer_ends_the_attempt(
    make_order: MakeOrder, context: GatewayContext, start: Start
) -> None:
    def lose() -> None:
        raise OutcomeUnknown(UnknownReason.TIMEOUT)

    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT, says="no payment page"):
        start(make_order(), interrupted(context, before=lose))
    assert GatewayTransaction.objects.get().state == S.ABANDONED


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
        "http://127.0.0.1:8001/",
        "https://xn--gatewy-mva.example/",
    ],
)
def test_a_page_on_a_host_that_is_not_allowed_is_shown_to_nobody(
    url: str, make_order: MakeOrder, make_context: MakeContext, start: Start
) -> None:
    strict = make_context(redirect_hosts=frozenset({"gateway.example"}), allow_plain_http=False)
    with refuses(GatewayRefused, ErrorCode.GATEWAY_REFUSED, says="do not allow"):
        start(make_order(), scripted(strict, page_at(url)))

    transaction = GatewayTransaction.objects.get()
    assert (transaction.state, transaction.redirect_url) == (S.ABANDONED, "")
    assert Discrepancy.objects.get().kind == "UNEXPECTED_HOST"
    assert not Payment.objects.get().is_frozen


# Refusals


def test_a_refusal_before_anything_is_sent_is_told_apart_from_one_by_the_gateway() -> None:
    assert issubclass(OrderNotPayable, OperationRefused)
    assert issubclass(TryAgain, OperationRefused)
    assert issubclass(SendingStopped, OperationRefused)
    assert not issubclass(GatewayRefused, OperationRefused)
    assert not issubclass(GatewayUnreachable, OperationRefused)


# What it costs


# An older page


def paid_while_opening(
    pay: Pay, context: GatewayContext, control: SandboxControl, outcome: str
) -> tuple[PaymentOrder, GatewayContext]:
    """An order whose first page is decided, and that known to us, while its second one is being opened."""
    older = pay("return")
    GatewayTransaction.objects.update(expires_at=context.clock.now())

    def decide() -> None:
        control.complete_checkout(older.reference, outcome)
        reconcile_attempt(reference=older.reference, context=context)

    order = PaymentOrder.objects.get()
    # What was asked a moment ago is not asked again.
    GatewayTransaction.objects.update(last_queried_at=None)
    return order, interrupted(context, after=decide)


@pytest.mark.parametrize(
    ("outcome", "details"), [("success", {}), ("success", {"type": "preauthorization"}), ("pending", {})]
)
def test_a_page_is_not_handed_out_when_an_older_one_was_paid_while_it_was_opened(
    outcome: str,
    details: dict[str, Any],
    pay: Pay,
    start: Start,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    order, overtaken = paid_while_opening(partial(pay, **details), context, wallet_sandbox, outcome)
    with refuses(OrderNotPayable, ErrorCode.ORDER_NOT_PAYABLE, says="in the meantime"):
        start(order, overtaken)

    # The gateway has the page, so it is still asked after.
    newer = GatewayTransaction.objects.get(payment__number=2)
    assert newer.state == S.OPEN
    assert newer.next_query_at is not None


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_first_page_that_was_outrun_by_the_button_is_not_handed_out_and_seen_if_both_are_paid(
    moment: str,
    make_order: MakeOrder,
    start: Start,
    context: GatewayContext,
    customer: Customer,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    order = make_order()

    def press_the_button() -> None:
        customer.pay(order)

    with refuses(OrderNotPayable, ErrorCode.ORDER_NOT_PAYABLE, says="in the meantime"):
        start(order, interrupted(context, **{moment: press_the_button}))
    page = Payment.objects.get(number=1)
    assert page.redirect_url
    order.refresh_from_db()
    assert (order.state, order.is_payable) == (OrderState.PAID, False)

    wallet_sandbox.complete_checkout(page.reference, "success")
    reconcile_attempt(reference=page.reference, context=context)
    order.refresh_from_db()
    assert order.state == OrderState.OVERPAID
    assert waiting({}, now=clock.now()).overpaid == (order,)


def test_a_page_is_handed_out_when_an_older_one_failed_while_it_was_opened(
    pay: Pay, start: Start, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    order, overtaken = paid_while_opening(pay, context, wallet_sandbox, "refused")
    assert start(order, overtaken).redirect_url
