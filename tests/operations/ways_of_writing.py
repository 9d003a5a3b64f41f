"""The ways of writing a checkout, by turns: one statement, also prepared, or two, and several."""

from __future__ import annotations

import pytest
from django.db import connection

from wallet_gateway.models import checkout_writes, prepared_statements

SEVERAL = "several statements"
ONE = "one statement"
PREPARED = "one prepared statement"
TWO = "two statements"
WAYS = {"postgresql": [ONE, PREPARED, SEVERAL], "sqlite": [TWO, SEVERAL]}.get(connection.vendor, [SEVERAL])

in_each_way = pytest.mark.usefixtures("way_of_writing")
"""For tests whose claim holds in each way that the database has; on MariaDB there is one."""


@pytest.fixture(params=WAYS)
def way_of_writing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write in this way for one test."""
    way: str = request.param
    monkeypatch.setattr(checkout_writes.switch, "is_on", way != SEVERAL)
    # Connections of tests are closed like those of a shop without `CONN_MAX_AGE`.
    monkeypatch.setattr(prepared_statements.switch, "on_every_connection", way == PREPARED)
    monkeypatch.setattr(prepared_statements.switch, "executed_before", 0)
    return way
