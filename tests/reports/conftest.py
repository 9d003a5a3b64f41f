"""What is asked of the database through `payments`, commands and the admin, while the clock stands still."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from pytest_django import Settings

from tests.models.rows import NOW
from wallet_gateway import gateways
from wallet_gateway.context import DatabaseClock


class StillClock(DatabaseClock):
    """A clock that stands still."""

    at = NOW

    def now(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Iterator[StillClock]:
    """Let it be `NOW`, when the rows of `tests.models.rows` are made."""
    before, still = gateways.clock(), StillClock()
    gateways.use_clock(still)
    yield still
    gateways.use_clock(before)


@pytest.fixture(autouse=True)
def _addresses(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.admin.urls"
