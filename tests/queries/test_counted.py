"""Which transactions a figure counts: those whose amounts the dashboard has added up, and no other."""

from __future__ import annotations

import pytest

from tests.models.rows import a_deposit
from tests.queries.test_statistics import MAY, K, S, attempt, follow_up, the_day
from wallet_gateway.domain.lifecycle import PaymentType, TransactionKind
from wallet_gateway.domain.ways_of_paying import Way
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.queries.counted import BY_WAY, Counted, day_column, money_figure_of, transactions_of
from wallet_gateway.queries.statistics import figures

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


@pytest.fixture
def one_of_each() -> None:
    """Rows of every kind that a figure adds up, each with an amount of its own, and those that none does."""
    attempt(minor=1)
    attempt(minor=20, kind=K.AUTHORIZATION)
    attempt(minor=300, type_="preauthorization")
    attempt(minor=4000, kind=K.AUTHORIZATION, type_="preauthorization")
    follow_up(K.CAPTURE, 50_000)
    follow_up(K.REFUND, 600_000, amount_minor=700_000, excess_minor=1)
    follow_up(K.DETACHED_REFUND, 7_000_000, payment=None, deposit=a_deposit())
    follow_up(K.REVERSAL, 80_000_000)
    for state in (S.UNKNOWN, S.REJECTED):
        attempt(state, minor=900_000_000)
        follow_up(K.CAPTURE, 900_000_000, state=state, approved_minor=None)


def counted(figure: Counted) -> list[GatewayTransaction]:
    return list(GatewayTransaction.objects.filter(transactions_of(figure)))


@pytest.mark.usefixtures("one_of_each")
def test_the_amounts_of_its_transactions_come_to_the_figure() -> None:
    day = the_day(figures(MAY))
    columns = {
        Counted.TAKEN: day.taken_minor,
        Counted.RESERVED: day.authorized_minor,
        Counted.REFUNDED: day.refunded_minor,
        Counted.DETACHED_REFUNDS: day.detached_minor,
    }
    assert list(columns.values()) == [50_021, 4300, 599_999, 7_000_000]
    for figure, minor in columns.items():
        assert sum((row.approved_minor or 0) - row.excess_minor for row in counted(figure)) == minor


@pytest.mark.usefixtures("one_of_each")
def test_a_way_of_paying_has_as_many_transactions_as_its_figure_says() -> None:
    day = the_day(figures(MAY))
    assert {way: day.ways[way].approved for way in Way} == {way: len(counted(BY_WAY[way])) for way in Way}
    assert {way: len(counted(BY_WAY[way])) for way in Way} == dict.fromkeys(Way, 2)


@pytest.mark.usefixtures("one_of_each")
def test_each_transaction_is_in_the_list_of_the_figure_that_its_amount_is_added_to() -> None:
    money = [figure for figure in Counted if figure not in BY_WAY.values()]
    for row in GatewayTransaction.objects.filter(state=S.APPROVED):
        own = money_figure_of(TransactionKind(row.kind), row.payment_type)
        assert [figure for figure in money if row in counted(figure)] == ([own] if own else [])


def test_money_counts_on_the_day_of_its_approval_and_attempts_on_the_day_they_began() -> None:
    assert {figure: day_column(figure) for figure in Counted} == {
        Counted.TAKEN: "state_changed_at",
        Counted.RESERVED: "state_changed_at",
        Counted.REFUNDED: "state_changed_at",
        Counted.DETACHED_REFUNDS: "state_changed_at",
        Counted.HOSTED_PAGE: "created_at",
        Counted.WALLET_BUTTON: "created_at",
    }
    assert money_figure_of(K.REVERSAL, PaymentType.SALE) is None
