"""How orders were paid: the way of the payment that was approved, not of those that were tried."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.domain.ways_of_paying import Way
from wallet_gateway.models import PaymentOrder
from wallet_gateway.queries.ways_of_paying import ways_of_paying

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def opened(order: PaymentOrder, kind: TransactionKind, state: TransactionState, number: int = 1) -> int:
    a_transaction(a_payment(order, number=number), kind=kind, state=state)
    return order.pk


def test_the_way_is_that_of_the_approved_payments(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    page = opened(an_order(), TransactionKind.CHECKOUT, TransactionState.APPROVED)
    button = opened(an_order(), TransactionKind.AUTHORIZATION, TransactionState.APPROVED)
    refused = opened(an_order(), TransactionKind.CHECKOUT, TransactionState.REJECTED)
    twice = an_order()
    opened(twice, TransactionKind.CHECKOUT, TransactionState.APPROVED)
    opened(twice, TransactionKind.AUTHORIZATION, TransactionState.APPROVED, number=2)

    with django_assert_num_queries(1):
        found = ways_of_paying([page, button, refused, twice.pk])

    assert found == {
        page: {Way.HOSTED_PAGE},
        button: {Way.WALLET_BUTTON},
        twice.pk: {Way.HOSTED_PAGE, Way.WALLET_BUTTON},
    }
