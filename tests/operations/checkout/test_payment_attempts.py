"""The first step of a checkout: which page is shown again, and when a new attempt may be written."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db import transaction as db_transaction
from django.test.utils import CaptureQueriesContext

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Pay, Start, VirtualClock
from tests.operations.journal import bodies
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, PaymentOrder
from wallet_gateway.operations.checkout import payment_attempts
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable, OrderNotPayable
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


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


@pytest.mark.parametrize("lifetime", [60, 120, 900])
def test_even_a_short_page_is_offered_to_a_second_click(
    lifetime: int,
    make_order: MakeOrder,
    start: Start,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    context.gateway.account = replace(context.gateway.account, redirect_url_timeout=lifetime)
    order = make_order()
    first = start(order)
    clock.advance(seconds=lifetime * 2 / 3)
    assert start(order).reference == first.reference
    clock.advance(seconds=lifetime / 3)
    assert start(order).reference != first.reference
    assert len(bodies(wallet_sandbox)) == 2


# Never again what is paid


@pytest.mark.parametrize(
    ("outcome", "details", "state"),
    [
        ("success", {}, OrderState.PAID),
        ("pending", {}, OrderState.PENDING),
        ("success", {"type": "preauthorization"}, OrderState.AUTHORIZED),
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
    with refuses(OrderNotPayable, ErrorCode.ORDER_NOT_PAYABLE, state=OrderState(state)):
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


# Two clicks at once


def test_what_another_process_has_claimed_or_ended_is_not_claimed_again(
    make_order: MakeOrder, make_context: MakeContext, start: Start
) -> None:
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    with pytest.raises(GatewayUnreachable):
        start(make_order(), unreachable)
    unsent = GatewayTransaction.objects.get()
    ends_at = unreachable.clock.now() + timedelta(minutes=15)
    for changed in ({"attempt_no": unsent.attempt_no + 1}, {"state": S.ABANDONED}):
        with db_transaction.atomic():
            rows = GatewayTransaction.objects.filter(pk=unsent.pk)
            rows.update(**changed)
            assert not payment_attempts._claim_again(unsent, ends_at, unreachable.clock.now())
            assert rows.get().leased_until is None
            db_transaction.set_rollback(True)
    assert payment_attempts._claim_again(unsent, ends_at, unreachable.clock.now())


# What is read under the lock


@pytest.mark.parametrize("touched", [False, True])
def test_the_lock_comes_before_anything_is_read(
    touched: bool, make_order: MakeOrder, start: Start, pay: Pay
) -> None:
    # Where reads are repeatable, the first one decides what those after the lock see.
    order = pay("refused").order if touched else make_order()
    with CaptureQueriesContext(connection) as captured:
        start(order)
    words = [query["sql"].split()[0].upper() for query in captured.captured_queries]
    begins = [n for n, word in enumerate(words) if word in {"BEGIN", "SAVEPOINT"}]
    assert begins
    assert {words[n + 1] for n in begins} == {"UPDATE"}


def test_a_checkout_that_the_database_wants_run_again_begins_with_the_order_as_it_was_given(
    make_order: MakeOrder, start: Start, pay: Pay, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = pay("refused").order
    version, given = order.version, []
    new_attempt = payment_attempts.__dict__["_new_attempt"]

    def deadlock(held: PaymentOrder, *args: Any, **kwargs: Any) -> GatewayTransaction:
        given.append((held.version, PaymentOrder.objects.get().version))
        if len(given) == 1:
            raise OperationalError(1213, "Deadlock found when trying to get lock")
        transaction: GatewayTransaction = new_attempt(held, *args, **kwargs)
        return transaction

    monkeypatch.setattr(payment_attempts, "_new_attempt", deadlock)
    assert start(order).redirect_url
    assert given == [(version + 1, version + 1)] * 2
    assert order.version == version, "what may be rolled back is not written into the caller's instance"
