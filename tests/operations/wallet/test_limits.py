"""A closed button: what it closes and what it leaves open, who opens it again, and what is on record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.operations.card_tester import CardTester, limited
from tests.operations.conftest import MakeOrder, Start, VirtualClock
from tests.operations.wallet_customer import CARD, Customer
from tests.refusals import refuses
from wallet_gateway import signals
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import PaymentOrder, TransactionEvent, WalletUsage
from wallet_gateway.operations.errors import InvalidInput, WalletUnavailable
from wallet_gateway.operations.maintenance.retention import erase_customer
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.settlement.outbox import deliver_due
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
REACHED = ErrorCode.WALLET_LIMIT_REACHED


def stands(order: PaymentOrder) -> PaymentOrder:
    return PaymentOrder.objects.get(pk=order.pk)


def with_limits(customer: Customer, **limits: int) -> Customer:
    return replace(customer, context=limited(customer.context, **limits))


def closed_order(customer: Customer, order: PaymentOrder) -> CardTester:
    """Let somebody test two cards on an order, and one more that is refused."""
    tester = CardTester(with_limits(customer, authorizations=2))
    tester.try_until_closed(order)
    return tester


def test_a_closed_button_leaves_the_payment_page_open(
    customer: Customer, make_order: MakeOrder, start: Start, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    closed_order(customer, order)
    attempt = start(stands(order))
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    reconcile_attempt(reference=attempt.reference, context=customer.context)
    assert stands(order).state == OrderState.PAID


def test_a_sheet_that_was_open_when_the_button_was_closed_can_still_be_paid_with(
    customer: Customer, make_order: MakeOrder
) -> None:
    order, one = make_order(), with_limits(customer, sessions=1)
    detail = one.approve(one.open(order))
    with refuses(WalletUnavailable, REACHED):
        replace(one, session="another").open(stands(order))
    assert one.post(order, detail).order.state == OrderState.PAID


def test_what_a_limit_meets_while_a_bank_is_asked_is_followed_to_its_end(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    order, one = make_order(), with_limits(customer, results=1, authorizations=1)
    detail = one.approve(one.open(order), CARD)
    payment = one.post(order, detail)
    assert payment.opening.state == TransactionState.AWAITING_3DS
    # The page posts its result again, as after a lost answer: it is told how the same card stands.
    assert one.post(order, detail).opening.state == TransactionState.AWAITING_3DS
    wallet_sandbox.complete_three_d_secure(payment.reference, "success")
    reconcile_attempt(reference=payment.reference, context=one.context)
    assert (stands(order).state, stands(order).is_wallet_closed) == (OrderState.PAID, False)


def test_a_lost_answer_of_the_last_card_allowed_is_found_out(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    order, one = make_order(), with_limits(customer, authorizations=1)
    wallet_sandbox.fault("authorization", "drop_after")
    payment = one.pay(order)
    assert payment.opening.state == TransactionState.UNKNOWN
    clock.advance(minutes=5)
    reconcile_attempt(reference=payment.reference, context=one.context)
    assert stands(order).state == OrderState.PAID


def test_reports_of_a_sheet_that_failed_are_results(customer: Customer, make_order: MakeOrder) -> None:
    order, one = make_order(), with_limits(customer, results=3)
    one.open(order)
    for _ in range(3):
        one.post(order, {"code": "4000340"})
    with refuses(WalletUnavailable, REACHED):
        one.post(order, {"code": "4000340"})


def test_a_result_of_a_stranger_counts_for_nobody(customer: Customer, make_order: MakeOrder) -> None:
    order, one = make_order(), with_limits(customer, results=1)
    detail = one.approve(one.open(order))
    for _ in range(3):
        with refuses(InvalidInput, ErrorCode.WALLET_SESSION_UNKNOWN):
            replace(one, session="stranger").post(order, detail)
    assert WalletUsage.objects.get().results == 0
    assert one.post(order, detail).order.state == OrderState.PAID


def test_whoever_is_refused_is_told_which_limit_and_no_person(
    customer: Customer, make_order: MakeOrder
) -> None:
    order = make_order()
    tester = closed_order(customer, order)
    with pytest.raises(WalletUnavailable) as refused:
        tester.browser().open(stands(order))
    assert refused.value.status == 403
    assert "limit reached: " in str(refused.value)
    assert refused.value.params["limit"] == "AUTHORIZATIONS"


def test_a_receiver_that_failed_is_told_again_with_the_same_event(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock
) -> None:
    heard: list[dict[str, Any]] = []

    def fail_once(**given: Any) -> None:
        heard.append(given)
        if len(heard) == 1:
            raise RuntimeError

    signals.wallet_limit_reached.connect(fail_once)
    try:
        closed_order(customer, make_order())
        clock.advance(minutes=5)
        deliver_due(clock=clock)
    finally:
        signals.wallet_limit_reached.disconnect(fail_once)
    first, second = heard
    assert (first["event_id"], first["limit"]) == (second["event_id"], second["limit"])


# Raising the limits


def test_an_erased_order_keeps_its_counts_and_its_decisions(
    customer: Customer, make_order: MakeOrder, clock: VirtualClock
) -> None:
    order = make_order()
    closed_order(customer, order)
    WalletUsage.objects.update(codes_tried=["0123456789abcdef"], discount_codes=1)
    clock.advance(days=1)
    before = WalletUsage.objects.values("attempts", "results", "discount_codes").get()
    erase_customer(stands(order), by="anna", reason="asked for", clock=clock)
    assert WalletUsage.objects.values("attempts", "results", "discount_codes").get() == before
    assert WalletUsage.objects.get().codes_tried == []
    assert stands(order).is_wallet_closed
    assert TransactionEvent.objects.filter(kind="LIMIT_REACHED").exists()
