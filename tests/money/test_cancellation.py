"""Cancelling an order: what begins no more, what was begun is watched, and when its goods are free."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest

from tests.support.gateway import ZERO, Sent, losing, record
from tests.support.refusals import refuses
from tests.support.shop import SESSION, Shop, kinds_told, order_of, reloaded, state
from wallet_gateway import payments
from wallet_gateway.domain.polling_schedule import SETTLE_TIME
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.payments.errors import (
    ErrorCode,
    GatewayUnreachable,
    InvalidInput,
    InvalidState,
    OrderNotPayable,
)

pytestmark = pytest.mark.django_db


def cancelled(subject: PaymentOrder | Payment, note: str = "") -> PaymentOrder:
    order = order_of(subject) if isinstance(subject, Payment) else subject
    return payments.cancel(order, by="shop", note=note)


def after_its_end(shop: Shop, payment: Payment, **more: float) -> None:
    """Go to when a page has ended and no record of it can appear any more, and a while further."""
    assert payment.expires_at is not None
    shop.until(payment.expires_at + SETTLE_TIME + timedelta(**more))


def sweeps(shop: Shop, number: int, *, minutes: float) -> None:
    for _ in range(number):
        shop.clock.by += timedelta(minutes=minutes)
        payments.sweep()


# An order of which nothing is begun


@pytest.mark.every_database
def test_an_order_that_nobody_began_to_pay_is_cancelled_and_released_at_once_and_once(shop: Shop) -> None:
    order = cancelled(shop.order(), note="sold out, card 4111111111111111")
    assert (order.state, order.is_released, order.is_final) == ("CANCELLED", True, True)
    assert (order.cancelled_by, order.release_check_at) == ("shop", None)
    assert (order.cancelled_at, order.released_at) == (order.updated_at, order.updated_at)
    assert "4111111111111111" not in order.cancellation_note

    note = order.cancellation_note
    assert cancelled(order, note="second").cancellation_note == note
    assert kinds_told() == ["CANCELLED", "RELEASED"]
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="is cancelled", order=order.reference):
        payments.start_checkout(order)


def test_whoever_cancels_has_a_name(shop: Shop) -> None:
    order = shop.order()
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says="The name of"):
        payments.cancel(order, by="", note="")
    assert not reloaded(order).is_cancelled


@pytest.mark.parametrize(
    ("type_", "then", "code"),
    [
        ("sale", "", ErrorCode.REFUND_NEEDED),
        ("preauthorization", "", ErrorCode.REVERSAL_NEEDED),
        ("sale", "refund", ErrorCode.ORDER_REFUNDED),
        ("sale", "executed twice", ErrorCode.PAYMENT_FROZEN),
        ("preauthorization", "reverse", None),
    ],
)
def test_an_order_that_holds_money_is_not_cancelled_and_the_code_says_what_to_do(
    type_: str, then: str, code: ErrorCode | None, shop: Shop
) -> None:
    payment = shop.pay(type=type_)
    if then == "executed twice":
        shop.gateway.records[payment.reference].append(record(payment.reference, id="R-2"))
        shop.ask(payment)
    elif then:
        getattr(payments, then)(order_of(payment))
    if code is None:
        assert cancelled(payment).is_released
        return
    with pytest.raises(InvalidState) as refused:
        cancelled(payment)
    assert refused.value.code is code
    assert not order_of(payment).is_cancelled


# A hosted page


@pytest.mark.every_database
def test_a_page_that_was_open_is_watched_to_its_end_and_only_then_is_the_order_released(shop: Shop) -> None:
    payment = shop.begin()
    order = cancelled(payment)
    assert (order.state, order.is_released, order.is_final) == ("CANCELLED", False, False)
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="is cancelled", order=order.reference):
        payments.start_checkout(order)
    after_its_end(shop, payment, minutes=-1)
    payments.sweep()
    assert not order_of(payment).is_released, "it may still be paid"

    sweeps(shop, 4, minutes=3)
    assert payment.transactions.get().state == "EXPIRED"
    assert (order_of(payment).state, order_of(payment).is_released) == ("CANCELLED", True)
    assert kinds_told() == ["CANCELLED", "RELEASED"], "that the customer may try again is not told"


UNREADABLE = {"id": "R-2", "state": None}
HELD = {"id": "R-2", "state": "Held"}


def refused_page(shop: Shop, *beside: dict[str, Any]) -> Payment:
    """A page on which a card was refused, of an order that is then cancelled; with further records."""
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference, state="Errored"))
    assert not cancelled(payment).is_released, "a refused card does not close its page"
    shop.gateway.records[payment.reference].extend(record(payment.reference, **one) for one in beside)
    return payment


def test_a_page_on_which_a_card_was_refused_may_be_paid_until_its_end_is_answered(shop: Shop) -> None:
    payment = refused_page(shop)
    after_its_end(shop, payment, minutes=-1)
    payments.sweep()
    assert not order_of(payment).is_released
    with shop.cut_off():
        sweeps(shop, 2, minutes=3)
    assert not order_of(payment).is_released, "nobody has said that it was not paid"
    sweeps(shop, 4, minutes=30)
    assert order_of(payment).is_released


@pytest.mark.parametrize("beside", [UNREADABLE, HELD], ids=["unreadable", "in a state without a rule"])
def test_a_refused_page_with_a_record_that_nobody_understands_is_not_released_before_a_person_has_decided(
    beside: dict[str, Any], shop: Shop
) -> None:
    """It may be the approval of a second card."""
    payment = refused_page(shop, beside)
    after_its_end(shop, payment, hours=2)
    sweeps(shop, 3, minutes=30)
    assert not order_of(payment).is_released

    shop.days(5)
    opening = payment.transactions.get()
    payments.approvals.resolve(opening, decision="DID_NOT_HAPPEN", reason="asked", by="anna")
    sweeps(shop, 3, minutes=61)
    assert order_of(payment).is_released


def test_erasing_the_customer_of_a_page_that_may_be_paid_waits_for_its_end(shop: Shop) -> None:
    """Without its page's address the order would be released at once."""
    payment = refused_page(shop)
    erase = payments.maintenance.erase_customer
    with refuses(InvalidState, ErrorCode.TOO_EARLY, transaction=payment.reference):
        erase(order_of(payment), by="anna", reason="asked for it")
    after_its_end(shop, payment)
    sweeps(shop, 4, minutes=30)
    assert order_of(payment).is_released
    assert erase(order_of(payment), by="anna", reason="asked for it").is_erased


