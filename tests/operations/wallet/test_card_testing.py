"""Card testing, and the guess of discount codes, in numbers: from many browsers at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from tests.operations.card_tester import CardTester, allowed_of, limited
from tests.operations.conftest import MakeContext, MakeOrder
from tests.operations.journal import times_sent
from tests.operations.threads import THREADS, surprises, together
from tests.operations.wallet_customer import Customer
from wallet_gateway import signals
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import (
    GatewayTransaction,
    OutboxEvent,
    OutboxEventKind,
    Payment,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
    WalletAttempt,
    WalletUsage,
)
from wallet_gateway.operations.errors import InvalidState, OperationRefused
from wallet_gateway.operations.wallet.hooks import SheetDiscount, SheetPricing, SheetQuestion
from wallet_gateway.operations.wallet.keys import current_key
from wallet_gateway.operations.wallet.limits import raise_limits
from wallet_gateway.operations.wallet.pricing import SheetPrice
from wallet_gateway.operations.wallet.session import price_sheet_of
from wallet_gateway.queries.health import health
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]
REACHED = ErrorCode.WALLET_LIMIT_REACHED


def stands(order: PaymentOrder) -> PaymentOrder:
    return PaymentOrder.objects.get(pk=order.pk)


def codes_of(results: list[Any]) -> set[ErrorCode]:
    return {one.code for one in results if isinstance(one, OperationRefused)}


def all_cards_of(tester: CardTester, orders: list[PaymentOrder], *others: Callable[[], Any]) -> list[Any]:
    """Post the cards of eight browsers at the same moment, again and again, until no order has a button."""
    results, works = [], [*tester.open_sheets(orders, 8 // len(orders)), *others]
    while works:
        # Of those of one order, at least one reaches the gateway.
        results += together(*works, times=1)
        works = tester.open_sheets(orders, 8 // len(orders))
    return results


def test_one_order_tests_as_many_cards_as_it_allows_from_however_many_browsers_at_once(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    limits = limited(customer.context, authorizations=5)
    tester, order, other = CardTester(replace(customer, context=limits)), make_order(), make_order()

    results = all_cards_of(tester, [order], partial(customer.pay, other))

    assert tester.cards_tested == 5
    assert surprises(results, OperationRefused) == []
    # Of many at the same moment, the others find the order taken, or closed.
    taken = {ErrorCode.ORDER_NOT_PAYABLE, ErrorCode.WALLET_UNAVAILABLE}
    assert codes_of(results) <= taken | {REACHED}
    assert (stands(order).state, stands(order).wallet_limit) == (OrderState.FAILED, "AUTHORIZATIONS")
    # Another customer of the shop has paid meanwhile, and nobody has noticed anything of it there.
    assert (stands(other).state, stands(other).is_wallet_closed) == (OrderState.PAID, False)
    assert times_sent(wallet_sandbox, "authorization") == 1


def test_browsers_that_are_shown_an_order_make_no_more_rows_than_it_allows(
    customer: Customer, make_order: MakeOrder
) -> None:
    context = limited(customer.context, sessions=6)
    current_key(context=context)
    order, names = make_order(), itertools.count(1)

    def load_page() -> None:
        replace(customer, context=context, session=f"browser-{next(names)}").open(stands(order))

    results = together(*[load_page] * THREADS, times=1) + together(*[load_page] * THREADS, times=1)

    assert (allowed_of(results), codes_of(results)) == (6, {REACHED})
    assert surprises(results, OperationRefused) == []
    made = (Payment, GatewayTransaction, WalletAttempt)
    assert [model.objects.count() for model in made] == [6, 6, 6]
    usage = WalletUsage.objects.get()
    assert (usage.sessions, usage.attempts) == (6, 6)


def test_however_many_meet_a_limit_at_once_the_shop_is_told_once(
    customer: Customer, make_order: MakeOrder, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[dict[str, Any]] = []

    def hear(**given: Any) -> None:
        heard.append(given)

    context = limited(customer.context, sessions=1)
    current_key(context=context)
    order, names = make_order(), itertools.count(1)
    signals.wallet_limit_reached.connect(hear)
    try:
        together(
            *[lambda: replace(customer, context=context, session=f"b-{next(names)}").open(stands(order))]
            * THREADS,
            times=1,
        )
    finally:
        signals.wallet_limit_reached.disconnect(hear)

    (given,) = heard
    event = OutboxEvent.objects.get(kind=OutboxEventKind.WALLET_LIMIT_REACHED)
    assert (given["reference"], given["limit"], given["amount"]) == (order.reference, "SESSIONS", None)
    assert (given["event_id"], event.delivered_at is None) == (str(event.event_id), False)
    assert given["order"].is_wallet_closed
    assert TransactionEvent.objects.filter(kind=TransactionEventKind.LIMIT_REACHED).count() == 1
    lines = [one.getMessage() for one in caplog.records if "closed the wallet button" in one.getMessage()]
    assert lines == [f"a limit closed the wallet button of order {order.reference}: sessions"]


def test_results_that_never_reach_a_bank_are_counted_too(
    customer: Customer, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    context, order = limited(customer.context, results=5), make_order()
    browsers = [replace(customer, context=context, session=f"browser-{n}") for n in range(THREADS)]

    def post(browser: Customer, reference: str) -> None:
        account = {"transactionAccountId": f"no-such-account-{reference}"}
        browser.post(order, {"clientSystemTransactionId": reference, **account})

    works = [partial(post, browser, browser.open(stands(order)).reference) for browser in browsers]
    results = together(*works, times=1)

    assert surprises(results, OperationRefused) == []
    assert codes_of(results) == {ErrorCode.CARD_REFUSED, REACHED}
    assert sum(one.code is REACHED for one in results) == THREADS - 5
    assert times_sent(wallet_sandbox, "get_payment_account") == 5
    assert WalletUsage.objects.get().results == 5


def test_many_orders_test_their_number_times_the_limit_and_health_shows_the_pattern(
    customer: Customer, make_order: MakeOrder
) -> None:
    orders = [make_order() for _ in range(4)]
    tester = CardTester(replace(customer, context=limited(customer.context, authorizations=3)))

    results = all_cards_of(tester, orders)

    assert surprises(results, OperationRefused) == []
    assert tester.cards_tested == 4 * 3
    now = customer.context.clock.now()
    (found,) = [one for one in health(now, []).problems if one.code == "wallet_buttons_closed"]
    assert found.params == {"count": 4}
    assert OutboxEvent.objects.filter(kind=OutboxEventKind.WALLET_LIMIT_REACHED).count() == 4


def half_price(question: SheetQuestion) -> SheetPricing:
    """Take 10.00 off for the right code; a wrong one changes nothing."""
    right = [code for code in question.offers if code == "CODE-7"]
    off = [SheetDiscount(label="Half", amount=Decimal("10.00"), code=code) for code in right]
    return SheetPricing(discounts=off)


def test_an_order_tries_as_many_discount_codes_as_it_allows_from_however_many_browsers_at_once(
    customer: Customer, make_context: MakeContext, make_order: MakeOrder
) -> None:
    seen: list[str] = []

    def price(question: SheetQuestion) -> SheetPricing:
        seen.extend(question.offers)
        return half_price(question)

    context = limited(make_context(price=price), discount_codes=5)
    order, browsers = make_order(), []
    for number in range(THREADS):
        browser = replace(customer, context=context, session=f"browser-{number}")
        browsers.append((browser, browser.open(stands(order)).reference))

    def guess(place: int, *codes: str) -> SheetPrice:
        browser, reference = browsers[place]
        return price_sheet_of(
            order=stands(order),
            reference=reference,
            session=browser.session,
            chosen={"address": None, "option": None, "offers": codes},
            context=context,
        )

    guesses = [partial(guess, place, f"CODE-{place + 100}") for place in range(THREADS)]
    results = together(*guesses, *guesses, times=1)

    assert surprises(results, OperationRefused) == []
    assert len(set(seen)) == 5
    # Each sheet asks twice at once, and the price that was counted first may come too late.
    assert REACHED in codes_of(results)
    assert codes_of(results) <= {REACHED, ErrorCode.WALLET_UNAVAILABLE}
    # Not even the right one; what was tried before may be asked for again.
    with pytest.raises(OperationRefused) as refused:
        guess(0, "CODE-7")
    assert refused.value.code is REACHED
    assert guess(0, seen[0]).total == order.amount
    assert WalletUsage.objects.get().discount_codes == 5
    assert stands(order).wallet_limit == "DISCOUNT_CODES"


def test_a_person_allows_exactly_as_much_again_and_two_people_no_more(
    customer: Customer, make_order: MakeOrder
) -> None:
    tester = CardTester(replace(customer, context=limited(customer.context, authorizations=2)))
    order, clock = make_order(), customer.context.clock
    tester.try_until_closed(order)
    assert tester.cards_tested == 2

    allow = partial(raise_limits, order=stands(order), by="anna", reason="called the customer", clock=clock)
    results = together(allow, times=4)

    assert surprises(results, InvalidState) == []
    assert allowed_of(results) == 1
    all_cards_of(tester, [order])
    assert tester.cards_tested == 4
    assert WalletUsage.objects.get().raised == 1
