"""A figure of the dashboard leads to the transactions that it counts: same days, currency and gateways."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from pytest_django import Settings

from tests.admin.test_profile_mark import add_live_gateway
from tests.models.rows import a_payment, a_transaction, an_order
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

LIST = "/admin/wallet_gateway/gatewaytransaction/"
MIDNIGHT = datetime(2026, 5, 18, tzinfo=UTC)
BEFORE, AFTER = {"from": "2026-05-17", "to": "2026-05-17"}, {"from": "2026-05-18", "to": "2026-05-18"}


def a_sale(name: str, *, currency: str = "EUR", gateway: str = "default") -> None:
    """Begun a minute before midnight, and approved a minute after."""
    payment = a_payment(an_order(currency=currency, gateway=gateway))
    a_transaction(
        payment,
        reference=name,
        gateway=gateway,
        kind=TransactionKind.CHECKOUT,
        state=TransactionState.APPROVED,
        currency=currency,
        approved_minor=500,
        created_at=MIDNIGHT - timedelta(minutes=1),
        state_changed_at=MIDNIGHT + timedelta(minutes=1),
    )


def found(client: Client, query: dict[str, str]) -> list[str]:
    answer = client.get(LIST, query)
    assert answer.status_code == 200
    return sorted(row.reference for row in answer.context["cl"].result_list)


def test_money_is_listed_by_the_day_of_its_approval_and_everything_else_by_that_of_its_creation(
    superuser: Client,
) -> None:
    a_sale("S-1")
    for query in ({"counted": "TAKEN"}, {"counted": "TAKEN", "currency": "EUR"}):
        assert found(superuser, query | BEFORE) == []
        assert found(superuser, query | AFTER) == ["S-1"]
    for query in ({}, {"counted": "HOSTED_PAGE"}, {"counted": "x"}):
        assert found(superuser, query | BEFORE) == ["S-1"]
        assert found(superuser, query | AFTER) == []


def test_tests_are_not_among_real_money(superuser: Client, settings: Settings) -> None:
    a_sale("S-TEST")
    assert found(superuser, {"counted": "TAKEN"}) == ["S-TEST"]
    add_live_gateway(settings)
    a_sale("S-LIVE", gateway="live")
    assert found(superuser, {"counted": "TAKEN"}) == ["S-LIVE"]
    assert found(superuser, {}) == ["S-LIVE", "S-TEST"]
