"""A transaction keeps the account that it was sent under, whatever the settings name later."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.support.gateway import record, refusing
from tests.support.refusals import refuses
from tests.support.shop import Shop, opening, order_of, reloaded, state
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment, TransactionEvent
from wallet_gateway.payments.errors import ErrorCode, GatewayRefused, GatewayUnreachable, InvalidState

pytestmark = pytest.mark.django_db
CHANGED = {"gateway": "default", "used": "merchantId SANDBOX-MERCHANT, storeId SANDBOX-STORE"}


def move(shop: Shop, **account: str) -> None:
    """Let the settings name another account, which knows nothing of what was done under the first one."""
    shop.configure(**account)


def back(shop: Shop) -> None:
    shop.configure(MERCHANT_ID="SANDBOX-MERCHANT", STORE_ID="SANDBOX-STORE")


@pytest.mark.parametrize(
    ("account", "now"),
    [
        ({"MERCHANT_ID": "NEW"}, "merchantId NEW, storeId SANDBOX-STORE"),
        ({"STORE_ID": "NEW"}, "merchantId SANDBOX-MERCHANT, storeId NEW"),
    ],
)
@pytest.mark.parametrize("operate", [payments.capture, payments.refund, payments.reverse])
def test_nothing_follows_a_payment_of_a_former_account(
    operate: Callable[..., GatewayTransaction], account: dict[str, str], now: str, shop: Shop
) -> None:
    payment = shop.pay(type="sale" if operate is payments.refund else "preauthorization")
    move(shop, **account)
    with refuses(InvalidState, ErrorCode.MERCHANT_ACCOUNT_CHANGED, **CHANGED, now=now):
        operate(order_of(payment))
    assert (reloaded(payment).capture_reserved, payment.refund_reserved, payment.reversal) == (0, 0, "none")
    assert (payment.transactions.count(), shop.gateway.sent) == (1, [])
    back(shop)
    assert operate(order_of(payment)).state == "APPROVED"


def test_no_second_page_is_opened_while_the_first_ones_account_cannot_be_asked(shop: Shop) -> None:
    payment = shop.begin()
    move(shop, MERCHANT_ID="NEW")
    shop.clock.by += timedelta(seconds=870)
    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT):
        payments.start_checkout(order_of(payment))
    back(shop)
    assert payments.start_checkout(order_of(payment)) != payment


def test_a_repeated_key_still_brings_what_was_done_before(shop: Shop) -> None:
    payment = shop.pay()
    done = payments.refund(order_of(payment), idempotency_key="R-1")
    move(shop, STORE_ID="NEW")
    assert payments.refund(order_of(payment), idempotency_key="R-1") == done


def test_after_retention_the_account_is_still_known(shop: Shop) -> None:
    payment = shop.pay()
    shop.clock.by += timedelta(days=4001)
    payments.sweep()
    assert opening(payment).request_body == ""
    move(shop, STORE_ID="NEW")
    with refuses(InvalidState, ErrorCode.MERCHANT_ACCOUNT_CHANGED, **CHANGED):
        payments.refund(order_of(payment))


def test_what_never_left_does_not_leave_under_another_account(shop: Shop) -> None:
    payment = shop.pay()
    with shop.cut_off():
        unsent = payments.refund(order_of(payment))
    move(shop, MERCHANT_ID="NEW")
    with refuses(InvalidState, ErrorCode.MERCHANT_ACCOUNT_CHANGED, **CHANGED):
        payments.follow_ups.send_again(unsent)
    shop.sweep_when_due(unsent)
    assert (unsent.state, unsent.needs_operator, unsent.next_send_at) == ("NOT_SENT", True, None)
    assert shop.gateway.sent == []
    back(shop)
    assert payments.follow_ups.send_again(unsent).state == "APPROVED"


def test_a_page_that_was_never_requested_is_requested_under_the_account_of_today(shop: Shop) -> None:
    order = shop.order()
    with shop.cut_off(), pytest.raises(GatewayUnreachable):
        payments.start_checkout(order)
    move(shop, MERCHANT_ID="NEW")
    shop.gateway.pages.append(refusing(422))
    with pytest.raises(GatewayRefused):
        payments.start_checkout(order)
    first, second = GatewayTransaction.objects.order_by("pk")
    assert (first.merchant_id, second.merchant_id) == ("SANDBOX-MERCHANT", "NEW")


def test_a_page_of_a_cart_whose_stored_body_was_cut_expires_like_any_other(shop: Shop) -> None:
    items = [
        payments.Item(product_id=f"P{n}", product_name="n" * 90, unit_amount=Decimal("1.00"), quantity=1)
        for n in range(150)
    ]
    page = opening(shop.begin(items=items, amount=None))
    stored = TransactionEvent.objects.get(transaction=page).request_body
    with pytest.raises(json.JSONDecodeError):
        json.loads(stored)
    shop.hours(2)
    assert reloaded(page).state == "EXPIRED"


# An empty answer of another account says nothing


def hand_over(shop: Shop, payment: Payment) -> None:
    """Let days pass in which the other account, which has no record, is asked."""
    shop.report(payment)
    move(shop, MERCHANT_ID="OTHER")
    for _ in range(3):
        shop.clock.by += timedelta(hours=30)
        payments.sweep()
        payments.reconcile(payment)


def test_an_empty_answer_under_another_account_ends_no_page(shop: Shop) -> None:
    payment = shop.begin()
    hand_over(shop, payment)
    page = opening(payment)
    assert (page.state, page.needs_operator) == ("OPEN", True)
    back(shop)
    shop.report_and_ask(payment, record(payment.reference))
    assert state(payment)[0] == "PAID"


def test_an_empty_answer_under_another_account_does_not_release_an_order_whose_page_was_refused_once(
    shop: Shop,
) -> None:
    payment = shop.begin()
    refused: dict[str, Any] = {"state": "Errored"}
    assert shop.report_and_ask(payment, record(payment.reference, **refused)).state == "FAILED"
    payments.cancel(order_of(payment), by="shop")
    hand_over(shop, payment)
    assert not order_of(payment).is_released

    # It was paid with a second card, as only the account shows that it was sent for.
    back(shop)
    shop.report(payment, record(payment.reference, **refused), record(payment.reference, id="R-2"))
    shop.clock.by += timedelta(hours=30)
    payments.sweep()
    order = order_of(payment)
    assert (order.state, order.is_released) == ("FROZEN", False)
