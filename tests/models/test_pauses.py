"""GatewayPause: conditions for the WHERE of an UPDATE, so that looking costs no statement."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db.models import Exists

from tests.models.rows import NOW, a_payment
from wallet_gateway.models import GatewayPause, Payment

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

CONDITIONS = [
    ("sending_until", GatewayPause.sending_is_paused),
    ("queries_until", GatewayPause.queries_are_paused),
]


@pytest.mark.parametrize(("column", "is_paused"), CONDITIONS, ids=[row[0] for row in CONDITIONS])
def test_a_pause_holds_until_its_end_for_its_own_gateway_and_purpose(
    column: str, is_paused: Callable[[str, datetime], Exists]
) -> None:
    a_payment()

    def may(gateway: str, now: datetime) -> bool:
        return Payment.objects.filter(~is_paused(gateway, now)).update(is_frozen=False) == 1

    assert may("default", NOW)
    pause = GatewayPause.objects.create(gateway="default")
    assert may("default", NOW)
    setattr(pause, column, NOW + timedelta(minutes=1))
    pause.save()
    assert not may("default", NOW)
    assert may("second", NOW)
    assert may("default", NOW + timedelta(minutes=1))
    assert str(pause) == "default"
    other = dict(CONDITIONS)["queries_until" if column == "sending_until" else "sending_until"]
    assert Payment.objects.filter(~other("default", NOW)).exists()
