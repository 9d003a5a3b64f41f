"""One client for each alias and process; a clock that is the database's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Thread

import pytest
from pytest_django import Settings

from wallet_gateway import wiring
from wallet_gateway.client.calls import EndedCall
from wallet_gateway.client.gateway import Gateway
from wallet_gateway.protocol.status import StatusAnswer
from wallet_gateway.signals import gateway_called
from wallet_gateway.testing.control import SandboxControl


def test_threads_share_one_client(wallet_sandbox: SandboxControl) -> None:
    made: list[Gateway] = []
    threads = [Thread(target=lambda: made.append(wiring.gateway("default"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 8
    assert len({id(gateway) for gateway in made}) == 1


def test_changed_settings_make_a_new_client(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    before = wiring.gateway("default")
    settings.WALLET_GATEWAY = {**settings.WALLET_GATEWAY}

    assert wiring.gateway("default") is not before


def test_each_call_is_told_to_whoever_listens_and_a_listener_that_fails_is_only_logged(
    wallet_sandbox: SandboxControl, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[tuple[str, EndedCall]] = []

    def fails(**_: object) -> None:
        raise ZeroDivisionError

    def listens(gateway: str, call: EndedCall, **_: object) -> None:
        told.append((gateway, call))

    for receiver in (fails, listens):
        gateway_called.connect(receiver)
    try:
        assert wiring.gateway("default").status("UNKNOWN-REFERENCE").message == StatusAnswer()
    finally:
        for receiver in (fails, listens):
            gateway_called.disconnect(receiver)

    assert [(gateway, call.operation) for gateway, call in told] == [("default", "status")]
    assert "ZeroDivisionError" in caplog.text


def test_an_answer_outlives_a_listener_that_fails_and_has_no_name(wallet_sandbox: SandboxControl) -> None:
    def fails(_word: str, **_: object) -> None:
        raise ZeroDivisionError

    receiver = partial(fails, "word")
    gateway_called.connect(receiver)
    try:
        assert wiring.gateway("default").status("UNKNOWN-REFERENCE").message == StatusAnswer()
    finally:
        gateway_called.disconnect(receiver)


def sign(request: object) -> object:
    request.headers["X-Signed"] = "yes"  # type: ignore[attr-defined]
    return request


def test_a_named_callable_signs_requests(wallet_sandbox: SandboxControl, settings: Settings) -> None:
    gateways = settings.WALLET_GATEWAY["GATEWAYS"]
    settings.WALLET_GATEWAY = {
        **settings.WALLET_GATEWAY,
        "GATEWAYS": {"default": {**gateways["default"], "AUTH": "tests.test_wiring.sign"}},
    }

    assert wiring.gateway("default").status("UNKNOWN-REFERENCE").message == StatusAnswer()


@pytest.mark.django_db
def test_the_clock_is_aware_and_near_this_machines() -> None:
    assert abs(wiring.clock().now() - datetime.now(UTC)) < timedelta(seconds=5)


@pytest.mark.django_db
def test_the_clock_goes_on_between_two_readings_of_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    base, ticks = datetime(2026, 5, 17, tzinfo=UTC), [100.0]
    readings: list[datetime] = []

    def database_now() -> datetime:
        readings.append(base)
        return base

    monkeypatch.setattr(wiring, "_database_now", database_now)
    monkeypatch.setattr("wallet_gateway.wiring.time.monotonic", lambda: ticks[0])
    clock = wiring.DatabaseClock()

    assert clock.now() == base
    ticks[0] += 12.5
    assert clock.now() == base + timedelta(seconds=12.5)
    assert len(readings) == 1
    ticks[0] += 31
    assert clock.now() == base
    assert len(readings) == 2
