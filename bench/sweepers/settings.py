"""The measured shop as a Celery worker has it: rate and threads are those of the measurement."""

from __future__ import annotations

import os
from typing import Any

from bench.shop.settings import *  # noqa: F403
from bench.shop.settings import WALLET_GATEWAY

_GATEWAYS: dict[str, Any] = WALLET_GATEWAY["GATEWAYS"]  # type: ignore[assignment]
_GATEWAYS["default"] |= {
    "BASE_URL": os.environ.get("SWEEPERS_GATEWAY", "http://127.0.0.1:9"),
    "QUERY_RATE": float(os.environ.get("SWEEPERS_RATE", "5")),
    "QUERY_WORKERS": int(os.environ.get("SWEEPERS_THREADS", "1")),
}
# The stub of the questions opens no pages; customers pay at another one.
_GATEWAYS["pages"] = _GATEWAYS["default"] | {
    "BASE_URL": os.environ.get("SWEEPERS_PAGES", "http://127.0.0.1:9")
}
CELERY_IMPORTS = ["wallet_gateway.contrib.celery"]
