"""Races with real commits: in any order, each payment is begun, booked, released and told once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from tests.support.gateway import Killed, Sent, killing, losing, record
from tests.support.refusals import refuses
from tests.support.shop import SESSION, Shop, kinds_told, of, order_of, reloaded, state
from tests.support.shop_fixtures import Connect, die
from tests.support.threads import THREADS, persistently, surprises, together
from wallet_gateway import payments, signals
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    Payment,
    PaymentOrder,
)
from wallet_gateway.payments.errors import (
    ErrorCode,
    InvalidState,
    OperationOutstanding,
    OrderNotPayable,
    TryAgain,
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
ONE, FIVE, TEN = Decimal("1.00"), Decimal("5.00"), Decimal("10.00")


def cancel(order: PaymentOrder) -> Callable[[], object]:
    return partial(payments.cancel, order, by="shop")


def stands(order: PaymentOrder) -> PaymentOrder:
    return PaymentOrder.objects.get(pk=order.pk)


# A cancellation and an attempt to pay


def test_a_page_is_begun_before_the_cancellation_or_not_at_all(shop: Shop) -> None:
    for number in range(1, 4):
        order = shop.order()
        results = together(partial(payments.start_checkout, order), cancel(order))
        assert surprises(results, OrderNotPayable, TryAgain) == []
        pages = GatewayTransaction.objects.filter(payment__order=order, state="OPEN").count()
        assert pages <= 1
        assert stands(order).state == "CANCELLED"
        assert stands(order).is_released is (pages == 0), "an open page is begun, and without one nothing is"
        assert kinds_told().count("CANCELLED") == number


def test_a_page_whose_order_is_cancelled_while_the_gateway_opens_it_is_watched_and_shown_to_nobody(
    shop: Shop,
) -> None:
    order = shop.order()

    def cancel_and_open(_: Sent) -> tuple[int, object]:
        payments.cancel(order, by="shop")
        return 200, {"redirectUrl": "http://127.0.0.1:8001/pay/1"}

    shop.gateway.pages.append(cancel_and_open)
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="is cancelled"):
        payments.start_checkout(order)
    page = GatewayTransaction.objects.get()
    assert (page.state, bool(page.redirect_url), stands(order).is_released) == ("OPEN", True, False)

    # Whoever has its address all the same pays late, and a person is told.
    shop.report(page, record(page.reference))
    shop.sweep_when_due(page)
    assert (stands(order).state, stands(order).late_payment) == ("FROZEN", "REPORTED")


def test_a_card_is_charged_before_the_cancellation_or_not_at_all(shop: Shop) -> None:
    for _ in range(3):
        order = shop.order()
        detail = shop.approve_card(order)
        shop.gateway.sent.clear()
        charge = partial(payments.wallet.pay, order, session=SESSION, detail=detail)
        results = together(charge, cancel(order), times=3)
        assert surprises(results, OrderNotPayable, InvalidState) == []
        after = stands(order)
        if not after.is_cancelled:
            assert (after.state, len(shop.gateway.sent)) == ("PAID", 1), "the payment was there first"
        elif shop.gateway.sent:
            assert (after.state, after.late_payment, after.is_released) == ("FROZEN", "REPORTED", False)
            assert len(shop.gateway.sent) == 1
        else:
            assert (after.state, after.is_released) == ("CANCELLED", True)


def test_an_outcome_that_arrives_with_the_cancellation_is_paid_or_late_and_never_lost(shop: Shop) -> None:
    for _ in range(3):
        payment = shop.begin()
        shop.report(payment, record(payment.reference))
        ask = partial(payments.orders.reconcile_attempt, payment.reference)
        results = together(ask, cancel(order_of(payment)), times=3)
        assert surprises(results, InvalidState) == []
        order = order_of(payment)
        kinds = list(order.outbox_events.order_by("pk").values_list("kind", flat=True))
        late = (order.state, order.late_payment, kinds) == ("FROZEN", "REPORTED", ["CANCELLED", "ANOMALY"])
        assert late or (order.state, kinds) == ("PAID", ["PAID"])
        assert order.is_cancelled is late


def test_many_sweeps_release_an_order_once(shop: Shop) -> None:
    payment = shop.begin()
    payments.cancel(order_of(payment), by="shop")
    shop.clock.by += timedelta(minutes=31)
    payments.maintenance.reconcile_due()
    assert not order_of(payment).is_released
    results = together(payments.sweep)
    assert surprises(results) == []
    assert sum(report.orders_released for (report,) in results) == 1
    assert order_of(payment).is_released
    assert kinds_told().count("RELEASED") == 1


def test_two_people_who_decide_on_two_late_payments_at_once_have_the_order_told_as_paid_once(
    shop: Shop,
) -> None:
    def close(payment: Payment) -> object:
        found = Discrepancy.objects.get(kind="LATE_PAYMENT", payment=payment)
        return payments.approvals.close_discrepancy(found, reason="decided", by="anna")

    both = first, _ = shop.two_pages()
    payments.cancel(order_of(first), by="shop")
    for payment in both:
        shop.report(payment, record(payment.reference))
        payments.orders.reconcile_attempt(payment.reference)
    results = together(*(partial(close, payment) for payment in both))
    assert surprises(results, InvalidState) == []
    assert (state(first)[0], kinds_told().count("PAID")) == ("OVERPAID", 1)


# Answers, sweeps and visits


def test_sweeps_share_the_questions(shop: Shop) -> None:
    pages = [shop.begin() for _ in range(10)]
    for payment in pages:
        shop.report(payment, record(payment.reference))
    shop.clock.sleep(80)
    results = together(payments.maintenance.reconcile_due)
    assert surprises(results) == []
    assert sum(results) == 10
    assert sorted(shop.gateway.asked) == sorted(payment.reference for payment in pages)
    assert PaymentOrder.objects.filter(state="PAID").count() == 10


def test_a_payment_found_by_everybody_at_once_is_booked_and_told_once(shop: Shop, connect: Connect) -> None:
    receiver, payment = connect(signals.order_paid), shop.begin()
    shop.report(payment, record(payment.reference))
    shop.clock.sleep(80)
    results = together(
        lambda: payments.orders.reconcile_attempt(payment.reference),
        lambda: payments.reconcile(order_of(payment), everything=True),
        payments.sweep,
        payments.maintenance.deliver_events,
    )
    assert surprises(results) == []
    assert (reloaded(payment).authorized, payment.captured, state(payment)[0]) == (3000, 3000, "PAID")
    assert receiver.ids == [str(OutboxEvent.objects.get().event_id)]


def test_two_pages_paid_at_the_same_moment_make_the_order_overpaid(shop: Shop) -> None:
    both = first, _ = shop.two_pages()
    for payment in both:
        shop.report(payment, record(payment.reference))
    results = together(*(partial(payments.orders.reconcile_attempt, one.reference) for one in both))
    assert surprises(results) == []
    assert (state(first)[0], sorted(kinds_told())) == ("OVERPAID", ["ANOMALY", "PAID"])


def test_a_lease_is_ended_once(shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")
    shop.gateway.answers.append(killing)
    with pytest.raises(Killed):
        payments.capture(order_of(payment), FIVE)
    shop.clock.sleep(121)
    results = together(payments.sweep)
    assert surprises(results) == []
    assert GatewayTransaction.objects.get(kind="CAPTURE").state == "UNKNOWN"
    assert reloaded(payment).capture_reserved == 500


def test_answers_and_sweeps_that_meet_book_once(shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")
    shop.gateway.answers.append(losing)
    capture = payments.capture(order_of(payment), FIVE)
    shop.report(capture, of(capture))
    shop.until(capture.next_query_at)
    results = together(payments.sweep, lambda: payments.reconcile(order_of(payment), everything=True))
    assert surprises(results) == []
    assert (reloaded(payment).captured, payment.capture_reserved) == (500, 0)
    assert OutboxEvent.objects.filter(transaction=capture).count() == 1


def test_what_dying_processes_have_not_told_is_delivered_once_by_many_sweeps(
    shop: Shop, connect: Connect
) -> None:
    signals.order_paid.connect(die)
    for _ in range(5):
        with pytest.raises(Killed):
            shop.pay()
    signals.order_paid.disconnect(die)
    shop.clock.sleep(61)
    receiver = connect(signals.order_paid)
    results = together(payments.maintenance.deliver_events)
    assert surprises(results) == []
    assert (sum(results), len(receiver.ids), len(set(receiver.ids))) == (5, 5, 5)


# Two writers of one order


def test_refunds_of_two_payments_of_one_order_that_are_answered_at_once_are_both_booked(shop: Shop) -> None:
    both = first, _ = shop.two_pages()
    for payment in both:
        shop.report(payment, record(payment.reference))
        payments.orders.reconcile_attempt(payment.reference)
    results = together(
        *(lambda one=payment: payments.refund(order_of(first), FIVE, payment=one) for payment in both),
        times=1,
    )
    assert surprises(results) == []
    assert sorted(Payment.objects.values_list("refunded", flat=True)) == [500, 500]
    assert kinds_told().count("REFUNDED") == 2


# Captures, refunds and reversals: no more than may be, and each sent once


def done(results: list[Any], *allowed: type[Exception]) -> list[GatewayTransaction]:
    """Return what was done; all else must be one of the errors that may be."""
    assert surprises(results, *allowed) == []
    return [one for one in results if isinstance(one, GatewayTransaction)]


def sent(shop: Shop) -> Counter[str]:
    return Counter(one["type"] for one in shop.gateway.sent)


def test_refunds_never_exceed_what_was_captured(shop: Shop) -> None:
    payment = shop.pay()
    amount = Decimal(30) / (THREADS * 5 // 8)
    results = together(lambda: persistently(lambda: payments.refund(order_of(payment), round(amount, 2))))
    states = Counter(one.state for one in done(results, InvalidState))
    payment.refresh_from_db()
    assert states == {"APPROVED": 3000 // int(round(amount, 2) * 100)}
    assert payment.refunded == states["APPROVED"] * int(round(amount, 2) * 100)
    assert (payment.refund_reserved, sent(shop)) == (0, {"ecom.refund": states["APPROVED"]})


def test_while_one_refund_is_under_way_no_other_is_begun(shop: Shop) -> None:
    payment, others_are_through = shop.pay(), threading.Event()

    def wait(answer: Sent) -> tuple[int, object]:
        others_are_through.wait(60)
        return shop.gateway.approve(answer)

    shop.gateway.answers.append(wait)
    refused: list[Exception] = []

    def give_back() -> GatewayTransaction:
        try:
            return payments.refund(order_of(payment), ONE)
        except OperationOutstanding as error:
            refused.append(error)
            if len(refused) == THREADS - 1:
                others_are_through.set()
            raise

    assert len(done(together(give_back), OperationOutstanding)) == 1
    assert (reloaded(payment).refunded, sent(shop)) == (100, {"ecom.refund": 1})


def test_either_captures_or_a_reversal_and_never_both(shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")
    results = together(
        lambda: payments.capture(order_of(payment), ONE), lambda: payments.reverse(order_of(payment))
    )
    done(results, OperationOutstanding, InvalidState)
    payment.refresh_from_db()
    is_reversed = payment.reversal == "done"
    assert is_reversed is (payment.captured == 0)
    assert set(sent(shop)) == {"ecom.reversalPreauthorization" if is_reversed else "ecom.capture"}


@pytest.mark.parametrize("amount", [FIVE, None], ids=["a part", "all"])
def test_one_key_sends_once_however_often_it_is_clicked(amount: Decimal | None, shop: Shop) -> None:
    payment = shop.pay()
    results = together(lambda: payments.refund(order_of(payment), amount, idempotency_key="click-1"))
    assert len({one.pk for one in done(results)}) == 1
    assert sent(shop) == {"ecom.refund": 1}


def test_one_deposit_is_refunded_up_to_its_limit(shop: Shop) -> None:
    parent = shop.deposit().parent_transaction_id
    results = together(lambda: persistently(lambda: payments.refund_migrated(parent, TEN, "EUR")))
    assert Counter(one.state for one in done(results, InvalidState)) == {"APPROVED": 5}
    assert MigratedDeposit.objects.get().refunded == 5000


def test_what_never_left_is_sent_by_one_worker(shop: Shop) -> None:
    payment = shop.pay(type="preauthorization")
    with shop.cut_off():
        transaction = payments.capture(order_of(payment), FIVE)
    shop.until(transaction.next_send_at)
    done(together(payments.sweep))
    assert sent(shop) == {"ecom.capture": 1}
    assert Payment.objects.get().captured == 500
