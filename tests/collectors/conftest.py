"""The tests of what reaches a collector of errors: orders, a customer, and collectors that listen."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import sentry_sdk
from django.core.cache import cache

from tests.collectors.canaries import Payer
from tests.collectors.listening import SentryEvents
from tests.support.shop import MovedClock
from tests.web.conftest import make_order
from wallet_gateway import gateways
from wallet_gateway.testing.control import SandboxControl

__all__ = ["make_order"]


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Wait neither for an ailing gateway nor for a database that is gone."""
    before = gateways.clock()
    gateways.use_clock(MovedClock())
    monkeypatch.setattr(time, "sleep", lambda _: None)
    cache.clear()
    yield
    gateways.use_clock(before)


@pytest.fixture
def payer(wallet_sandbox: SandboxControl) -> Payer:
    """A customer whose data are looked for."""
    return Payer(wallet_sandbox)


@pytest.fixture
def sentry() -> Iterator[SentryEvents]:
    """Sentry as a shop has it that sets nothing but where to send."""
    yield from SentryEvents.listening()


@pytest.fixture(autouse=True)
def _no_other_collector() -> Iterator[None]:
    yield
    assert not sentry_sdk.get_client().is_active()
