"""What lies in the shop's tables while it is soaked, and whether its books are those of the gateway."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.db import connection

from proof.gateway_truth import GatewayTruth
from wallet_gateway import gateways
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import GatewayTransaction, OutboxEvent, PaymentOrder
from wallet_gateway.reports.work import POLLED_STATES, unattended
from wallet_gateway.testing.control import SandboxControl, SandboxRefused
from wallet_gateway.testing.invariants import BooksDisagree, check_books

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_ORDERS: Final = 3000
"""Of how many orders the gateway is asked in the end; of more than that, some are chosen."""
_CONNECTIONS: Final = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE db = database()",
}


def waiting() -> dict[str, float]:
    """Return the lengths of queues, the age of what waits, and the connections of the database."""
    now = gateways.clock().now()
    due = GatewayTransaction.objects.filter(
        state__in=POLLED_STATES, needs_operator=False, next_query_at__lte=now
    )
    oldest = due.order_by("next_query_at").values_list("next_query_at", flat=True).first()
    return {
        "undelivered": OutboxEvent.objects.filter(delivered_at__isnull=True).count(),
        "unasked": due.filter(next_query_at__lte=now - timedelta(hours=1)).count(),
        "oldest": (now - oldest).total_seconds() / 60 if oldest else 0,
        "connections": _connections(),
    }


def _connections() -> int:
    statement = _CONNECTIONS.get(connection.vendor)
    if statement is None:
        # SQLite has none: its files are counted with those of each process.
        return 0
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return int(cursor.fetchone()[0])


def unattended_rows() -> Iterator[str]:
    """Name what has neither a next instant nor a person."""
    for row in GatewayTransaction.objects.filter(unattended(gateways.clock().now())):
        yield f"{row} is {row.state} and waits for nobody"


def decide_pending(control: SandboxControl) -> None:
    """Let the provider decide what it has left open."""
    for row in GatewayTransaction.objects.filter(state=TransactionState.PENDING):
        with suppress(SandboxRefused):
            control.settle_pending(row.reference, "success")


def disagreements(seed: int) -> Iterator[str]:
    """Compare the books with themselves and with the gateway's; say what differs."""
    try:
        check_books()
    except BooksDisagree as difference:
        yield str(difference)
    orders = list(PaymentOrder.objects.order_by("pk"))
    chosen = orders if len(orders) <= MOST_ORDERS else random.Random(seed).sample(orders, MOST_ORDERS)
    for order in chosen:
        try:
            truth = GatewayTruth(order, gateways.gateway("default"))
            truth.check_allowed_for()
            truth.check_known()
        except BooksDisagree as difference:
            yield str(difference)
