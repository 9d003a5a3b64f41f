"""The dashboard is a name in the admin, and has neither a table nor permissions of its own."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.db import connection

from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.dashboard import Dashboard

pytestmark = pytest.mark.every_database


def test_the_dashboard_shares_the_table_of_what_was_asked_of_the_gateway() -> None:
    assert Dashboard._meta.proxy
    assert Dashboard._meta.db_table == GatewayTransaction._meta.db_table


@pytest.mark.django_db
def test_the_dashboard_brings_no_permission_that_somebody_could_be_given_by_mistake() -> None:
    assert not Permission.objects.filter(content_type__model="dashboard").exists()
    assert "wallet_gateway_dashboard" not in connection.introspection.table_names()
