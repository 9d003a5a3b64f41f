"""What every test may use: the fixtures this package ships to shops, quick databases, one browser.

Properties are tested without a stopwatch: the first draw loads tables, and machines are busy.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator

import pytest
from django.utils import translation
from hypothesis import HealthCheck, settings

pytest_plugins = [
    "wallet_gateway.testing.plugin",
    "tests.support.shop_fixtures",
    "tests.support.databases",
    "tests.support.leftovers",
    "tests.support.offline",
    "tests.support.chromium",
    "tests.support.workers",
]

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long tests first, so that no worker is left alone with them at the end."""
    items.sort(key=lambda item: not any(map(item.get_closest_marker, ("slow", "browser"))))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while thousands of tests are made, which live to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Keep them out of every later search for garbage, too."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _own_language() -> Iterator[None]:
    """Let no test speak on in the language of the one before it."""
    yield
    translation.deactivate()
