"""The filter by day: whole days of the operator's own time zone, and no address that it cannot take."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.utils import timezone

from tests.models.rows import an_order

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]

LIST = "/admin/wallet_gateway/paymentorder/"


def found(client: Client, **query: str) -> list[str]:
    rows = client.get(LIST, query).context["cl"].result_list
    return [row.reference for row in rows]


@pytest.fixture
def three_orders() -> None:
    """On each side of midnight in Auckland, where it is 11:00 UTC in January, and late the same day."""
    for name, hour in (("before", 10), ("after", 11), ("late", 23)):
        an_order(reference=name, created_at=datetime(2026, 1, 14, hour, 30, tzinfo=UTC))


@pytest.mark.usefixtures("three_orders")
def test_a_day_begins_and_ends_at_the_operators_midnight(superuser: Client) -> None:
    with timezone.override("Pacific/Auckland"):
        assert found(superuser, **{"from": "2026-01-14", "to": "2026-01-14"}) == ["before"]
        assert found(superuser, **{"from": "2026-01-15"}) == ["late", "after"]
        assert found(superuser, to="2026-01-15") == ["late", "after", "before"]
    with timezone.override("UTC"):
        assert found(superuser, **{"from": "2026-01-14", "to": "2026-01-14"}) == ["late", "after", "before"]
        assert found(superuser, **{"from": "2026-01-15"}) == []


@pytest.mark.usefixtures("three_orders")
def test_a_list_of_days_is_read_in_the_order_of_its_index(superuser: Client) -> None:
    an_order(reference="moved", created_at=datetime(2026, 1, 14, 1, tzinfo=UTC))
    with timezone.override("UTC"):
        assert found(superuser) == ["moved", "late", "after", "before"]
        query = {"from": "2026-01-14"}
        assert found(superuser, **query) == ["late", "after", "before", "moved"]
        rows = superuser.get(LIST, query).context["cl"].queryset
    assert tuple(rows.query.order_by) == ("-created_at", "-id")


@pytest.mark.usefixtures("three_orders")
@pytest.mark.parametrize("day", ["", "soon", "2026-02-30", "0001-01-01", "9999-12-31", "20260114T1"])
def test_what_is_no_day_filters_nothing(superuser: Client, day: str) -> None:
    assert len(found(superuser, **{"from": day, "to": day})) == 3


@pytest.mark.usefixtures("three_orders")
def test_the_form_keeps_what_else_the_list_is_filtered_by(superuser: Client) -> None:
    page = superuser.get(LIST, {"state__exact": "OPEN", "q": "a", "from": "2026-01-14", "p": "1"})
    text = page.content.decode()

    assert '<input type="date" name="from" value="2026-01-14">' in text
    assert '<input type="hidden" name="state__exact" value="OPEN">' in text
    assert '<input type="hidden" name="q" value="a">' in text
    assert '<input type="hidden" name="p"' not in text
