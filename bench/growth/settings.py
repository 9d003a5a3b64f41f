"""The measured shop with the admin, its gateway a sandbox that is asked as often as it answers."""

from __future__ import annotations

import os

from bench.shop.admin_settings import *  # noqa: F403
from bench.shop.admin_settings import WALLET_GATEWAY

_GATEWAYS: dict[str, dict[str, object]] = WALLET_GATEWAY["GATEWAYS"]  # type: ignore[assignment]
_GATEWAYS["default"] |= {
    "BASE_URL": os.environ.get("GROWTH_GATEWAY", "http://127.0.0.1:9"),
    "QUERY_RATE": 1e6,
}
