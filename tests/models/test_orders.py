"""PaymentOrder: who may address it, when it is paid, when it may be paid."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.models.rows import an_order
from tests.support.tables import every
from wallet_gateway.domain.states import PAYABLE_STATES, OrderState
from wallet_gateway.models.orders import new_token

pytestmark = pytest.mark.django_db


def test_a_token_is_128_random_bits_for_a_url() -> None:
    tokens = {new_token() for _ in range(200)}
    assert len(tokens) == 200
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", token) for token in tokens)


@every("state", OrderState)
def test_an_order_is_paid_payable_or_neither_and_never_both(state: OrderState) -> None:
    payable = {OrderState.OPEN, OrderState.FAILED, OrderState.EXPIRED, OrderState.REVERSED}
    assert payable == PAYABLE_STATES, "nothing that holds money or may do so"
    order = an_order(state=state)
    assert order.is_paid is (state is OrderState.PAID)
    assert order.is_payable is (state in payable)
    assert order.is_final is (state not in {OrderState.OPEN, OrderState.PENDING, OrderState.CANCELLED})


def test_a_cancelled_order_is_final_once_it_is_released() -> None:
    order = an_order(state=OrderState.CANCELLED, cancelled_at=timezone.now())
    assert (order.is_cancelled, order.is_released, order.is_final) == (True, False, False)
    order.released_at = timezone.now()
    assert (order.is_released, order.is_final) == (True, True)


def test_an_order_is_payable_until_its_end_and_not_at_it() -> None:
    end = timezone.now()
    order = an_order(payable_until=end)
    assert order.is_payable_at(end - timedelta(microseconds=1))
    assert not order.is_payable_at(end)
    assert not order.is_payable
