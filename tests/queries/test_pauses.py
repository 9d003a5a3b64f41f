"""Which gateways wait, as people read it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from wallet_gateway.models import GatewayPause
from wallet_gateway.queries.pauses import sending_pauses

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)


def test_only_what_waits_now_is_named_in_one_statement(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    GatewayPause.objects.create(gateway="a", sending_until=LATER, reason="stopped by anna: why: so")
    GatewayPause.objects.create(gateway="b", sending_until=LATER, reason="rate limit")
    GatewayPause.objects.create(gateway="c", sending_until=NOW, reason="stopped by bob: over")
    GatewayPause.objects.create(gateway="d", sending_until=None, reason="resumed by bob: checked")
    GatewayPause.objects.create(gateway="e", queries_until=LATER, reason="")
    with django_assert_num_queries(1):
        found = sending_pauses(NOW)
    assert [(p.gateway, p.until, p.author, p.reason) for p in found] == [
        ("a", None, "anna", "why: so"),
        ("b", LATER, "", "rate limit"),
    ]
