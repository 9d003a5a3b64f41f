"""At the same moment: in any order one card is charged once, and limits are exact to a single request."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pytest

from tests.money.wallet.customers import Customer, detail_for
from tests.money.wallet.hooks import PRICING, Hooks, by_country
from tests.support.gateway import refusing
from tests.support.threads import THREADS, surprises, together
from wallet_gateway import payments, signals
from wallet_gateway.models import (
    GatewayTransaction,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
    WalletAttempt,
    WalletUsage,
)
from wallet_gateway.models.transactions import MOST_RESULTS
from wallet_gateway.payments.errors import (
    ErrorCode,
    InvalidState,
    OperationError,
    OperationRefused,
)
from wallet_gateway.payments.wallet import SheetPricing, SheetQuestion

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
REACHED = ErrorCode.WALLET_LIMIT_REACHED


def codes_of(results: list[Any]) -> set[ErrorCode]:
    return {one.code for one in results if isinstance(one, OperationRefused)}


def allowed_of(results: list[Any]) -> int:
    return sum(not isinstance(one, Exception) for one in results)


def pressed(customer: Customer, order: PaymentOrder) -> Callable[[], Payment]:
    """Approve a card on a sheet, and return how its result is posted."""
    return partial(customer.post, order, detail_for(customer.open(order).reference))


def test_one_result_posted_by_many_charges_once(customer: Customer) -> None:
    order = customer.order()
    results = together(pressed(customer, order))
    assert surprises(results, OperationRefused) == []
    assert (len(customer.gateway.sent), PaymentOrder.objects.get().state) == (1, "PAID")
    assert WalletAttempt.objects.get().results_count <= MOST_RESULTS


def test_no_more_than_five_results_of_a_reference_are_looked_at(customer: Customer) -> None:
    customer.gateway.cards = [refusing(404)] * 99
    results = together(pressed(customer, customer.order()))
    assert surprises(results, OperationRefused) == []
    assert len(customer.gateway.looked_up) == MOST_RESULTS
    assert sum(isinstance(one, InvalidState) for one in results) == len(results) - MOST_RESULTS


def two_tabs(customer: Customer, order: PaymentOrder) -> list[Callable[[], object]]:
    return [pressed(customer.elsewhere(name), order) for name in ("one", "other")]


def with_the_page(customer: Customer, order: PaymentOrder) -> list[Callable[[], object]]:
    return [
        pressed(customer, order),
        lambda: payments.start_checkout(PaymentOrder.objects.get(pk=order.pk)),
    ]


@pytest.mark.parametrize("works", [two_tabs, with_the_page])
def test_two_ways_to_pay_do_not_both_take_the_money(
    works: Callable[[Customer, PaymentOrder], list[Callable[[], object]]], customer: Customer
) -> None:
    order = customer.order()
    results = together(*works(customer, order), times=2)
    assert surprises(results, OperationRefused, OperationError) == []
    assert (len(customer.gateway.sent), PaymentOrder.objects.get().state) == (1, "PAID")


@pytest.mark.parametrize("end", ["closed", "expired"])
def test_a_result_that_comes_with_the_end_of_its_attempt_is_charged_or_the_attempt_is_ended(
    end: str, customer: Customer
) -> None:
    order = customer.order()
    post = pressed(customer, order)
    reference = GatewayTransaction.objects.get().reference

    def ended() -> Payment:
        if end == "closed":
            return payments.wallet.abandon(customer.attempt(reference))
        GatewayTransaction.objects.filter(state="AWAITING_RESULT").update(
            expires_at=customer.shop.clock.now()
        )
        payments.sweep()
        return customer.attempt(reference)

    results = together(post, ended, times=3)

    assert surprises(results, OperationRefused) == []
    state = GatewayTransaction.objects.get().state
    assert state in {"APPROVED", "ABANDONED" if end == "closed" else "EXPIRED"}
    assert len(customer.gateway.sent) == (state == "APPROVED")
    # Nobody was told that it is ended and may be paid again, and charged all the same.
    told = {one.opening.state for one in results if isinstance(one, Payment)}
    assert len(told & {"APPROVED", "ABANDONED", "EXPIRED"}) == 1


def test_however_a_sheet_is_priced_while_its_result_comes_what_is_charged_is_what_is_on_record(
    customer: Customer, hooks: Hooks
) -> None:
    customer.configure(PRICING=PRICING)
    order = customer.order()
    post = pressed(customer, order)
    reference = GatewayTransaction.objects.get().reference
    works = [partial(customer.price, order, reference, country) for country in ("NZ", "DE", "NZ", "DE")]
    results = together(*works, post, *works, times=1)
    assert surprises(results, OperationRefused) == []
    price = WalletAttempt.objects.get().price
    expected = 4500 if (price["address"] or {}).get("countryCode") == "NZ" else 3500
    (sent,) = customer.gateway.sent
    assert (price["total"], sent["amount"]) == (expected, f"{expected // 100}.00")
    assert Payment.objects.get().authorized == expected


# Limits


def all_cards_of(customer: Customer, *orders: PaymentOrder) -> list[Any]:
    """Post declined cards of eight new browsers at once, again and again, until no order has a button."""
    names = count()
    results: list[Any] = []
    while True:
        works = []
        for order in orders:
            try:
                for _ in range(8 // len(orders)):
                    works.append(pressed(customer.elsewhere(f"{len(results)} {next(names)}"), order))
            except OperationRefused:
                continue
        if not works:
            return results
        results += together(*works, times=1)


def test_orders_test_as_many_cards_as_they_allow_from_however_many_browsers_and_a_person_as_many_again(
    customer: Customer,
) -> None:
    customer.limit(AUTHORIZATIONS=3)
    customer.gateway.declines = True
    orders = [customer.order() for _ in range(2)]

    results = all_cards_of(customer, *orders)

    assert surprises(results, OperationRefused) == []
    # Of many at the same moment, the others find the order taken, or closed.
    assert codes_of(results) <= {ErrorCode.ORDER_NOT_PAYABLE, ErrorCode.WALLET_UNAVAILABLE, REACHED}
    assert len(customer.gateway.sent) == 2 * 3
    states = set(PaymentOrder.objects.values_list("state", "wallet_limit"))
    assert states == {("FAILED", "AUTHORIZATIONS")}
    assert OutboxEvent.objects.filter(kind="WALLET_LIMIT_REACHED").count() == 2

    raised = together(
        lambda: payments.wallet.raise_limits(orders[0], by="anna", reason="called the customer"), times=4
    )
    assert (surprises(raised, InvalidState), allowed_of(raised)) == ([], 1)
    all_cards_of(customer, orders[0])
    assert len(customer.gateway.sent) == 3 * 3


def test_browsers_that_are_shown_an_order_make_no_more_rows_than_it_allows_and_the_shop_is_told_once(
    customer: Customer,
) -> None:
    heard: list[object] = []

    def hear(**given: object) -> None:
        heard.append(given)

    customer.limit(SESSIONS=6)
    customer.open(customer.order())
    order, names = customer.order(), count()
    signals.wallet_limit_reached.connect(hear)
    try:
        works = [lambda: customer.elsewhere(f"browser {next(names)}").open(order)] * THREADS
        results = together(*works, times=1) + together(*works, times=1)
    finally:
        signals.wallet_limit_reached.disconnect(hear)
    assert (allowed_of(results), codes_of(results)) == (6, {REACHED})
    assert surprises(results, OperationRefused) == []
    assert [model.objects.count() for model in (Payment, GatewayTransaction, WalletAttempt)] == [1 + 6] * 3
    usage = WalletUsage.objects.get(order=order)
    assert (usage.sessions, usage.attempts, len(heard)) == (6, 6, 1)
    assert TransactionEvent.objects.filter(kind="LIMIT_REACHED").count() == 1


def test_an_order_tries_as_many_discount_codes_as_it_allows_and_each_price_has_a_number_of_its_own(
    customer: Customer, hooks: Hooks
) -> None:
    seen: list[str] = []

    def noting(question: SheetQuestion) -> SheetPricing:
        seen.extend(question.offers)
        return by_country(question)

    hooks.price = noting
    customer.limit(pricing=PRICING, DISCOUNT_CODES=5)
    order = customer.order()
    browsers = [customer.elsewhere(f"browser {number}") for number in range(THREADS)]
    sheets = [browser.open(order).reference for browser in browsers]
    guesses = [
        partial(browser.price, order, sheet, "DE", None, f"CODE-{sheet}")
        for browser, sheet in zip(browsers, sheets, strict=True)
    ]

    results = together(*guesses, *guesses, times=1)

    assert surprises(results, OperationRefused) == []
    assert len(set(seen)) == 5
    # Each sheet asks twice at once, and the price that was counted first may come too late.
    assert REACHED in codes_of(results)
    assert codes_of(results) <= {REACHED, ErrorCode.WALLET_UNAVAILABLE}
    usage = WalletUsage.objects.get()
    assert (usage.discount_codes, usage.prices) == (5, len(seen))
    numbers = [price["number"] for price in WalletAttempt.objects.values_list("price", flat=True)]
    counted = [number for number in numbers if number]
    assert len(counted) == len(set(counted)) > 0
