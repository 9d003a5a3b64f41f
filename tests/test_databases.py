"""A live server and the test that speaks to it do not share a database connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connections

if TYPE_CHECKING:
    from pytest_django.live_server_helper import LiveServer


@pytest.mark.django_db(transaction=True)
def test_a_live_server_has_connections_of_its_own_even_where_it_starts_first(live_server: LiveServer) -> None:
    names = [connection.settings_dict["NAME"] for connection in connections.all()]
    assert not any(":memory:" in str(name) for name in names)
    assert not live_server.thread.connections_override