def test_a_page_of_which_nothing_was_sent_does_not_hold_the_order_back(shop: Shop) -> None:
    order = shop.order()
    with shop.cut_off(), pytest.raises(GatewayUnreachable):
        payments.start_checkout(order)
    assert cancelled(order).is_released
    with pytest.raises(OrderNotPayable):
        payments.start_checkout(order)
    assert GatewayTransaction.objects.get().state == "NOT_SENT"


# The wallet button


def test_a_button_that_was_shown_pays_nothing_after_the_cancellation(shop: Shop) -> None:
    order = shop.order()
    payments.wallet.open_session(order, session=SESSION)
    assert cancelled(order).is_released
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED):
        payments.wallet.open_session(order, session=SESSION)
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED):
        shop.press_button(order)
    assert shop.gateway.sent == []


@pytest.mark.parametrize(
    ("word", "after", "is_released"),
    [(None, "PENDING", False), ("Pending", "PENDING", False), ("Errored", "CANCELLED", True)],
)
def test_an_unknown_authorization_holds_the_order_until_its_outcome_is_known(
    word: str | None, after: str, is_released: bool, shop: Shop
) -> None:
    shop.gateway.answers.append(losing)
    payment = shop.press_button(shop.order())
    assert cancelled(payment).state == "PENDING"
    if word:
        shop.report(payment, record(payment.reference, id=ZERO, state=word))
    shop.days(1)
    assert (order_of(payment).state, order_of(payment).is_released) == (after, is_released)
    assert kinds_told() == ["CANCELLED", "RELEASED"][: 1 + is_released]


# The end of the time to pay


def lasting(shop: Shop, minutes: float, **given: Any) -> PaymentOrder:
    return shop.order(payable_until=shop.clock.now() + timedelta(minutes=minutes), **given)


