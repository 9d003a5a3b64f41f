"""What the gateway calls pending for ever: asking never ends, and a person is told and can decide."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.money.polling.asking import asks_for_a_person, sweep_until
from tests.money.sending.movers import Mover, mover
from tests.support.exhaustive import one_of
from tests.support.gateway import losing, record
from tests.support.shop import Shop, kinds, of, order_of, state
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction, Payment

pytestmark = pytest.mark.django_db
ONE = Decimal("1.00")


def reported(shop: Shop, transaction: GatewayTransaction, **fields: Any) -> None:
    """Let the gateway have one record of a page or follow-up."""
    if transaction.kind == "CHECKOUT":
        shop.report(transaction, record(transaction.reference, **fields))
    else:
        shop.report(transaction, of(transaction, **fields))


def give_up(transaction: GatewayTransaction) -> GatewayTransaction:
    return payments.approvals.resolve(transaction, decision="DID_NOT_HAPPEN", reason="no", by="anna")


@pytest.fixture(params=["checkout", *one_of(["capture", "refund", "reversal"])])
def slow(request: pytest.FixtureRequest, shop: Shop) -> GatewayTransaction:
    """A page, or a follow-up, that the gateway calls pending for as long as anybody asks."""
    operation: Mover = mover(request.param, shop)
    if request.param != "checkout":
        operation.will(losing)
    transaction = operation.execute()
    reported(shop, transaction, state="Pending")
    sweep_until(shop, transaction, lambda row: row.state == "PENDING")
    return transaction


def test_asking_never_ends_grows_rare_and_ends_by_the_gateways_word_at_any_time(
    slow: GatewayTransaction, shop: Shop
) -> None:
    began, waits = shop.clock.now(), list[timedelta]()
    while shop.clock.now() - began < timedelta(days=120):
        before, asked = shop.clock.now(), slow.query_count
        sweep_until(shop, slow, lambda row, asked=asked: row.query_count > asked)  # type: ignore[misc]
        waits.append(shop.clock.now() - before)
    assert (slow.state, len(waits) < 70) == ("PENDING", True)
    assert max(waits) <= timedelta(days=10)
    reported(shop, slow)
    sweep_until(shop, slow, lambda row: row.state != "PENDING")
    assert (slow.state, slow.needs_operator) == ("APPROVED", False)


def test_a_person_gives_it_up_and_that_alone_frees_what_it_holds(
    slow: GatewayTransaction, shop: Shop
) -> None:
    payment, is_page = slow.opened_payment, slow.kind == "CHECKOUT"
    sweep_until(shop, slow, asks_for_a_person)
    if is_page:
        assert state(payment) == ("PENDING", False)
    else:
        with pytest.raises(payments.errors.OperationOutstanding):
            payments.capture(order_of(payment), ONE)
    given_up = give_up(slow)
    assert (given_up.state, given_up.decided_by_person, given_up.outstanding_key) == ("ABANDONED", True, None)
    assert not given_up.needs_operator
    payment = Payment.objects.get()
    assert (payment.capture_reserved, payment.refund_reserved, payment.reversal) == (0, 0, "none")
    if is_page:
        assert state(payment)[1]
    elif slow.kind != "REFUND":
        assert payments.capture(order_of(payment), ONE).state == "APPROVED"


def test_what_was_given_up_and_is_approved_after_all_is_seen(slow: GatewayTransaction, shop: Shop) -> None:
    sweep_until(shop, slow, asks_for_a_person)
    slow = give_up(slow)
    shop.sweep_when_due(slow)
    assert slow.state == "ABANDONED", "that it is still pending is no news"
    reported(shop, slow)
    shop.sweep_when_due(slow)
    assert (slow.state, state(slow.opened_payment)[0]) == ("ANOMALY", "FROZEN")
    assert "APPROVED_AFTER_END" in kinds()


def test_what_the_gateway_then_forgets_is_still_asked_about_and_told_after_a_day(
    slow: GatewayTransaction, shop: Shop
) -> None:
    sweep_until(shop, slow, lambda row: row.query_count > 9)
    assert not slow.needs_operator
    shop.report(slow)
    began = shop.clock.now()
    sweep_until(shop, slow, asks_for_a_person)
    assert shop.clock.now() - began < timedelta(days=3)
    asked = slow.query_count
    sweep_until(shop, slow, lambda row: row.query_count == asked + 20)
    assert (slow.state, slow.needs_operator, slow.next_query_at is not None) == ("PENDING", True, True)


def test_a_page_that_was_given_up_can_be_paid_anew_and_both_are_seen(shop: Shop) -> None:
    transaction = shop.begin().opening
    reported(shop, transaction, state="Pending")
    sweep_until(shop, transaction, asks_for_a_person)
    transaction = give_up(transaction)
    second = payments.start_checkout(order_of(transaction.opened_payment))
    shop.report(second, record(second.reference))
    reported(shop, transaction)
    sweep_until(shop, transaction, lambda row: row.state != "ABANDONED")
    assert (transaction.state, state(second)[0]) == ("ANOMALY", "FROZEN")
