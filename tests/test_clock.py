"""The clock that is the database's, in tests and on machines whose own clocks are set."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from wallet_gateway import gateways


@pytest.mark.django_db
def test_the_clock_is_aware_and_near_this_machines() -> None:
    assert abs(gateways.clock().now() - datetime.now(UTC)) < timedelta(seconds=5)


class Server:
    """A database server with a time of its own, and the clock of this machine that is never set."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 5, 17, tzinfo=UTC)
        self.readings, self.ticks = 0, 100.0

    def now(self) -> datetime:
        self.readings += 1
        return self.instant


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setattr(gateways, "connection", SimpleNamespace(vendor="postgresql"))
    monkeypatch.setattr(gateways, "_database_now", server.now)
    monkeypatch.setattr(gateways, "steady_seconds", lambda: server.ticks)
    return server


def test_the_clock_goes_on_between_two_readings_of_a_server(server: Server) -> None:
    clock = gateways.DatabaseClock()
    assert clock.now() == server.instant
    server.ticks += 12.5
    assert clock.now() == server.instant + timedelta(seconds=12.5)
    assert server.readings == 1
    server.ticks += 31
    assert clock.now() == server.instant
    assert server.readings == 2


def test_a_clock_that_is_set_and_a_test_that_stops_time_do_not_move_it(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = gateways.DatabaseClock()
    clock.now()
    for name in ("time", "monotonic"):
        monkeypatch.setattr(time, name, lambda: 0.0)
    server.ticks += 1
    assert clock.now() == server.instant + timedelta(seconds=1)
    assert server.readings == 1


def test_the_time_of_a_database_in_this_process_is_always_this_processs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = gateways.DatabaseClock()
    monkeypatch.setattr(gateways, "connection", SimpleNamespace(vendor="sqlite"))
    clock.now()
    for year in (2031, 1999):
        monkeypatch.setattr(timezone, "now", lambda year=year: datetime(year, 1, 1, tzinfo=UTC))
        assert clock.now() == datetime(year, 1, 1, tzinfo=UTC)
