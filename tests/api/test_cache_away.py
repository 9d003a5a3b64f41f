"""The project's cache is away: customers pay as ever, and are still counted, by each process alone."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from pytest_django import Settings

from tests.api.browser import FAILED, Browser, approve
from tests.api.failing_cache import PLACE, FailingCache
from tests.operations.journal import times_sent
from tests.web.conftest import state_of
from wallet_gateway.api import throttles
from wallet_gateway.api.throttles import AWAY_SECONDS, SessionThrottle
from wallet_gateway.models import PaymentOrder
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
UseCache = Callable[..., None]


class Clock:
    """The monotonic clock, turned by the test."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(order: PaymentOrder, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A process that has just started, at a time that stands still."""
    clock, counts = Clock(), SessionThrottle.cache
    counts.clear()
    FailingCache.asked.clear()
    monkeypatch.setattr(throttles, "monotonic", clock)
    monkeypatch.setattr(counts, "_failed_at", float("-inf"))
    return clock


@pytest.fixture
def use_cache(settings: Settings) -> UseCache:
    """Give the project another cache."""

    def use(backend: str, location: object = "") -> None:
        settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": str(location)}}

    return use


@pytest.fixture
def cache_away(use_cache: UseCache) -> None:
    """No server answers."""
    use_cache(f"{PLACE}.FailingCache")


def results(browser: Browser, order: PaymentOrder, number: int) -> list[int]:
    """Post results that bring nothing."""
    return [browser.post("result", order, FAILED).status_code for _ in range(number)]


def pay(order: PaymentOrder, control: SandboxControl) -> list[int]:
    """Ask each address of the button once; the last one pays."""
    browser = Browser()
    session = browser.open(order)
    reference: dict[str, Any] = {"reference": session["reference"]}
    answers = [browser.post("event", order, reference | {"event": "READY"})]
    answers.append(browser.post("price", order, reference))
    answers.append(browser.post("reference", order, {"after": session["reference"]}))
    detail = approve(control, session, reference=answers[-1].json()["reference"])
    answers.append(browser.post("result", order, detail))
    return [answer.status_code for answer in answers]


@pytest.mark.parametrize("backend", [f"{PLACE}.FailingCache", f"{PLACE}.ReadOnlyCache", "no.such.Cache"])
def test_customers_pay_while_the_cache_is_away(
    order: PaymentOrder, wallet_sandbox: SandboxControl, use_cache: UseCache, backend: str
) -> None:
    use_cache(backend)
    assert (pay(order, wallet_sandbox), state_of(order)) == ([204, 200, 200, 200], "PAID")


@pytest.mark.parametrize("backend", ["FailingCache", "ReadOnlyCache"])
def test_each_process_counts_alone_while_the_cache_is_away(
    order: PaymentOrder, use_cache: UseCache, backend: str
) -> None:
    use_cache(f"{PLACE}.{backend}")
    browser = Browser()
    browser.open(order)
    assert results(browser, order, 22) == [200] * 20 + [429] * 2


def test_a_cache_that_is_away_lets_nobody_test_more_cards(
    order: PaymentOrder, wallet_sandbox: SandboxControl, cache_away: None, settings: Settings
) -> None:
    settings.WALLET_GATEWAY = copy.deepcopy(settings.WALLET_GATEWAY)
    settings.WALLET_GATEWAY["GATEWAYS"]["default"]["WALLET"]["LIMITS"] = {"AUTHORIZATIONS": 3}
    wallet_sandbox.fault("authorization", "errored", times=100)
    opened = []
    for _ in range(5):
        browser = Browser()
        opened.append(browser.post("session", order))
        if opened[-1].status_code == 200:
            browser.post("result", order, approve(wallet_sandbox, opened[-1].json()))
    assert [answer.status_code for answer in opened] == [200, 200, 200, 403, 403]
    assert times_sent(wallet_sandbox, "authorization") == 3


# A cache that fails slowly holds up every request that waits for it


def test_a_cache_that_has_failed_is_left_alone_for_a_minute_with_one_warning(
    order: PaymentOrder, cache_away: None, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, logger=throttles.__name__)
    browser = Browser()
    browser.open(order)
    for asked in (["get"], ["get", "get"]):
        results(browser, order, 5)
        assert FailingCache.asked == asked
        assert len(caplog.messages) == len(asked)
        clock.now += AWAY_SECONDS
    assert caplog.messages[0] == (
        "the cache fails (tests.api.failing_cache.Away): "
        "this process counts the wallet button's requests alone for 60 seconds"
    )


def test_a_cache_that_is_back_counts_again(order: PaymentOrder, use_cache: UseCache, clock: Clock) -> None:
    browser = Browser()
    browser.open(order)
    use_cache(f"{PLACE}.FailingCache")
    assert results(browser, order, 21)[-1] == 429
    use_cache(f"{LocMemCache.__module__}.LocMemCache", "back")
    cache.clear()
    assert results(browser, order, 1) == [429]
    clock.now += AWAY_SECONDS
    assert results(browser, order, 1) == [200]
