"""Races for an order and its page: many clicks open one page, and many calls store one order."""

from __future__ import annotations

import threading
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection
from django.db import transaction as db_transaction

from tests.operations.conftest import MakeOrder, VirtualClock
from tests.operations.journal import times_sent
from tests.operations.threads import surprises, together
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.gateways import return_urls
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.operations.checkout import orders
from wallet_gateway.operations.checkout.orders import OrderDetails
from wallet_gateway.operations.checkout.start import start_checkout
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import TryAgain
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


# Pages


def test_many_clicks_on_one_order_open_one_page(
    make_order: MakeOrder, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()

    def click() -> str:
        mine = PaymentOrder.objects.get(pk=order.pk)
        return start_checkout(order=mine, context=real, return_urls=return_urls).redirect_url

    results = together(click)

    assert surprises(results, TryAgain) == []
    shown = {one for one in results if isinstance(one, str)}
    assert len(shown) == 1
    assert "" not in shown
    assert times_sent(wallet_sandbox, "checkout") == 1
    assert Payment.objects.count() == 1


def test_clicks_that_come_while_a_page_is_slow_to_open_hold_no_worker_and_open_no_other(
    make_order: MakeOrder, real: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    order = make_order()
    wallet_sandbox.fault("checkout", "delay_after", seconds=0.5)

    def click() -> str:
        mine = PaymentOrder.objects.get(pk=order.pk)
        return start_checkout(order=mine, context=real, return_urls=return_urls).redirect_url

    results = together(click, times=4)

    assert surprises(results, TryAgain) == []
    assert len({one for one in results if isinstance(one, str)}) == 1
    assert times_sent(wallet_sandbox, "checkout") == 1


# Orders


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time")
def test_the_same_order_stored_twice_at_once_is_one_order_even_inside_old_snapshots(
    clock: VirtualClock,
) -> None:
    details = OrderDetails(currency="EUR", amount=Decimal("20.00"))
    together, found = threading.Barrier(2, timeout=60), []

    def store() -> None:
        if connection.vendor == "mysql":
            with connection.cursor() as cursor:
                cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        try:
            with db_transaction.atomic():
                # The snapshot of a transaction with repeatable reads is taken here, before either has stored.
                PaymentOrder.objects.count()
                together.wait()
                order = orders.create_order(
                    reference="RACE-1",
                    details=details,
                    gateway="default",
                    policy=GatewayPolicy(),
                    clock=clock,
                )
                found.append(order.token)
        finally:
            connection.close()

    threads = [threading.Thread(target=store) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 2
    assert len(set(found)) == 1


@pytest.mark.skipif(connection.vendor != "postgresql", reason="elsewhere a locking read sees the other row")
@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_a_transaction_that_cannot_see_the_other_order_is_told_to_begin_again(
    level: str, clock: VirtualClock
) -> None:
    details = OrderDetails(currency="EUR", amount=Decimal("20.00"))

    def create() -> PaymentOrder:
        return orders.create_order(
            reference="RACE-1", details=details, gateway="default", policy=GatewayPolicy(), clock=clock
        )

    def create_elsewhere() -> None:
        create()
        connection.close()

    with db_transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
        assert not PaymentOrder.objects.exists()
        other = threading.Thread(target=create_elsewhere)
        other.start()
        other.join(60)
        with pytest.raises(TryAgain) as told:
            create()
    assert told.value.code is ErrorCode.ORDER_STORED_MEANWHILE
    assert isinstance(told.value.__cause__, IntegrityError)
    assert create() == PaymentOrder.objects.get()
