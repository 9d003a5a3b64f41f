"""Races for money: in any order, no more is captured, refunded or sent than may be."""

from __future__ import annotations

import threading
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from tests.money.gateway import Sent
from tests.money.shop import Shop, order_of, reloaded
from tests.threads import THREADS, persistently, together
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment
from wallet_gateway.payments.errors import InvalidState, OperationOutstanding

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
ONE, FIVE, TEN = Decimal("1.00"), Decimal("5.00"), Decimal("10.00")


def done(results: list[Any], *allowed: type[Exception]) -> list[GatewayTransaction]:
    """Return what was done; all else must be one of the errors that may be."""
    assert [one for one in results if isinstance(one, Exception) and not isinstance(one, allowed)] == []
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
