"""How often one order's button may be used: exact at the edge, told once, opened again by a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from tests.money.wallet.customers import CARD, Customer, detail_for, refused
from tests.money.wallet.hooks import PRICING, Hooks
from tests.support.gateway import losing, record
from tests.support.shop import Shop
from wallet_gateway import payments, signals
from wallet_gateway.models import PaymentOrder, TransactionEvent, WalletAttempt, WalletUsage
from wallet_gateway.payments.errors import ErrorCode
from wallet_gateway.payments.wallet import WalletLimit, WalletLimits

pytestmark = pytest.mark.django_db
REACHED = ErrorCode.WALLET_LIMIT_REACHED


@pytest.fixture
def told() -> Iterator[list[dict[str, Any]]]:
    """What the shop was told of limits that were reached."""
    heard: list[dict[str, Any]] = []

    def hear(**given: Any) -> None:
        heard.append(given)

    signals.wallet_limit_reached.connect(hear)
    yield heard
    signals.wallet_limit_reached.disconnect(hear)


def test_each_raise_adds_one_full_allowance_and_other_limits_are_not_reached_before_the_cards_are() -> None:
    limits = WalletLimits(results=7)
    assert [limits.maximum(WalletLimit.RESULTS, raised=raised) for raised in range(3)] == [7, 14, 21]
    usual = WalletLimits()
    assert usual.authorizations < min(usual.results, usual.sessions, usual.attempts)
    assert usual.sessions < usual.attempts


Use = Callable[[Customer, PaymentOrder, int], object]


def see(customer: Customer, order: PaymentOrder, number: int) -> object:
    return customer.elsewhere(f"browser {number}").open(order)


def take_another_card(customer: Customer, order: PaymentOrder, number: int) -> object:
    """Use one attempt: the first button, and then a card after one that was not charged."""
    if number == 0:
        return customer.open(order)
    WalletAttempt.objects.update(results_count=1)
    return customer.another_card(order)


def price(customer: Customer, order: PaymentOrder, number: int) -> object:
    return customer.price(order, WalletAttempt.objects.get().transaction.reference, "DE")


def guess(customer: Customer, order: PaymentOrder, number: int) -> object:
    return customer.price(
        order, WalletAttempt.objects.get().transaction.reference, "DE", None, f"CODE-{number}"
    )


def fail(customer: Customer, order: PaymentOrder, number: int) -> object:
    return customer.post(order, {"code": "4000340"})


def try_card(customer: Customer, order: PaymentOrder, number: int) -> object:
    """Try a card in a new browser; it is declined."""
    return customer.elsewhere(f"browser {number}").pay(order)


USES: dict[WalletLimit, tuple[Use, bool]] = {
    WalletLimit.SESSIONS: (see, False),
    WalletLimit.ATTEMPTS: (take_another_card, False),
    WalletLimit.PRICES: (price, True),
    WalletLimit.DISCOUNT_CODES: (guess, True),
    WalletLimit.RESULTS: (fail, True),
    WalletLimit.AUTHORIZATIONS: (try_card, False),
}
"""How each limit is used up, and whether a sheet has to be open for it."""


@pytest.mark.every_database
@pytest.mark.parametrize("limit", WalletLimit)
def test_the_last_one_allowed_is_counted_the_next_is_not_and_the_button_is_closed(
    limit: WalletLimit, customer: Customer, hooks: Hooks, told: list[dict[str, Any]]
) -> None:
    order, numbers = customer.order(), count()
    use, has_sheet = USES[limit]
    customer.gateway.declines = True
    is_priced = limit in {WalletLimit.PRICES, WalletLimit.DISCOUNT_CODES}
    customer.limit(pricing=PRICING if is_priced else "", **{limit: 2})
    if has_sheet:
        customer.open(order)

    def use_twice() -> None:
        for _ in range(2):
            use(customer, order, next(numbers))
        for _ in range(2):
            with refused("wallet_limit_reached", says="limit reached: ", limit=limit) as error:
                use(customer, order, next(numbers))
            assert error.value.status == 403

    use_twice()
    order.refresh_from_db()
    assert (order.is_wallet_closed, order.wallet_limit) == (True, limit)
    with refused("wallet_limit_reached", limit=limit):
        payments.wallet.check_open(order)
    with refused("wallet_limit_reached"):
        customer.elsewhere("new browser").open(order)
    assert [one["limit"] for one in told] == [limit]
    event = TransactionEvent.objects.get(kind="LIMIT_REACHED")
    assert event.explanation_params | {"wallet_limit": limit, "allowed": 2} == event.explanation_params
    # The payment page stays open.
    assert payments.start_checkout(order).redirect_url

    payments.wallet.raise_limits(order, by="anna", reason="called the customer")
    if has_sheet is False and limit is not WalletLimit.AUTHORIZATIONS:
        PaymentOrder.objects.update(state="OPEN")
    use_twice()
    assert WalletUsage.objects.get().raised == 1


def test_other_orders_stay_open_and_a_person_is_told_how_many_are_closed(customer: Customer) -> None:
    customer.limit(AUTHORIZATIONS=1)
    customer.gateway.declines = True
    orders = [customer.order() for _ in range(4)]
    for number, order in enumerate(orders * 2):
        with refused("wallet_limit_reached") if number >= len(orders) else nullcontext():
            try_card(customer, order, number)
    assert len(customer.gateway.sent) == 4
    customer.gateway.declines = False
    assert customer.pay(customer.order()).order.state == "PAID"
    problems = payments.maintenance.health().problems
    (found,) = [one for one in problems if one.code == "wallet_buttons_closed"]
    assert found.params == {"count": 4}


# Discount codes


def test_a_code_that_was_tried_before_is_a_price_and_no_guess_and_several_count_all_or_none(
    customer: Customer, hooks: Hooks
) -> None:
    customer.limit(pricing=PRICING, DISCOUNT_CODES=2)
    order = customer.order()
    reference = customer.open(order).reference

    def guessing(*codes: str) -> str:
        return customer.price(order, reference, "DE", None, *codes).total.to_wire()

    guessing("ONE")
    guessing("ONE", "ONE")
    with refused("wallet_limit_reached"):
        guessing("TWO", "THREE")
    usage = WalletUsage.objects.get()
    assert (usage.prices, usage.discount_codes) == (2, 1)
    assert guessing("TWO") == guessing("TWO", "ONE") == "35.00"
    with refused("wallet_limit_reached"):
        guessing("TEN")
    mine = set(WalletUsage.objects.get().codes_tried)
    assert "ONE" not in str(mine)

    other = customer.order()
    customer.price(other, customer.open(other).reference, "DE", None, "ONE")
    theirs = set(WalletUsage.objects.get(order=other).codes_tried)
    assert mine.isdisjoint(theirs), "a code is not the same in the rows of two orders"


# What a limit leaves open


def test_a_sheet_that_was_open_when_the_button_was_closed_can_still_be_paid_with(customer: Customer) -> None:
    customer.limit(SESSIONS=1)
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    with refused("wallet_limit_reached"):
        customer.elsewhere("another browser").open(order)
    assert customer.post(order, detail).order.state == "PAID"


def test_what_a_limit_meets_while_a_bank_is_asked_is_followed_to_its_end(customer: Customer) -> None:
    customer.limit(RESULTS=1, AUTHORIZATIONS=1)
    customer.gateway.account = CARD
    order = customer.order()
    detail = detail_for(customer.open(order).reference, cryptogram=None, eciIndicator=None)
    customer.gateway.answers.append(losing)
    # The page posts its result again, as after a lost answer: it is told how the same card stands.
    for _ in range(2):
        payment = customer.post(order, detail)
        assert payment.opening.state == "UNKNOWN"
    customer.shop.report(payment, record(payment.reference))
    customer.shop.hours(1)
    order.refresh_from_db()
    assert (order.state, order.is_wallet_closed) == ("PAID", False)


def test_a_result_of_a_stranger_counts_for_nobody(customer: Customer) -> None:
    customer.limit(RESULTS=1)
    order = customer.order()
    detail = detail_for(customer.open(order).reference)
    for _ in range(3):
        with refused("wallet_session_unknown"):
            customer.elsewhere("stranger").post(order, detail)
    assert WalletUsage.objects.get().results == 0
    assert customer.post(order, detail).order.state == "PAID"


# A closed button


@pytest.fixture
def closed(customer: Customer) -> PaymentOrder:
    """An order whose button a limit has closed."""
    customer.limit(RESULTS=1)
    order = customer.order()
    customer.open(order)
    fail(customer, order, 0)
    with refused("wallet_limit_reached"):
        fail(customer, order, 1)
    order.refresh_from_db()
    return order


def test_a_button_is_raised_by_a_person_with_a_reason_where_a_limit_has_closed_it(
    shop: Shop, closed: PaymentOrder
) -> None:
    for given in ({"by": "", "reason": "why"}, {"by": "anna", "reason": " "}):
        with refused("argument_invalid"):
            payments.wallet.raise_limits(closed, **given)
    raised = payments.wallet.raise_limits(closed, by="anna", reason=" called ")
    assert not raised.is_wallet_closed
    (entry,) = [one for one in payments.orders.order_timeline(closed, everything=True) if one.by == "anna"]
    assert "called" in entry.detail
    for order in (closed, shop.order()):
        with refused("changed_meanwhile"):
            payments.wallet.raise_limits(order, by="bert", reason="late")
    assert WalletUsage.objects.get().raised == 1


def test_an_erased_order_keeps_its_counts_and_its_decisions(shop: Shop, closed: PaymentOrder) -> None:
    WalletUsage.objects.update(codes_tried=["0123456789abcdef"], discount_codes=1)
    before = WalletUsage.objects.values("attempts", "results", "discount_codes").get()
    shop.clock.by += timedelta(days=1)
    payments.sweep()
    payments.maintenance.erase_customer(PaymentOrder.objects.get(), by="anna", reason="asked for")
    assert WalletUsage.objects.values("attempts", "results", "discount_codes").get() == before
    assert WalletUsage.objects.get().codes_tried == []
    assert PaymentOrder.objects.get().is_wallet_closed
    assert TransactionEvent.objects.filter(kind="LIMIT_REACHED").exists()
