"""Sweeps that come whenever a question is due."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.shop import Shop
from wallet_gateway import payments
from wallet_gateway.models import GatewayTransaction

_MOST_QUESTIONS = 400


def sweep_until(
    shop: Shop, transaction: GatewayTransaction, done: Callable[[GatewayTransaction], bool]
) -> None:
    """Go from one question to the next until a transaction is as wanted."""
    for _ in range(_MOST_QUESTIONS):
        if done(transaction):
            return
        shop.until(transaction.next_query_at)
        payments.maintenance.reconcile_due()
        transaction.refresh_from_db()
    raise AssertionError(f"{transaction} is still {transaction.state} after {_MOST_QUESTIONS} questions")


def asks_for_a_person(transaction: GatewayTransaction) -> bool:
    return transaction.needs_operator


def fail_queries(shop: Shop, status: int = 500, body: bytes = b"", times: int = 500) -> None:
    """Answer the next status queries without a readable record."""
    shop.gateway.queries.extend([lambda _: (status, body)] * times)
