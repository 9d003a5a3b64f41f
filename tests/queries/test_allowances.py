"""What is left of a person's day, as a page shows it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.models.rows import NOW, a_transaction
from wallet_gateway.domain.actors import Actor
from wallet_gateway.models import Allowance, AllowanceUse
from wallet_gateway.queries.allowances import left_of_day

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.mark.parametrize(("minor", "left"), [(0, 1000), (400, 600), (1000, 0), (5000, 0)])
def test_the_rest_is_said_in_one_statement(
    minor: int, left: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    allowance = Allowance.objects.create(gateway="default", account="7", currency="EUR")
    if minor:
        refund = a_transaction(kind="REFUND", amount_minor=minor, state="APPROVED", approved_minor=minor)
        AllowanceUse.objects.create(
            allowance=allowance, transaction=refund, amount_minor=minor, occurred_at=NOW - timedelta(hours=23)
        )
    anna = Actor(name="anna", account="7")
    with django_assert_num_queries(1):
        assert left_of_day(anna, gateway="default", currency="EUR", limit=1000, now=NOW) == left


def test_who_has_given_nothing_back_has_all_of_it() -> None:
    bert = Actor(name="bert", account="8")
    assert left_of_day(bert, gateway="default", currency="EUR", limit=1000, now=NOW) == 1000
