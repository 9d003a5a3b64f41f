"""The counters of one order's button: all or nothing, exact at the edge, and there when their row is not."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.models.rows import an_order
from tests.statements import statements
from wallet_gateway.domain.wallet_limits import WalletLimit, WalletLimits
from wallet_gateway.models import PaymentOrder, WalletUsage
from wallet_gateway.models.wallet_usage import MOST_ORDER_EVENTS
from wallet_gateway.operations.wallet.usage import (
    LimitReached,
    count_attempt,
    count_event,
    count_price,
    count_result,
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
LIMITS = WalletLimits(sessions=2, attempts=3, prices=4, discount_codes=2, results=2)


@pytest.fixture
def order() -> PaymentOrder:
    return an_order()


def usage_of(order: PaymentOrder) -> WalletUsage:
    return WalletUsage.objects.get(order=order)


def price(order: PaymentOrder, *codes: str) -> None:
    count_price(order, WalletUsage.objects.filter(order=order).first(), codes, limits=LIMITS)


def test_the_last_one_allowed_is_counted_and_the_next_is_not(order: PaymentOrder) -> None:
    for _ in range(2):
        count_result(order, limits=LIMITS)
    with pytest.raises(LimitReached) as reached:
        count_result(order, limits=LIMITS)
    assert (reached.value.limit, usage_of(order).results) == (WalletLimit.RESULTS, 2)


def test_an_attempt_of_a_new_browser_is_counted_as_both_or_not_at_all(order: PaymentOrder) -> None:
    for _ in range(2):
        count_attempt(order, None, is_new_session=True, limits=LIMITS)
    with pytest.raises(LimitReached, match="SESSIONS"):
        count_attempt(order, usage_of(order), is_new_session=True, limits=LIMITS)
    assert (usage_of(order).sessions, usage_of(order).attempts) == (2, 2)
    count_attempt(order, usage_of(order), is_new_session=False, limits=LIMITS)
    with pytest.raises(LimitReached, match="ATTEMPTS"):
        count_attempt(order, usage_of(order), is_new_session=False, limits=LIMITS)


def test_a_code_that_was_tried_before_is_a_price_and_no_guess(order: PaymentOrder) -> None:
    price(order, "ONE")
    price(order, "ONE", "ONE")
    assert (usage_of(order).prices, usage_of(order).discount_codes) == (2, 1)


def test_several_codes_of_one_request_are_counted_all_or_none(order: PaymentOrder) -> None:
    price(order, "ONE")
    with pytest.raises(LimitReached, match="DISCOUNT_CODES"):
        price(order, "TWO", "THREE")
    assert (usage_of(order).prices, usage_of(order).discount_codes) == (1, 1)
    price(order, "TWO")
    assert usage_of(order).discount_codes == 2


def test_prices_are_numbered_as_they_were_counted(order: PaymentOrder) -> None:
    numbers = [count_price(order, None, codes, limits=LIMITS) for codes in ((), ("ONE",), ("ONE",))]
    assert numbers == [1, 2, 3]


def test_a_price_without_codes_has_a_limit_of_its_own(order: PaymentOrder) -> None:
    for _ in range(4):
        price(order)
    with pytest.raises(LimitReached, match="PRICES"):
        price(order)


def test_a_code_is_not_readable_in_the_row_nor_the_same_in_two_orders(order: PaymentOrder) -> None:
    other = an_order()
    price(order, "SUMMER")
    price(other, "SUMMER")
    mine, theirs = usage_of(order).codes_tried, usage_of(other).codes_tried
    assert "SUMMER" not in str(mine)
    assert mine != theirs


def test_a_price_counts_on_the_row_as_it_is_not_as_it_was_read(order: PaymentOrder) -> None:
    price(order)
    before = usage_of(order)
    price(order, "ONE")
    count_price(order, before, ["TWO"], limits=LIMITS)
    with pytest.raises(LimitReached):
        count_price(order, before, ["THREE"], limits=LIMITS)
    assert (usage_of(order).discount_codes, len(usage_of(order).codes_tried)) == (2, 2)


def test_limits_that_were_raised_once_allow_twice_as_much(order: PaymentOrder) -> None:
    WalletUsage.objects.create(order=order, raised=1, results=3)
    count_result(order, limits=LIMITS)
    with pytest.raises(LimitReached):
        count_result(order, limits=LIMITS)


def test_a_limit_that_was_lowered_below_what_is_used_allows_nothing(order: PaymentOrder) -> None:
    WalletUsage.objects.create(order=order, results=10)
    with pytest.raises(LimitReached):
        count_result(order, limits=LIMITS)
    assert usage_of(order).results == 10


def test_an_order_stores_two_hundred_reports_and_no_more(order: PaymentOrder) -> None:
    WalletUsage.objects.create(order=order, events=MOST_ORDER_EVENTS - 1)
    assert [count_event(order.pk), count_event(order.pk)] == [True, False]
    assert usage_of(order).events == MOST_ORDER_EVENTS


def test_a_count_is_one_statement_and_that_of_a_price_also_reads_its_number(order: PaymentOrder) -> None:
    WalletUsage.objects.create(order=order)
    usage = usage_of(order)
    with CaptureQueriesContext(connection) as captured:
        count_result(order, limits=LIMITS)
        count_price(order, usage, ["ONE"], limits=LIMITS)
        count_attempt(order, usage, is_new_session=True, limits=LIMITS)
    assert len(statements(captured)) == 4
