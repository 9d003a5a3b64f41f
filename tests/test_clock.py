"""The clock that is the database's, in tests and on machines whose own clocks jump."""

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
    """A database server with a time of its own, and both clocks of this machine."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 5, 17, tzinfo=UTC)
        self.readings, self.ticks, self.wall = 0, 100.0, 1.8e9

    def now(self) -> datetime:
        self.readings += 1
        return self.instant

    def go_on(self, seconds: float) -> None:
        self.ticks += seconds
        self.wall += seconds


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setattr(gateways, "connection", SimpleNamespace(vendor="postgresql"))
    monkeypatch.setattr(gateways, "_database_now", server.now)
    monkeypatch.setattr(time, "monotonic", lambda: server.ticks)
    monkeypatch.setattr(time, "time", lambda: server.wall)
    return server


def test_the_clock_goes_on_between_two_readings_of_a_server(server: Server) -> None:
    clock = gateways.DatabaseClock()
    assert clock.now() == server.instant
    server.go_on(12.5)
    assert clock.now() == server.instant + timedelta(seconds=12.5)
    assert server.readings == 1
    server.go_on(31)
    assert clock.now() == server.instant
    assert server.readings == 2


@pytest.mark.parametrize(
    ("ticks", "wall"),
    [
        pytest.param(1.8e9, 0, id="frozen, where the monotonic clock has the seconds since 1970"),
        pytest.param(-50, -50, id="both back"),
        pytest.param(0, 1200, id="the wall clock forward alone, as after a suspended machine"),
        pytest.param(10, -3600, id="the wall clock back alone"),
        pytest.param(20, 0, id="the monotonic clock alone"),
    ],
)
def test_the_servers_clock_is_read_again_where_a_clock_of_this_machine_has_jumped(
    server: Server, ticks: float, wall: float
) -> None:
    clock = gateways.DatabaseClock()
    clock.now()
    server.ticks += ticks
    server.wall += wall
    assert clock.now() == server.instant
    assert server.readings == 2


def test_a_reading_taken_while_time_was_frozen_is_not_used_afterwards(server: Server) -> None:
    clock, ticks = gateways.DatabaseClock(), server.ticks
    server.ticks = server.wall
    clock.now()
    server.ticks = ticks
    assert clock.now() == server.instant
    assert server.readings == 2


def test_a_server_that_was_forgotten_is_asked_again(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateways, "_clock", gateways.DatabaseClock())
    gateways.clock().now()
    gateways.forget_readings()
    gateways.clock().now()
    assert server.readings == 2


def test_the_time_of_a_database_in_this_process_is_always_this_processs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = gateways.DatabaseClock()
    monkeypatch.setattr(gateways, "connection", SimpleNamespace(vendor="sqlite"))
    clock.now()
    for year in (2031, 1999):
        monkeypatch.setattr(timezone, "now", lambda year=year: datetime(year, 1, 1, tzinfo=UTC))
        assert clock.now() == datetime(year, 1, 1, tzinfo=UTC)
