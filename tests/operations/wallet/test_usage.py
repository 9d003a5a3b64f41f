"""The counters of one order's button: all or nothing, exact at the edge, and there when their row is not."""

from __future__ import annotations

import pytest

from tests.models.rows import an_order
from wallet_gateway.domain.wallet_limits import WalletLimit, WalletLimits
from wallet_gateway.models import PaymentOrder, WalletUsage
from wallet_gateway.operations.wallet.usage import (
    LimitReached,
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