def test_a_page_lives_no_longer_than_its_order(shop: Shop) -> None:
    asked: list[str] = []

    def page(sent: Sent) -> tuple[int, object]:
        asked.append(json.dumps(sent))
        return 200, {"redirectUrl": "http://127.0.0.1:8001/pay/1"}

    shop.gateway.pages.append(page)
    order = lasting(shop, 5)
    expires_at = payments.start_checkout(order).expires_at
    assert expires_at is not None
    assert order.payable_until is not None
    assert timedelta(0) <= order.payable_until - expires_at < timedelta(seconds=3)
    assert re.search(r'"redirectUrlTimeout": (300|29\d)\b', asked[0])


def test_with_less_than_a_minute_left_no_page_is_opened_and_an_open_one_is_still_given(shop: Shop) -> None:
    early, late = lasting(shop, 2), lasting(shop, 2)
    page = payments.start_checkout(early)
    shop.clock.sleep(75)
    assert payments.start_checkout(early).redirect_url == page.redirect_url
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED):
        payments.start_checkout(late)
    assert not late.payments.exists()


def test_a_request_that_never_left_is_not_sent_again_if_its_page_would_outlive_the_order(shop: Shop) -> None:
    order = lasting(shop, 10)
    with shop.cut_off(), pytest.raises(GatewayUnreachable):
        payments.start_checkout(order)
    shop.clock.sleep(300)
    payment = payments.start_checkout(order)
    assert payment.number == 2
    assert payment.expires_at is not None
    assert order.payable_until is not None
    assert payment.expires_at <= order.payable_until


@pytest.mark.every_database
@pytest.mark.parametrize("begun", ["nothing", "a button", "a page"])
def test_after_the_end_nothing_begins_and_the_sweep_cancels_and_releases_the_order(
    begun: str, shop: Shop
) -> None:
    order = lasting(shop, 10)
    if begun == "a button":
        assert payments.wallet.open_session(order, session=SESSION).expires_at == order.payable_until
    elif begun == "a page":
        payments.start_checkout(order)
    shop.until(order.payable_until)
    for act in (payments.start_checkout, lambda order: payments.wallet.open_session(order, session=SESSION)):
        with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED):
            act(PaymentOrder.objects.get())
    (report,) = payments.sweep()
    assert report.orders_released == (0 if begun == "a page" else 1)
    if begun == "a page":
        sweeps(shop, 3, minutes=10)
    assert (reloaded(order).state, order.is_released, order.cancelled_by) == ("CANCELLED", True, "")
    assert kinds_told()[-2:] == ["CANCELLED", "RELEASED"]


def test_a_payment_that_was_begun_in_time_is_not_late(shop: Shop) -> None:
    payment = payments.start_checkout(lasting(shop, 10))
    sweeps(shop, 2, minutes=6)
    shop.report(payment, record(payment.reference))
    sweeps(shop, 3, minutes=6)
    assert (order_of(payment).state, order_of(payment).is_cancelled) == ("PAID", False)
    assert kinds_told() == ["PAID"]
    assert order_of(payment).release_check_at is None


def test_a_reversed_authorization_of_an_order_whose_time_is_over_releases_it(shop: Shop) -> None:
    until = shop.clock.now() + timedelta(minutes=10)
    payment = shop.pay(type="preauthorization", payable_until=until)
    sweeps(shop, 1, minutes=20)
    assert (order_of(payment).state, order_of(payment).release_check_at) == ("AUTHORIZED", None)
    payments.reverse(order_of(payment))
    payments.sweep()
    assert (order_of(payment).state, order_of(payment).is_released) == ("CANCELLED", True)


def test_a_frozen_order_is_looked_at_again_and_released_after_the_decision(shop: Shop) -> None:
    payment = payments.start_checkout(lasting(shop, 10))
    shop.report_and_ask(payment, record(payment.reference, transactionAmount=25))
    sweeps(shop, 2, minutes=40)
    assert (state(payment), order_of(payment).is_released) == (("FROZEN", False), False)
    shop.decide(payment, "DID_NOT_HAPPEN")
    sweeps(shop, 3, minutes=61)
    assert order_of(payment).is_released
