"""The day that it is for the operator."""

from __future__ import annotations

from datetime import UTC, date, datetime
from types import SimpleNamespace

import pytest
from django.utils import timezone

from wallet_gateway import gateways
from wallet_gateway.admin.current_day import today


def test_it_is_the_day_of_the_gateways_clock_in_the_operators_time_zone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = datetime(2026, 1, 14, 11, 30, tzinfo=UTC)
    monkeypatch.setattr(gateways, "clock", lambda: SimpleNamespace(now=lambda: now))

    with timezone.override("UTC"):
        assert today() == date(2026, 1, 14)
    with timezone.override("Pacific/Auckland"):
        assert today() == date(2026, 1, 15)
