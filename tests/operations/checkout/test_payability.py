"""Who may begin to pay, and how long a page that is opened now may live."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.refusals import refuses
from tests.tables import every
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.checkout.payability import check_payable, page_seconds
from wallet_gateway.operations.errors import OrderNotPayable

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def an_order(state: OrderState = OrderState.OPEN, left: float | None = None) -> PaymentOrder:
    until = None if left is None else NOW + timedelta(seconds=left)
    return PaymentOrder(reference="SHOP-1", state=state, payable_until=until)


@every(
    ("left", "seconds"),
    [(None, 900), (901, 900), (899.9, 899), (60, 60), (59.9, None), (0, None), (-5, None)],
)
def test_a_page_lives_no_longer_than_the_order_and_a_minute_at_least(
    left: float | None, seconds: int | None
) -> None:
    assert page_seconds(an_order(left=left), longest=900, now=NOW) == seconds


def test_each_reason_has_its_own_code() -> None:
    check_payable(an_order(left=1), NOW)
    with refuses(OrderNotPayable, ErrorCode.ORDER_NOT_PAYABLE, order="SHOP-1", state=OrderState.PAID):
        check_payable(an_order(OrderState.PAID), NOW)
    with pytest.raises(OrderNotPayable) as refused:
        check_payable(an_order(left=0), NOW)
    assert refused.value.code == ErrorCode.ORDER_ENDED
    assert "2030-01-01T00:00:00+00:00" in refused.value.message
    cancelled = an_order(OrderState.PENDING)
    cancelled.cancelled_at = NOW
    with refuses(OrderNotPayable, ErrorCode.ORDER_ENDED, says="is cancelled", order="SHOP-1"):
        check_payable(cancelled, NOW)
