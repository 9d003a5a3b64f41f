"""The fault matrix of the wallet button: each fault a row, for the authorization and for what precedes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.explanations import explained
from tests.operations.conftest import (
    IMPATIENT,
    MakeContext,
    MakeOrder,
    VirtualClock,
    sweep_until,
)
from tests.operations.dying import Killed, interrupted, kill
from tests.operations.journal import times_sent
from tests.operations.sending.test_fault_matrix import ROWS, Row
from tests.operations.wallet_customer import CARD, Customer, authorizing_through
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, OutboxEvent, PaymentOrder
from wallet_gateway.operations.errors import OrderNotPayable, TryAgain
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


def of_authorization(row: Row) -> Row:
    """A conflict says that reference or account were used, which only a copy of the request can have done."""
    is_conflict = row.options.get("status") == 409
    return replace(row, after=S.UNKNOWN, end=S.UNKNOWN) if is_conflict else row


@pytest.mark.parametrize("row", [of_authorization(row) for row in ROWS], ids=lambda row: row.name)
def test_a_fault_of_an_authorization_leads_where_the_matrix_says(
    row: Row,
    customer: Customer,
    make_order: MakeOrder,
    make_context: MakeContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    wallet_sandbox.fault("authorization", row.fault, **row.options)
    sender = customer.context
    if row.impatient:
        sender = authorizing_through(make_context(patience=IMPATIENT), context=sender)

    transaction = customer.post(order, detail, sender).opening

    assert transaction.state == row.after
    assert row.says in explained(transaction)
    check_money(transaction)
    for _ in range(3):
        if transaction.next_query_at is not None:
            clock.advance_to(transaction.next_query_at)
        sweep(context=customer.context)
        transaction.refresh_from_db()
        if transaction.next_query_at is None:
            break
    assert transaction.state == row.end
    check_money(transaction)
    assert times_sent(wallet_sandbox, "authorization") == 1
    assert OutboxEvent.objects.filter(transaction=transaction).count() <= 1


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


def test_an_authorization_whose_sender_died_is_neither_sent_again_nor_ended_by_empty_answers(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    with pytest.raises(Killed):
        customer.post(
            order, customer.approve(customer.open(order)), interrupted(customer.context, before=kill)
        )
    transaction = GatewayTransaction.objects.get()
    assert (transaction.state, times_sent(wallet_sandbox, "authorization")) == (S.SENDING, 0)

    clock.advance(seconds=121)
    sweep(context=customer.context)
    transaction.refresh_from_db()
    check_money(transaction)
    sweep_until(transaction, lambda row: row.needs_operator, context=customer.context, clock=clock)

    assert (transaction.state, times_sent(wallet_sandbox, "authorization")) == (S.UNKNOWN, 0)
    assert transaction.absent_count > 5
    check_money(transaction)


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


RETRIED: list[tuple[str, dict[str, Any], int]] = [
    ("drop_before", {}, 4),
    ("drop_after", {}, 4),
    ("reset", {}, 4),
    ("truncated", {}, 4),
    ("not_json", {}, 4),
    ("empty", {}, 4),
    ("bad_gzip", {}, 4),
    ("bad_status_line", {}, 4),
    ("status_before", {"status": 500}, 4),
    ("status_before", {"status": 502}, 4),
    ("status_before", {"status": 503}, 4),
    ("status_before", {"status": 429}, 4),
    ("status_before", {"status": 403}, 2),
    ("wrong_shape", {}, 1),
    ("mixed", {}, 1),
    ("redirected", {}, 1),
    ("error_body", {"status": 200}, 1),
    ("error_body", {"status": 401}, 1),
    ("bare_error", {"status": 400}, 1),
]
"""All but 404: then the gateway knows no such account, and the same card does not help any more."""


@pytest.mark.parametrize(("fault", "options", "tries"), RETRIED)
def test_an_account_is_asked_about_as_often_as_the_matrix_says_and_then_the_button_is_pressed_again(
    fault: str,
    options: dict[str, Any],
    tries: int,
    customer: Customer,
    make_order: MakeOrder,
    wallet_sandbox: SandboxControl,
) -> None:
    order = make_order()
    detail = customer.approve(customer.open(order))
    wallet_sandbox.fault("get_payment_account", fault, times=10, **options)
    with pytest.raises(TryAgain) as failure:
        customer.post(order, detail)

    assert times_sent(wallet_sandbox, "get_payment_account") == tries
    assert times_sent(wallet_sandbox, "authorization") == 0
    assert failure.value.__cause__ is None
    assert PaymentOrder.objects.get().is_payable
    # Nothing is spent: the same result pays once the gateway answers.
    wallet_sandbox.clear_faults()
    assert customer.post(order, detail).opening.state == S.APPROVED


def test_an_account_whose_first_answers_are_lost_is_charged_without_anybody_noticing(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("get_payment_account", "drop_after", times=3)
    assert customer.pay(make_order()).opening.state == S.APPROVED
