"""Settings of a process of its own that queries what is due: the suite's, with the database of one test."""

from __future__ import annotations

import os

from requests import PreparedRequest

from tests.contrib.counting_gateway import WORKER_HEADER
from tests.settings import *  # noqa: F403
from tests.settings import DATABASES, WALLET_GATEWAY

DATABASES["default"]["NAME"] = os.environ["WORKER_DATABASE"]


def name_worker(request: PreparedRequest) -> PreparedRequest:
    """Say in each request which process it comes from."""
    request.headers[WORKER_HEADER] = str(os.getpid())
    return request


WALLET_GATEWAY["GATEWAYS"]["default"] |= {  # type: ignore[index]
    "BASE_URL": os.environ["WORKER_GATEWAY"],
    "QUERIES": {"RATE": 1000, "WORKERS": 4},
    "AUTH": "tests.money.polling.process_settings.name_worker",
}
