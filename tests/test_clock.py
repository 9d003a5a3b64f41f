"""The clock that is the database's, in tests and on machines whose own clocks are set."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from wallet_gateway.context import DatabaseClock

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def test_the_time_is_aware_read_once_in_half_a_minute_and_goes_on_between_two_readings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """SQLite runs in this process, and is never asked."""
    clock, real, ahead = DatabaseClock(), time.clock_gettime, 0.0
    # A clock that is set, which nobody may read, and the steady one, which only a test moves on.
    monkeypatch.setattr(time, "time", lambda: 0.0)
    monkeypatch.setattr(time, "clock_gettime", lambda which: real(which) + ahead)
    asked_of_server = 0 if connection.vendor == "sqlite" else 1
    for ahead, shown, readings in ((0.0, 0, 1), (20.0, 20, 0), (31.0, 0, 1), (31.0, 0, 0)):
        with CaptureQueriesContext(connection) as asked:
            now = clock.now()
        assert len(asked) == readings * asked_of_server
        expected = datetime.now(UTC) + timedelta(seconds=shown * asked_of_server)
        assert abs(now - expected) < timedelta(seconds=5), ahead
