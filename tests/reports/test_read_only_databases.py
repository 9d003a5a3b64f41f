"""A replica takes no write: what the guide on scaling sends to one answers without any."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import InternalError, connection
from django.db import transaction as db_transaction

from tests.models.rows import a_payment, a_transaction, an_order
from tests.support.tables import every
from wallet_gateway import payments

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="only here a session can refuse to write"),
]


@pytest.fixture
def read_only() -> None:
    a_transaction(a_payment(an_order(reference="R-1", content=CONTENT)))
    with connection.cursor() as cursor:
        # The checks of foreign keys lock rows; none is left for later.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL transaction_read_only = on")


def command(*words: str) -> None:
    call_command(*words, stdout=StringIO())


CONTENT = {"checkoutDetails": {"cardholderEmail": "ada@shop.example"}}
READS: dict[str, Callable[[], object]] = {
    "orders": lambda: command("wallet_export", "orders"),
    "transactions": lambda: command("wallet_export", "transactions"),
    "customer": lambda: command("wallet_customer_data", "ada@shop.example"),
    "health": payments.maintenance.health,
    "order": lambda: payments.orders.order_timeline(payments.get_order("R-1")),
    "summary": lambda: payments.orders.order_summary(payments.get_order("R-1")),
}


@every("name", READS)
@pytest.mark.usefixtures("read_only")
def test_reports_write_nothing(name: str) -> None:
    READS[name]()


@pytest.mark.usefixtures("read_only")
def test_what_begins_something_is_refused_by_the_database() -> None:
    with pytest.raises(InternalError, match="read-only transaction"), db_transaction.atomic():
        an_order(reference="R-2")
