"""The tests of what reaches a collector of errors: orders, a customer, and collectors that listen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sentry_sdk
from django.core.cache import cache

from tests.collectors.canaries import Payer
from tests.collectors.listening import SentryEvents
from tests.web.conftest import make_order, nobody_sleeps, open_attempt
from wallet_gateway.operations.settlement import db_transactions
from wallet_gateway.testing.control import SandboxControl

__all__ = ["make_order", "nobody_sleeps", "open_attempt"]


@pytest.fixture(autouse=True)
def _in_a_hurry(nobody_sleeps: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait neither for an ailing gateway nor for a database that is gone."""
    monkeypatch.setattr(db_transactions, "PATIENT_WAITS", ())
    cache.clear()


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
