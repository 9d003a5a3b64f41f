"""Which gateways wait, as people read it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.explanations import commented
from wallet_gateway.models import GatewayPause, PauseCode
from wallet_gateway.queries.pauses import sending_pauses

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)


def test_only_what_waits_now_is_named_in_one_statement(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    asked = {"pause_code": PauseCode.RETRY_AFTER, **commented("rate limit")}
    stopped = {"stopped_at": NOW, "stopped_by": "anna: the second", "stop_reason": "why: so"}
    GatewayPause.objects.create(gateway="a", sending_until=LATER, **asked, **stopped)
    GatewayPause.objects.create(gateway="b", sending_until=LATER, **asked)
    GatewayPause.objects.create(gateway="c", sending_until=NOW, **asked)
    GatewayPause.objects.create(gateway="d", **stopped | {"stopped_at": None, "resumed_by": "bob"})
    GatewayPause.objects.create(gateway="e", queries_until=LATER)
    with django_assert_num_queries(1):
        found = sending_pauses(NOW)
    assert [(p.gateway, p.until, p.by, p.reason) for p in found] == [
        ("a", None, "anna: the second", "why: so"),
        ("b", LATER, "", "the gateway asks for time: rate limit"),
    ]
