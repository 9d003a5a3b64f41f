"""PaymentOrder: who may address it, when it is paid, when it may be paid."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.db import transaction as db_transaction
from django.utils import timezone

from tests.models.rows import an_order
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder
from wallet_gateway.models.orders import PAYABLE_STATES, new_token

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("amount", [0, -1])
def test_there_is_something_to_pay(amount: int) -> None:
    with pytest.raises(IntegrityError), db_transaction.atomic():
        an_order(amount_minor=amount)


def test_a_reference_is_used_once_byte_for_byte() -> None:
    an_order(reference="A-1")
    with pytest.raises(IntegrityError), db_transaction.atomic():
        an_order(reference="A-1")
    assert an_order(reference="a-1").reference == "a-1"


def test_a_token_is_128_random_bits_for_a_url() -> None:
    tokens = {new_token() for _ in range(200)}
    assert len(tokens) == 200
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", token) for token in tokens)
    order = an_order()
    with pytest.raises(IntegrityError), db_transaction.atomic():
        an_order(token=order.token)


@pytest.mark.parametrize("reference", ["a b", "ä", "", "a\n"])
def test_a_form_refuses_references_that_not_every_database_reads_alike(reference: str) -> None:
    order = PaymentOrder(reference=reference)
    with pytest.raises(ValidationError) as refusal:
        order.full_clean()
    assert "reference" in refusal.value.message_dict


@pytest.mark.parametrize("state", OrderState)
def test_an_order_is_paid_payable_or_neither_and_never_both(state: OrderState) -> None:
    order = an_order(state=state)
    assert order.is_paid is (state in {OrderState.PAID})
    assert order.is_payable is (state in PAYABLE_STATES)
    assert not (order.is_paid and order.is_payable)
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


def test_whatever_holds_money_or_may_do_so_is_not_payable() -> None:
    assert {OrderState.OPEN, OrderState.FAILED, OrderState.EXPIRED, OrderState.REVERSED} == PAYABLE_STATES
