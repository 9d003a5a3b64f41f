"""Races for an order and its page: many clicks open one page, and many calls store one order."""

from __future__ import annotations

import threading
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.db import transaction as db_transaction

from tests.money.checkout.parts import create
from tests.support.gateway import Sent
from tests.support.shop import Shop
from tests.support.threads import surprises, together
from wallet_gateway import payments
from wallet_gateway.models import Payment, PaymentOrder
from wallet_gateway.payments.errors import ErrorCode, OperationError, TryAgain

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]


def store(gateway: str = "default", *, reference: str = "RACE-1") -> PaymentOrder:
    return create(reference, items=(), amount=Decimal("20.00"), gateway=gateway)


# Pages


@pytest.mark.parametrize("is_slow", [False, True])
def test_many_clicks_on_one_order_open_one_page_and_hold_no_worker(is_slow: bool, shop: Shop) -> None:
    order, others_have_clicked = shop.order(), threading.Event()
    clicks = iter(range(8))

    def open_page(_: Sent) -> tuple[int, object]:
        assert others_have_clicked.wait(60), "nobody waits for a slow page"
        return 200, {"redirectUrl": "http://127.0.0.1:8001/pay/1"}

    if is_slow:
        shop.gateway.pages.append(open_page)

    def click() -> str:
        mine = PaymentOrder.objects.get(pk=order.pk)
        try:
            return payments.start_checkout(mine).redirect_url
        finally:
            if next(clicks, 0) == 2:
                others_have_clicked.set()

    results = together(click, times=4 if is_slow else None)

    assert surprises(results, TryAgain) == []
    assert len({one for one in results if isinstance(one, str) and one}) == 1
    assert "" not in results
    assert (len(shop.gateway.opened), Payment.objects.count()) == (1, 1)


# Orders


def test_of_two_processes_that_create_it_at_two_gateways_one_is_refused(shop: Shop) -> None:
    (usual,) = shop.settings.WALLET_GATEWAY["GATEWAYS"].values()
    shop.set(GATEWAYS={"default": usual, "two": usual})
    results = together(lambda: store("default"), lambda: store("two"), times=1)
    (refused,) = [one for one in results if isinstance(one, Exception)]
    assert isinstance(refused, OperationError), refused
    assert refused.code is ErrorCode.REFERENCE_AT_OTHER_GATEWAY
    assert PaymentOrder.objects.count() == 1


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time")
def test_the_same_order_stored_twice_at_once_is_one_order_even_inside_old_snapshots(shop: Shop) -> None:
    ready = threading.Barrier(2, timeout=60)
    # One that no row has had: InnoDB locks the place of a deleted one that it has not cleared away, for both.
    reference = f"RACE-{uuid4().hex}"

    def store_late() -> str:
        if connection.vendor == "mysql":
            with connection.cursor() as cursor:
                cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        with db_transaction.atomic():
            # The snapshot of a transaction with repeatable reads is taken here, before either has stored.
            PaymentOrder.objects.count()
            ready.wait()
            return str(store(reference=reference).token)

    found = together(store_late, times=2)
    assert surprises(found) == []
    assert len(set(found)) == 1


@pytest.mark.skipif(connection.vendor != "postgresql", reason="elsewhere a locking read sees the other row")
@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_a_transaction_that_cannot_see_the_other_order_is_told_to_begin_again(level: str, shop: Shop) -> None:
    with db_transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
        assert not PaymentOrder.objects.exists()
        assert surprises(together(store, times=1)) == []
        with pytest.raises(TryAgain) as told:
            store()
    assert told.value.code is ErrorCode.ORDER_STORED_MEANWHILE
    assert isinstance(told.value.__cause__, IntegrityError)
    assert store() == PaymentOrder.objects.get()
