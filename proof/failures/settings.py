"""Settings of the shop: those of the tests, with a gateway and a database that are made for one run."""

from __future__ import annotations

import os

from tests.settings import *  # noqa: F403
from tests.settings import DATABASES, WALLET_GATEWAY

SECOND_PERSON_ABOVE = "15.00"
"""EUR. Orders are of 25.00, most operations of 5.00."""

GATEWAY = WALLET_GATEWAY["GATEWAYS"]["default"]  # type: ignore[index]
GATEWAY |= {
    "BASE_URL": os.environ.get("PROOF_GATEWAY_URL", "http://127.0.0.1:9"),
    "APPROVALS": {"LIMITS": {"EUR": SECOND_PERSON_ABOVE}},
    # The clock is the run's and the gateway this machine's: no question waits for another.
    "QUERIES": {"RATE": 1_000_000},
}
# A server that is ended in the midst must not forget what it has committed.
COMMIT = os.environ.get("PROOF_SYNCHRONOUS_COMMIT", "off")
ISOLATION = os.environ.get("PROOF_ISOLATION", "")
"""A level's name, such as `repeatable read`; empty for Django's own."""
DATABASE = DATABASES["default"]
DATABASE["CONN_MAX_AGE"] = None
if DATABASE["ENGINE"].endswith("postgresql"):
    DATABASE["OPTIONS"] = {"options": f"-c synchronous_commit={COMMIT}"}
    if ISOLATION:
        from psycopg import IsolationLevel

        DATABASE["OPTIONS"]["isolation_level"] = IsolationLevel[ISOLATION.upper().replace(" ", "_")]
elif DATABASE["ENGINE"].endswith("mysql") and ISOLATION:
    DATABASE["OPTIONS"] = {"isolation_level": ISOLATION}
# What goes wrong is provoked, and what comes of it is compared; nobody reads of it in a log.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"nobody": {"class": "logging.NullHandler"}},
    "loggers": {
        name: {"handlers": ["nobody"], "propagate": False} for name in ("wallet_gateway", "django.request")
    },
}
