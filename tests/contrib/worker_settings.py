"""Settings of a Celery worker in a process of its own: the suite's, with a gateway told by its address."""

from __future__ import annotations

import os

from requests import PreparedRequest

from tests.contrib.counting_gateway import WORKER_HEADER
from tests.settings import *  # noqa: F403
from tests.settings import DATABASES, WALLET_GATEWAY
from wallet_gateway.contrib.celery import BEAT_SCHEDULE

DATABASES["default"]["NAME"] = os.environ["WORKER_DATABASE"]
CELERY_IMPORTS = ["wallet_gateway.contrib.celery"]
CELERY_BEAT_SCHEDULE = {**BEAT_SCHEDULE}


def name_worker(request: PreparedRequest) -> PreparedRequest:
    """Say in each request which process it comes from."""
    request.headers[WORKER_HEADER] = str(os.getpid())
    return request


WALLET_GATEWAY["GATEWAYS"]["default"] |= {  # type: ignore[index]
    "BASE_URL": os.environ["WORKER_GATEWAY"],
    # A batch is what a worker may ask in a second: ten rows, so that four workers share them.
    "QUERY_RATE": 10,
    "AUTH": "tests.contrib.worker_settings.name_worker",
}
