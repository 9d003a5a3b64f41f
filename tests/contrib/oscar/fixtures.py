"""The oscar shop of the flows: a plugin of them, whose process has its settings."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from oscar.core.loading import get_model
from oscar.test.factories import CountryFactory
from pytest_django import Settings

from tests.contrib.oscar.shop import OscarShop
from wallet_gateway.testing.control import SandboxControl


@pytest.fixture
def shop(
    wallet_sandbox: SandboxControl,
    pass_time: Callable[..., None],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> OscarShop:
    """A shop with a site, and a country that is shipped to; the sandbox stands for the gateway."""
    site = {"domain": "shop.example", "name": "shop"}
    get_model("sites", "Site").objects.get_or_create(pk=1, defaults=site)
    CountryFactory(iso_3166_1_a2="DE", iso_3166_1_a3="DEU", is_shipping_country=True)
    return OscarShop(wallet_sandbox, pass_time, settings, monkeypatch)
