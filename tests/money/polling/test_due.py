"""What is due is asked about at the rate, what is urgent first, and no claim is used after its time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import OperationalError

from tests.money.polling.asking import fail_queries
from tests.support.database_faults import meddling, raising
from tests.support.gateway import Killed, record
from tests.support.shop import Shop, kinds_told, order_of, state
from wallet_gateway import payments
from wallet_gateway.models import GatewayPause, GatewayTransaction, Payment

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
due = payments.maintenance.reconcile_due


def open_pages(shop: Shop, number: int) -> list[str]:
    """Open pages, seconds apart; return their references."""
    references = []
    for _ in range(number):
        references.append(shop.begin().reference)
        shop.clock.by += SECOND
    return references


def answering(shop: Shop, meanwhile: Callable[[str], object]) -> None:
    """Let something happen before each of the next queries is answered with an approval."""

    def answer(reference: str) -> tuple[int, object]:
        meanwhile(reference)
        return 200, [record(reference)]

    shop.gateway.queries.extend([answer] * 100)


def make_due(references: list[str], shop: Shop) -> None:
    """Let pages be due, one second after the other, whatever their jitter is."""
    for number, reference in enumerate(references, -len(references)):
        at = shop.clock.now() + number * SECOND
        GatewayTransaction.objects.filter(reference=reference).update(next_query_at=at)


def test_questions_keep_to_the_rate_and_the_limit_and_take_the_oldest_first(shop: Shop) -> None:
    shop.configure(QUERIES={"RATE": 4})
    pages = open_pages(shop, 4)
    make_due(pages, shop)
    before = shop.clock.by
    assert due(limit=3) == 3
    assert shop.clock.by - before >= 3 * timedelta(seconds=0.25), "it sleeps between two of them"
    assert shop.gateway.asked == pages[:3]


def test_a_silent_gateway_is_left_alone_after_ten_questions_and_the_rest_waits_for_the_next_sweep(
    shop: Shop,
) -> None:
    make_due(open_pages(shop, 12), shop)
    fail_queries(shop, times=10)
    assert [due(), due()] == [10, 2]


def test_a_batch_lasts_a_second_at_the_rate_and_is_claimed_by_nobody_else(shop: Shop) -> None:
    shop.configure(QUERIES={"RATE": 3})
    pages = open_pages(shop, 7)
    make_due(pages, shop)
    claimed, asked_by_another = list[GatewayTransaction](), list[int]()

    def look(reference: str) -> None:
        if reference == pages[0]:
            later = shop.clock.now() + MINUTE / 2
            claimed.extend(GatewayTransaction.objects.filter(next_query_at__gt=later))
            asked_by_another.append(due())

    answering(shop, look)
    assert due() == 3
    assert sorted(row.reference for row in claimed) == sorted(pages[:3])
    assert (asked_by_another, sorted(shop.gateway.asked)) == ([4], sorted(pages)), "each once"


def test_customers_who_wait_come_before_what_has_ended_also_in_between(shop: Shop) -> None:
    shop.configure(QUERIES={"RATE": 5})
    watched = [shop.pay().reference for _ in range(12)]
    shop.clock.by += 7 * MINUTE
    make_due(watched, shop)
    first, late = shop.begin().reference, list[str]()
    make_due([first], shop)
    before = len(shop.gateway.asked)

    def open_another(reference: str) -> None:
        if reference == watched[6]:
            late.append(shop.begin().reference)
            make_due(late, shop)

    answering(shop, open_another)
    assert due() == 14
    asked = shop.gateway.asked[before:]
    assert asked[0] == first
    assert asked.index(late[0]) == 1 + 10, "it comes right after the batch of five"
    assert [one for one in asked if one in watched] == watched


def test_a_worker_that_is_killed_with_a_batch_loses_nothing_and_doubles_nothing(shop: Shop) -> None:
    shop.configure(QUERIES={"RATE": 100})
    pages = open_pages(shop, 6)
    make_due(pages, shop)

    def kill_at_the_third(reference: str) -> None:
        if reference == pages[2]:
            raise Killed

    answering(shop, kill_at_the_third)
    with pytest.raises(Killed):
        due()
    shop.gateway.queries.clear()
    answering(shop, lambda _: None)
    assert due() == 0, "the dead worker's claim still holds"
    shop.clock.by += 61 * SECOND
    assert due() == 4
    assert shop.gateway.asked == [*pages[:3], *pages[2:]]
    assert set(Payment.objects.values_list("order__state", flat=True)) == {"PAID"}
    assert kinds_told() == ["PAID"] * 6


def test_no_query_begins_late_in_its_claim_and_none_is_lost(shop: Shop) -> None:
    shop.configure(QUERIES={"RATE": 100})
    pages = open_pages(shop, 6)
    make_due(pages, shop)
    left: list[timedelta] = []

    def answer_slowly(reference: str) -> None:
        end = GatewayTransaction.objects.get(reference=reference).next_query_at
        assert end is not None
        left.append(end - shop.clock.now())
        shop.clock.by += 20 * SECOND

    answering(shop, answer_slowly)
    assert due() == 6
    assert shop.gateway.asked == pages, "each once, and in their order"
    assert min(left) >= MINUTE / 2 - SECOND


@pytest.mark.django_db(transaction=True)
def test_a_claim_that_ends_in_a_deadlock_is_repeated_and_the_sweep_goes_on(shop: Shop) -> None:
    make_due(open_pages(shop, 1), shop)
    deadlock = OperationalError(1213, "Deadlock found when trying to get lock; try restarting transaction")
    with meddling("UPDATE", "last_queried_at", act=raising(deadlock)):
        assert due() == 1


@pytest.mark.parametrize("shape", ["reference", "order", "attempt"])
def test_on_demand_nobody_asks_twice_within_two_seconds_or_in_a_pause(shape: str, shop: Shop) -> None:
    payment = shop.begin()

    def ask() -> int:
        before = len(shop.gateway.asked)
        if shape == "reference":
            payments.orders.reconcile_attempt(payment.reference)
        else:
            payments.reconcile(order_of(payment) if shape == "order" else payment)
        return len(shop.gateway.asked) - before

    assert (ask(), ask()) == (1, 0)
    shop.clock.by += 3 * SECOND
    GatewayPause.pause_queries("default", until=shop.clock.now() + MINUTE)
    assert ask() == 0
    shop.clock.by += 61 * SECOND
    shop.report(payment, record(payment.reference))
    assert (ask(), state(payment)[0]) == (1, "PAID")
    shop.clock.by += 3 * SECOND
    assert ask() == 0, "it is settled"


def test_an_unknown_reference_is_no_attempt(shop: Shop) -> None:
    with pytest.raises(Payment.DoesNotExist, match="NEVER"):
        payments.orders.reconcile_attempt("NEVER")


def test_what_the_gateway_wants_to_wait_for_ends_the_round(shop: Shop) -> None:
    make_due(open_pages(shop, 3), shop)
    shop.gateway.retry_after = 60
    fail_queries(shop, 429)
    assert due() == 1
    shop.gateway.queries.clear()
    assert due() == 0
    shop.clock.by += 61 * SECOND
    assert due() == 3


def test_all_of_an_order_or_a_deposit_is_asked_about_and_what_changed_is_told(shop: Shop) -> None:
    payment, other = shop.pay(type="preauthorization"), shop.pay()
    lost = shop.lose_answer(payments.capture, order_of(payment))
    shop.lose_answer(payments.refund, order_of(other))
    shop.gateway.approve(shop.gateway.sent[0])
    before = len(shop.gateway.asked)
    report = payments.maintenance.query_status(order_of(payment))
    assert (report.queries, report.unanswered, list(report.changed)) == (2, 0, [lost])
    assert shop.gateway.asked[before:] == [lost.reference, payment.reference], "the opening last"
    fail_queries(shop, times=2)
    assert payments.maintenance.query_status(order_of(payment)).unanswered == 2

    deposit = shop.deposit()
    refund = payments.refund_migrated(deposit.parent_transaction_id, Decimal(5), "EUR")
    report = payments.maintenance.query_status(deposit)
    assert (report.queries, report.changed, shop.gateway.asked[-1]) == (1, (), refund.reference)
