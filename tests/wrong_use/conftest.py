"""A shop in this process, for calls that must be refused before anything is sent."""

from __future__ import annotations

from tests.money.conftest import gateway, shop

__all__ = ["gateway", "shop"]
