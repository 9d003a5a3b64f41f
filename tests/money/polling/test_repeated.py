"""Approvals are queried again by the sweep alone: what it costs, and what it finds."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.money.polling.asking import fail_queries
from tests.money.sending.movers import mover
from tests.support.gateway import record
from tests.support.shop import Shop, kinds, kinds_told, of, open_differences, order_of, reloaded, state
from wallet_gateway import payments
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, Payment, TransactionEvent

pytestmark = pytest.mark.django_db
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def sweep_for(shop: Shop, span: timedelta, *, every: timedelta) -> None:
    for _ in range(span // every):
        shop.clock.by += every
        payments.sweep()


def own_records(payment: Payment) -> list[dict[str, Any]]:
    shop_type = {"sale": "ecom.sale", "preauthorization": "ecom.preAuthorization"}[payment.type]
    return [record(payment.reference, type=shop_type)]


# What is seen


@pytest.mark.parametrize(("type_", "hours"), [("sale", 1), ("preauthorization", 30)])
def test_what_is_made_in_the_portal_is_a_difference_within_a_day_by_sweeps_alone(
    type_: str, hours: int, shop: Shop
) -> None:
    payment = shop.pay(type=type_)
    sweep_for(shop, timedelta(hours=hours), every=HOUR * hours / 2)
    assert not open_differences()
    made = "ecom.refund" if type_ == "sale" else "ecom.capture"
    strange = record(payment.reference, id="R-portal", type=made, transactionAmount=4.00)
    shop.report(payment, *own_records(payment), strange)
    sweep_for(shop, DAY, every=4 * HOUR)
    assert (kinds(), state(payment)[0]) == ({"MADE_ELSEWHERE"}, "FROZEN")


@pytest.mark.parametrize("shared", [False, True], ids=["own reference", "shared reference"])
@pytest.mark.parametrize("name", ["capture", "refund", "checkout"])
def test_what_is_carried_out_twice_hours_later_is_seen_within_a_day(
    name: str, shared: bool, shop: Shop
) -> None:
    shop.configure(SHARES_REFERENCES=shared)
    if name == "checkout":
        payment = shop.pay()
        transaction = payment.opening
        found = [record(payment.reference), record(payment.reference, id="R-2")]
    else:
        operation = mover(name, shop)
        transaction = operation.execute()
        payment = transaction.opened_payment
        (first,) = shop.gateway.records[transaction.reference]
        found = [first, first | {"id": "R-2"}]
    sweep_for(shop, 2 * HOUR, every=HOUR)
    assert (reloaded(transaction).state, transaction.confirmed_at is not None) == ("APPROVED", True)
    if shared and name != "checkout":
        filed = [one | {"clientSystemTransactionId": payment.reference} for one in found]
        shop.report(transaction)
        shop.report(payment, *own_records(payment), *filed)
    else:
        shop.report(transaction, *found)
    sweep_for(shop, DAY, every=8 * HOUR)
    assert (state(payment)[0], open_differences() != []) == ("FROZEN", True)


@pytest.mark.parametrize(
    ("answer", "kind", "freezes"),
    [
        (None, "MISSING_THERE", False),
        ({"state": "Errored"}, "STATE_DIFFERS", True),
        ({"state": "Pending"}, "STATE_DIFFERS", True),
        ({"state": "ERRORED", "transactionAmount": 0}, "STATE_DIFFERS", True),
        ({"transactionAmount": 29}, "AMOUNT_DIFFERS", True),
        ({"currencyCode": "USD"}, "CURRENCY_DIFFERS", True),
        ({"id": "g2", "state": "Errored"}, "MISSING_THERE", False),
        ({"id": "g2", "state": "Pending"}, "MISSING_THERE", False),
    ],
    ids=str,
)
def test_what_the_gateway_says_otherwise_a_day_later_is_recorded_once_as_a_comparison_would(
    answer: dict[str, Any] | None, kind: str, freezes: bool, shop: Shop
) -> None:
    payment = shop.pay()
    sweep_for(shop, 2 * HOUR, every=HOUR)
    shop.report(payment, *([] if answer is None else [record(payment.reference, **answer)]))
    sweep_for(shop, DAY, every=8 * HOUR)
    transaction = GatewayTransaction.objects.get()
    assert (kinds(), reloaded(payment).is_frozen) == ({kind}, freezes)
    assert transaction.state == ("ANOMALY" if kind in {"AMOUNT_DIFFERS", "CURRENCY_DIFFERS"} else "APPROVED")
    assert payment.captured == 3000, "what was approved is not silently taken back"
    assert (transaction.next_query_at is not None) is (transaction.state == "APPROVED")
    events = TransactionEvent.objects.count()
    sweep_for(shop, 2 * DAY, every=DAY)
    assert (Discrepancy.objects.count(), TransactionEvent.objects.count()) == (1, events)


def test_a_contradiction_that_a_person_has_accepted_is_watched_and_not_reported_again(shop: Shop) -> None:
    payment = shop.pay()
    shop.report_and_ask(payment, record(payment.reference), record(payment.reference, id="R-2"))
    opening = payment.opening
    assert reloaded(opening).state == "ANOMALY"
    payments.approvals.resolve(opening, decision="DID_HAPPEN", reason="seen", by="anna")
    before = TransactionEvent.objects.count()
    sweep_for(shop, 3 * DAY, every=DAY)
    assert (reloaded(opening).state, TransactionEvent.objects.count()) == ("APPROVED", before)
    assert opening.next_query_at is not None


@pytest.mark.every_database
@pytest.mark.parametrize(("type_", "good_news"), [("sale", "PAID"), ("preauthorization", "AUTHORIZED")])
def test_nothing_is_shipped_upon_a_payment_in_doubt_until_a_person_has_looked(
    type_: str, good_news: str, shop: Shop
) -> None:
    payment = shop.begin(type=type_)
    strange = record(payment.reference, id="R-9", type="ecom.refund")
    shop.report_and_ask(payment, *own_records(payment), strange)
    assert (state(payment)[0], kinds_told(), kinds()) == ("FROZEN", ["ANOMALY"], {"MADE_ELSEWHERE"})
    difference = Discrepancy.objects.get()
    payments.approvals.close_discrepancy(difference, reason="was another order's", by="anna")
    assert kinds_told() == ["ANOMALY", "UNFROZEN", good_news]
    # What was told before a freeze is not told again after it.
    shop.report_and_ask(payment, *own_records(payment), strange, strange | {"id": "R-10"})
    payments.approvals.close_discrepancy(Discrepancy.objects.latest("pk"), reason="so was this", by="anna")
    assert kinds_told() == ["ANOMALY", "UNFROZEN", good_news, "ANOMALY", "UNFROZEN"]


# Where records are filed


@pytest.mark.every_database
def test_a_record_that_is_attributed_already_is_not_taken_twice(shop: Shop) -> None:
    shop.configure(SHARES_REFERENCES=True)
    payment = shop.pay(type="preauthorization")
    shared = {"clientSystemTransactionId": payment.reference}
    first = payments.capture(order_of(payment), Decimal("5.00"))
    second = shop.lose_answer(payments.capture, order_of(payment), Decimal("5.00"))
    shop.gateway.records.clear()
    known = of(first, id=first.record_id or first.reported_id, **shared)
    shop.report(payment, known)
    shop.until(second.next_query_at)
    payments.maintenance.reconcile_due()
    assert (reloaded(second).state, second.absent_count) == ("UNKNOWN", 1)
    shop.report(payment, known, of(second, id="g7", **shared))
    shop.until(second.next_query_at)
    payments.maintenance.reconcile_due()
    assert (reloaded(second).state, second.record_id) == ("APPROVED", "g7")


@pytest.mark.every_database
def test_a_record_that_belongs_to_another_transaction_is_a_contradiction(shop: Shop) -> None:
    first, second = shop.pay(type="preauthorization"), shop.pay(type="preauthorization")
    taken = payments.capture(order_of(first), Decimal("5.00"))
    lost = shop.lose_answer(payments.capture, order_of(second), Decimal("5.00"))
    shop.report(lost, of(lost, id=taken.record_id))
    shop.until(lost.next_query_at)
    payments.maintenance.reconcile_due()
    lost.refresh_from_db()
    second.refresh_from_db()
    assert (lost.state, kinds()) == ("ANOMALY", {"RECORD_TAKEN"})
    assert (second.is_frozen, second.capture_reserved) == (True, 500)


def test_a_follow_up_that_stays_lost_is_looked_for_under_its_originals_reference_too(shop: Shop) -> None:
    payment = shop.pay()
    lost = shop.lose_answer(payments.refund, order_of(payment), Decimal("5.00"))
    filed = of(lost, clientSystemTransactionId=payment.reference, id="g7")
    shop.report(payment, *own_records(payment), filed)
    asked = len(shop.gateway.asked)
    while lost.absent_count < 4:
        assert lost.state == "UNKNOWN"
        shop.until(lost.next_query_at)
        payments.maintenance.reconcile_due()
        lost.refresh_from_db()
    assert payment.reference not in shop.gateway.asked[asked:]
    shop.until(lost.next_query_at)
    payments.maintenance.reconcile_due()
    assert (reloaded(lost).state, lost.record_id) == ("APPROVED", "g7")


# What it costs


def test_every_approval_is_confirmed_once_where_nothing_is_asked_again(shop: Shop) -> None:
    shop.configure(QUERIES={"AGAIN_DAYS": 0})
    operation = mover("refund", shop)
    transaction = operation.execute()
    shop.sweep_when_due(transaction)
    assert (transaction.confirmed_at is not None, transaction.next_query_at) == (True, None)
    before = len(shop.gateway.asked)
    shop.clock.by += 40 * DAY
    payments.sweep()
    assert len(shop.gateway.asked) <= before + 1, "the page's own confirmation"


def test_an_early_look_does_not_take_the_place_of_a_later_one(shop: Shop) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference))
    shop.ask(payment)
    opening = GatewayTransaction.objects.get()
    assert (opening.confirmed_at is not None, opening.next_query_at is not None) == (True, True)
    assert opening.next_query_at is not None
    assert timedelta(minutes=3) <= opening.next_query_at - shop.clock.now() <= timedelta(minutes=6)


@pytest.fixture
def repeated(shop: Shop) -> list[str]:
    """Seven paid orders that are due to be queried again, the oldest first."""
    for _ in range(7):
        shop.pay()
        shop.clock.by += timedelta(seconds=1)
    shop.clock.by += timedelta(minutes=7)
    assert payments.maintenance.reconcile_due() == 7
    shop.clock.by += DAY
    rows = list(GatewayTransaction.objects.order_by("next_query_at", "pk"))
    assert {row.query_priority for row in rows} == {2}
    return [row.reference for row in rows]


def queried_again() -> int:
    return payments.sweep()[0].queried_again


def test_it_takes_a_fifth_of_the_rate_for_all_workers_together(repeated: list[str], shop: Shop) -> None:
    # A quarter of a query a second is 15 a minute, a fifth of that is 3 a minute.
    shop.configure(QUERIES={"RATE": 0.25})
    before, begun = len(shop.gateway.asked), shop.clock.now()
    assert (queried_again(), queried_again()) == (3, 0)
    shop.clock.by += begun + timedelta(seconds=61) - shop.clock.now()
    assert (queried_again(), queried_again()) == (3, 0)
    shop.clock.by += timedelta(seconds=61)
    began = shop.clock.now()
    assert queried_again() == 1
    until = GatewayPause.objects.get().repeats_until
    assert until is not None
    assert until <= began + timedelta(seconds=21), "what was one query's turn is over after its time"
    assert shop.gateway.asked[before:] == repeated, "the oldest first, and none lost"


def test_what_is_urgent_comes_first_and_in_between(repeated: list[str], shop: Shop) -> None:
    early, late, before = shop.begin(), list[Payment](), len(shop.gateway.asked)
    shop.clock.by += timedelta(seconds=75)

    def meanwhile(reference: str) -> tuple[int, object]:
        if reference == repeated[2]:
            late.append(shop.begin())
            shop.clock.by += timedelta(seconds=75)
        return 200, shop.gateway.records[reference]

    shop.gateway.queries.extend([meanwhile] * 20)
    payments.sweep()
    asked = shop.gateway.asked[before:]
    assert asked[0] == early.reference
    assert late[0].reference in asked[1:-1]
    assert [reference for reference in asked if reference in repeated] == repeated


def test_a_gateway_that_does_not_answer_is_not_queried_again_and_again(
    repeated: list[str], shop: Shop
) -> None:
    fail_queries(shop, times=20)
    assert queried_again() == 1
    assert not GatewayTransaction.objects.filter(next_query_at=None).exists()


def test_what_has_fallen_behind_is_queried_once_and_not_for_each_day(shop: Shop) -> None:
    shop.pay()
    shop.clock.by += timedelta(minutes=7)
    payments.sweep()
    shop.clock.by += timedelta(days=5, hours=3)
    assert queried_again() == 1
    transaction = GatewayTransaction.objects.get()
    assert transaction.next_query_at == transaction.state_changed_at + 6 * DAY
