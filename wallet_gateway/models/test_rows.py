"""Which rows are tests: no real money moved, so a live account leaves them alone, and no figure counts them.

The mode was stored with each payment. A row of unknown mode counts as live.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from django.db.models import Model, Q, QuerySet

from wallet_gateway.models.migrated import MigratedDeposit
from wallet_gateway.models.orders import PaymentOrder
from wallet_gateway.models.payments import Payment
from wallet_gateway.models.transactions import GatewayTransaction


def not_tests() -> Q:
    """Return the condition of transactions and discrepancies that are no tests.

    It reads the tests, which have an index, and joins nothing: a shop has few of them beside its money.
    """
    payments = Payment.objects.filter(is_test=True)
    deposits = MigratedDeposit.objects.filter(is_test=True)
    return ~Q(payment__in=payments) & ~Q(deposit__in=deposits)


def not_left_alone(live: Collection[str]) -> Q:
    """Return the condition of transactions and discrepancies that are no tests of these live gateways."""
    return ~Q(gateway__in=live) | not_tests() if live else Q()


def with_money(live: Collection[str]) -> Q:
    """Return the condition of orders that are not tests of these live gateways."""
    return ~Q(gateway__in=live) | ~Q(pk__in=test_orders().values("pk")) if live else Q()


def test_orders() -> QuerySet[PaymentOrder]:
    """Return the orders that have a payment and no other payments than tests."""
    others = Payment.objects.exclude(is_test=True)
    tests = Payment.objects.filter(is_test=True)
    # From the few tests to their orders, and from these to whatever else they have.
    orders = PaymentOrder.objects.filter(pk__in=tests.values("order"))
    return orders.exclude(pk__in=others.filter(order__payments__is_test=True).values("order"))


def is_test_row(row: Model, is_test: Callable[[str], bool]) -> bool:
    """Return whether a row is a test, by the mode of its payment, its payments or its deposit.

    `is_test` says it by a gateway's profile of today, for rows about which nothing was sent yet.
    """
    row = getattr(row, "transaction", None) or row
    if isinstance(row, GatewayTransaction | Payment):
        return bool(row.is_test)
    subject = getattr(row, "payment", None) or getattr(row, "deposit", None) or row
    if isinstance(subject, Payment):
        return bool(subject.is_test)
    stored: bool | None = getattr(subject, "is_test", None)
    return is_test(getattr(row, "gateway", "")) if stored is None else stored
