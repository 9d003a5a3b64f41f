"""Hosted pages: what is paid late is money, no page ends upon a silence, and a silence reaches a person."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.money.polling.asking import asks_for_a_person, fail_queries, sweep_until
from tests.support.database_faults import WRITING, meddling
from tests.support.explanations import explained
from tests.support.gateway import record
from tests.support.refusals import refuses
from tests.support.shop import Shop, kinds, kinds_told, order_of, reloaded, state
from wallet_gateway import payments
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayTransaction, Payment
from wallet_gateway.payments.errors import InvalidState

pytestmark = pytest.mark.django_db
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def is_approved(transaction: GatewayTransaction) -> bool:
    return transaction.state == "APPROVED"


def declined(payment: Payment) -> dict[str, object]:
    return record(payment.reference, id="R-declined", state="Errored")


def pay(shop: Shop, payment: Payment, **fields: object) -> None:
    """Let the gateway have an approved record of a page, beside what it had."""
    shop.gateway.records[payment.reference].append(record(payment.reference, **fields))


# The end of a page


def test_a_page_ends_unpaid_once_a_record_would_have_shown(shop: Shop) -> None:
    payment = shop.begin()
    transaction = payment.opening
    sweep_until(shop, transaction, lambda row: row.state != "OPEN")
    assert transaction.expires_at is not None
    assert 15 * MINUTE <= shop.clock.now() - transaction.expires_at < 20 * MINUTE
    assert (transaction.state, state(payment)[0], kinds_told()) == ("EXPIRED", "EXPIRED", ["EXPIRED"])
    assert "page_ended" in explained(transaction)


@pytest.mark.parametrize("days", [2, 9])
def test_a_sweep_that_was_not_run_for_days_catches_up_with_one_answer_and_calls_nobody(
    days: int, shop: Shop
) -> None:
    payment = shop.begin()
    shop.clock.by += days * DAY
    assert payments.sweep()[0].queried == 1
    assert (state(payment)[0], payment.opening.needs_operator) == ("EXPIRED", False)


def test_a_page_of_an_account_that_the_settings_no_longer_name_does_not_end_unasked(shop: Shop) -> None:
    payment, given = shop.begin(), shop.settings.WALLET_GATEWAY["GATEWAYS"]["default"]["MERCHANT_ID"]
    shop.configure(MERCHANT_ID="ANOTHER")
    shop.clock.by += HOUR
    assert payments.maintenance.reconcile_due() == 1
    transaction = payment.opening
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator, state(payment)[0]) == ("OPEN", True, "OPEN")

    shop.configure(MERCHANT_ID=given)
    pay(shop, payment)
    sweep_until(shop, transaction, is_approved)
    assert (transaction.needs_operator, state(payment)[0]) == (False, "PAID")


# Old attempts


@pytest.fixture
def two_pages(shop: Shop) -> tuple[Payment, Payment]:
    """Two attempts of one order whose pages can both still be paid: the first has a minute left."""
    return shop.two_pages()


@pytest.mark.every_database
def test_a_late_success_of_an_old_attempt_pays_the_order(
    two_pages: tuple[Payment, Payment], shop: Shop
) -> None:
    first, second = two_pages
    pay(shop, first)
    sweep_until(shop, first.opening, is_approved)
    assert (state(first)[0], kinds_told(), second.opening.state) == ("PAID", ["PAID"], "OPEN")


@pytest.mark.every_database
def test_two_paid_pages_make_the_order_overpaid_and_call_a_person(
    two_pages: tuple[Payment, Payment], shop: Shop
) -> None:
    for payment, expected in zip(reversed(two_pages), ("PAID", "OVERPAID"), strict=True):
        pay(shop, payment)
        payments.reconcile(payment)
        assert state(payment)[0] == expected
    assert (kinds_told(), order_of(payment).is_paid) == (["PAID", "ANOMALY"], True)


# A second card on a refused page


@pytest.fixture
def refused(shop: Shop) -> Payment:
    """A page of 15 minutes on which a card was refused, as seen 80 seconds after it was opened."""
    payment = shop.begin()
    shop.report(payment, declined(payment))
    shop.clock.by += timedelta(seconds=80)
    payments.sweep()
    seen = Payment.objects.get(pk=payment.pk)
    assert (seen.opening.state, state(seen)) == ("REJECTED", ("FAILED", True))
    return seen


@pytest.mark.parametrize("days_later", [0, 3])
def test_a_second_card_on_a_refused_page_pays_the_order_though_nobody_comes_back(
    days_later: int, refused: Payment, shop: Shop
) -> None:
    transaction, end = refused.opening, refused.opening.expires_at
    assert end is not None
    sweep_until(shop, transaction, lambda _: shop.clock.now() > end - 12 * MINUTE + days_later * DAY)
    pay(shop, refused)
    sweep_until(shop, transaction, is_approved)
    if not days_later:
        assert shop.clock.now() < end + 5 * MINUTE
    assert (state(refused)[0], kinds_told(), kinds()) == ("PAID", ["FAILED", "PAID"], set())


def test_a_refused_page_is_asked_about_until_it_has_ended_and_a_week_longer(
    refused: Payment, shop: Shop
) -> None:
    transaction, end, asked = refused.opening, refused.opening.expires_at, list[timedelta]()
    assert end is not None
    while transaction.next_query_at is not None:
        asked.append(transaction.next_query_at - end)
        shop.sweep_when_due(transaction)
    planned = [MINUTE, 15 * MINUTE, *(15 * MINUTE + day * DAY for day in range(1, 8))]
    for at, wanted in zip(asked[-9:], planned, strict=True):
        assert timedelta(0) <= at - wanted <= 5 * HOUR, "jitter delays, and never hastens"
    before = len(shop.gateway.asked)
    shop.clock.by += 40 * DAY
    payments.sweep()
    payments.orders.reconcile_attempt(refused.reference)
    assert (transaction.state, len(shop.gateway.asked)) == ("REJECTED", before)


@pytest.mark.parametrize("other_first", [True, False])
def test_a_refused_page_that_is_paid_beside_another_one_makes_the_order_overpaid(
    other_first: bool, refused: Payment, shop: Shop
) -> None:
    second = payments.start_checkout(order_of(refused))
    shop.clock.by += timedelta(seconds=3)
    for payment in (second, refused) if other_first else (refused, second):
        pay(shop, payment)
        sweep_until(shop, payment.opening, is_approved)
    assert (state(refused)[0], kinds_told()) == ("OVERPAID", ["FAILED", "PAID", "ANOMALY"])


def test_a_second_card_that_is_pending_keeps_the_order_from_being_paid_elsewhere(
    refused: Payment, shop: Shop
) -> None:
    pay(shop, refused, state="Pending")
    shop.clock.by += timedelta(seconds=3)
    payments.reconcile(refused)
    assert state(refused) == ("PENDING", False)
    shop.report(refused, declined(refused))
    pay(shop, refused)
    sweep_until(shop, refused.opening, is_approved)
    assert (state(refused)[0], kinds_told(), kinds()) == ("PAID", ["FAILED", "PAID"], set())


# Before a further page is opened


@pytest.mark.parametrize("old", ["a refused one", "one that has a minute left"])
@pytest.mark.parametrize("found", ["paid", "unpaid", "silence"])
def test_a_page_is_opened_beside_an_older_one_only_if_that_is_not_paid(
    old: str, found: str, shop: Shop
) -> None:
    payment = shop.begin()
    if old == "a refused one":
        shop.report_and_ask(payment, declined(payment))
    shop.clock.by += timedelta(minutes=14, seconds=10)
    if found == "paid":
        # The customer has paid there, and the way back was lost.
        pay(shop, payment)
        with pytest.raises(payments.errors.OrderNotPayable):
            payments.start_checkout(order_of(payment))
        assert state(payment)[0] == "PAID"
    elif found == "silence":
        fail_queries(shop, times=1)
        with pytest.raises(payments.errors.GatewayUnreachable):
            payments.start_checkout(order_of(payment))
    else:
        assert payments.start_checkout(order_of(payment)).number == 2
    assert len(shop.gateway.asked) == (2 if old == "a refused one" else 1)
    assert order_of(payment).payments.count() == (2 if found == "unpaid" else 1)


def test_an_end_that_was_read_before_newer_evidence_ends_nothing(shop: Shop) -> None:
    payment = shop.begin()
    shop.report(payment, declined(payment))

    def learn_more() -> None:
        pay(shop, payment, state="Pending")
        shop.ask(payment)

    with meddling(WRITING, act=learn_more):
        shop.ask(payment)
    assert state(payment) == ("PENDING", False)


# Silence


SILENCES = {
    "no answer": (500, b""),
    "no array": (200, b"7"),
    "error with 200": (200, b'{"code": "1", "details": {"message": "no"}}'),
}


@pytest.mark.parametrize("silence", SILENCES.values(), ids=SILENCES.keys())
def test_a_page_a_day_past_its_end_without_a_readable_answer_reaches_a_person(
    silence: tuple[int, bytes], shop: Shop
) -> None:
    payment = shop.begin()
    transaction, end = payment.opening, payment.opening.expires_at
    assert end is not None
    pay(shop, payment)
    fail_queries(shop, *silence)
    shop.clock.by += 2 * MINUTE
    payments.sweep()
    transaction.refresh_from_db()
    # It is asked again soon, and climbs no rung.
    assert (transaction.state, transaction.poll_step, transaction.query_count) == ("OPEN", 0, 1)
    assert transaction.next_query_at is not None
    assert timedelta(0) < transaction.next_query_at - shop.clock.now() <= MINUTE
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="needs no decision"):
        payments.approvals.resolve(transaction, decision="DID_NOT_HAPPEN", reason="no", by="anna")

    shop.clock.by += 20 * HOUR
    sweep_until(shop, transaction, asks_for_a_person)
    assert transaction.state == "OPEN"
    assert DAY <= shop.clock.now() - end < 2 * DAY
    shop.gateway.queries.clear()
    sweep_until(shop, transaction, is_approved)
    assert (state(payment)[0], kinds_told(), transaction.needs_operator) == ("PAID", ["PAID"], False)


def test_a_silent_page_that_a_person_gave_up_is_watched(shop: Shop) -> None:
    payment = shop.begin()
    pay(shop, payment)
    fail_queries(shop)
    shop.clock.by += 2 * DAY
    sweep_until(shop, payment.opening, asks_for_a_person)
    given_up = payments.approvals.resolve(
        payment.opening, decision="DID_NOT_HAPPEN", reason="looked it up", by="anna"
    )
    assert (given_up.state, state(payment)[0]) == ("ABANDONED", "FAILED")
    shop.gateway.queries.clear()
    shop.sweep_when_due(given_up)
    assert (state(payment)[0], kinds()) == ("FROZEN", {"APPROVED_AFTER_END"})


def test_a_payment_made_before_an_outage_of_a_week_is_found_within_the_hour_after_it(shop: Shop) -> None:
    payment = shop.begin()
    pay(shop, payment)
    fail_queries(shop)
    # A sweep that comes every hour on the last day; before, one a day.
    for hours in (*[24] * 6, 16, *[1] * 8):
        shop.clock.by += timedelta(hours=hours)
        payments.sweep()
    shop.gateway.queries.clear()
    shop.clock.by += timedelta(hours=1, seconds=1)
    payments.sweep()
    assert state(payment)[0] == "PAID"


def test_a_pending_page_calls_nobody_as_long_as_the_gateway_answers(shop: Shop) -> None:
    payment = shop.begin()
    pay(shop, payment, state="Pending")
    for _ in range(3):
        shop.ask(payment)
    transaction = payment.transactions.get()
    assert (transaction.state, transaction.needs_operator) == ("PENDING", False)


def test_a_pending_page_of_which_nothing_is_heard_for_a_day_reaches_a_person(shop: Shop) -> None:
    payment = shop.begin()
    pay(shop, payment, state="Pending")
    transaction = payment.opening
    sweep_until(shop, transaction, lambda row: row.query_count == 10)
    assert not transaction.needs_operator
    fail_queries(shop)
    shop.until(transaction.next_query_at)
    began = shop.clock.now()
    payments.sweep()
    assert not reloaded(transaction).needs_operator, "one silent answer calls nobody"
    sweep_until(shop, transaction, asks_for_a_person)
    assert 20 * HOUR <= shop.clock.now() - began <= 30 * HOUR
    shop.gateway.queries.clear()
    shop.sweep_when_due(transaction)
    assert (transaction.state, transaction.needs_operator) == ("PENDING", False), "the gateway speaks again"
