"""Settings for the type checker only, which must know the tables and settings of all apps.

No test runs with them: a shop does not install the sandbox, so the tests' shop does not either.
"""

from __future__ import annotations

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as SHOP_APPS
from wallet_gateway.sandbox.settings import (
    WALLET_SANDBOX_CONTROL_KEY,
    WALLET_SANDBOX_MERCHANT_NAME,
    WALLET_SANDBOX_MERCHANTS_FILE,
    WALLET_SANDBOX_PUBLIC_URL,
)

INSTALLED_APPS = [*SHOP_APPS, "wallet_gateway.sandbox", "bench.shop.apps.BenchShopConfig"]

__all__ = [
    "WALLET_SANDBOX_CONTROL_KEY",
    "WALLET_SANDBOX_MERCHANTS_FILE",
    "WALLET_SANDBOX_MERCHANT_NAME",
    "WALLET_SANDBOX_PUBLIC_URL",
]
