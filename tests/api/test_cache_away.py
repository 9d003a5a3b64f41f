"""The project's cache is away: customers pay as ever, and are still counted, by each process alone."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from pytest_django import Settings

from tests.api.browser import FAILED, Browser
from tests.api.failing_cache import PLACE, FailingCache
from tests.money.wallet.customers import Customer, WalletGateway, detail_for
from tests.support.shop import MovedClock, Shop
from tests.web.conftest import state_of
from wallet_gateway.models import PaymentOrder

pytestmark = pytest.mark.django_db
UseCache = Callable[..., None]
_tests = itertools.count(1)


@pytest.fixture(autouse=True)
def clock(shop: Shop) -> MovedClock:
    """A time that stands still, so much later in each test that no cache is left alone any more."""
    shop.clock.stop()
    shop.clock.sleep(600 * next(_tests))
    FailingCache.asked.clear()
    FailingCache.keys.clear()
    return shop.clock


@pytest.fixture
def use_cache(settings: Settings) -> UseCache:
    """Give the project another cache."""

    def use(backend: str, location: object = "") -> None:
        settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": str(location)}}

    return use


def results(browser: Browser, order: PaymentOrder, number: int) -> list[int]:
    """Post results that bring nothing."""
    return [browser.post("result", order, FAILED).status_code for _ in range(number)]


@pytest.mark.parametrize("backend", [f"{PLACE}.FailingCache", f"{PLACE}.ReadOnlyCache", "no.such.Cache"])
def test_customers_pay_while_the_cache_is_away_and_each_process_counts_alone(
    order: PaymentOrder, use_cache: UseCache, backend: str
) -> None:
    use_cache(backend)
    browser, other = Browser(), Browser()
    other.open(order)
    session = browser.open(order)
    reference: dict[str, Any] = {"reference": session["reference"]}
    answers = [browser.post("event", order, reference | {"event": "READY"})]
    answers.append(browser.post("price", order, reference))
    answers.append(browser.post("reference", order, {"after": session["reference"]}))
    assert results(other, order, 22) == [200] * 20 + [429] * 2
    detail = detail_for(answers[-1].json()["reference"])
    answers.append(browser.post("result", order, detail))
    assert [answer.status_code for answer in answers] == [204, 200, 200, 200]
    assert state_of(order) == "PAID"


def test_a_cache_that_is_away_lets_nobody_test_more_cards(
    order: PaymentOrder, customer: Customer, gateway: WalletGateway, use_cache: UseCache
) -> None:
    use_cache(f"{PLACE}.FailingCache")
    customer.limit(AUTHORIZATIONS=3)
    gateway.declines = True
    opened = []
    for _ in range(5):
        browser = Browser()
        opened.append(browser.post("session", order))
        if opened[-1].status_code == 200:
            browser.post("result", order, detail_for(opened[-1].json()["reference"]))
    assert [answer.status_code for answer in opened] == [200, 200, 200, 403, 403]
    assert len(gateway.sent) == 3


# A cache that fails slowly holds up every request that waits for it


def test_a_cache_that_has_failed_is_left_alone_for_a_minute_with_one_warning(
    order: PaymentOrder, use_cache: UseCache, clock: MovedClock, caplog: pytest.LogCaptureFixture
) -> None:
    use_cache(f"{PLACE}.FailingCache")
    caplog.set_level(logging.WARNING, logger="wallet_gateway")
    browser = Browser()
    browser.open(order)
    for asked in (["get"], ["get", "get"]):
        results(browser, order, 5)
        assert FailingCache.asked == asked
        assert len(caplog.messages) == len(asked)
        clock.sleep(60)
    assert caplog.messages[0] == (
        "the cache fails (tests.api.failing_cache.Away): "
        "this process counts the wallet button's requests alone for a minute"
    )
    # One that is back counts again.
    assert results(browser, order, 11)[-1] == 429
    use_cache(f"{LocMemCache.__module__}.LocMemCache", "back")
    cache.clear()
    assert results(browser, order, 1) == [429]
    clock.sleep(60)
    assert results(browser, order, 1) == [200]


def test_the_binding_of_a_browser_is_not_written_into_the_cache(
    order: PaymentOrder, browser: Browser, use_cache: UseCache
) -> None:
    use_cache(f"{PLACE}.FailingCache")
    browser.open(order)
    results(browser, order, 1)
    assert FailingCache.keys
    assert not [key for key in FailingCache.keys if browser.client.session["wallet_gateway"] in key]
