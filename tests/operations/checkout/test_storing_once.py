"""An order is stored once, whether it is looked for first or its INSERT tells that its reference is taken."""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.db import transaction as db_transaction

from tests.operations.conftest import VirtualClock
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.policy import GatewayPolicy
from wallet_gateway.models import PaymentOrder
from wallet_gateway.operations.checkout.orders import OrderDetails, create_order
from wallet_gateway.operations.errors import IdempotencyConflict, InvalidInput

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]

ANY, ADDRESSES = GatewayPolicy(), GatewayPolicy(billing_address_required=True)


def create(reference: str, policy: GatewayPolicy = ANY, **changes: Any) -> PaymentOrder:
    details = {"currency": "EUR", "amount": Decimal("20.00"), **changes}
    return create_order(
        reference=reference,
        details=OrderDetails(**details),
        gateway="default",
        policy=policy,
        clock=VirtualClock(),
    )


def test_a_new_order_is_as_it_was_returned() -> None:
    order = create("A-1")
    assert PaymentOrder.objects.get() == order
    order.refresh_from_db()
    assert (order.reference, order.amount_minor, order.version) == ("A-1", 2000, 0)


def test_a_repeated_order_is_the_first_one_whatever_the_settings_are_by_now() -> None:
    first = create("A-1")
    assert create("A-1") == first
    assert create("A-1", ADDRESSES) == first
    assert PaymentOrder.objects.count() == 1


def test_other_content_is_a_conflict_and_is_not_stored() -> None:
    first = create("A-1")
    with refuses(IdempotencyConflict, ErrorCode.ORDER_CONTENT_DIFFERS, reference="A-1"):
        create("A-1", amount=Decimal("21.00"))
    assert PaymentOrder.objects.get().amount_minor == first.amount_minor


def test_an_order_that_the_gateway_would_not_take_is_not_stored() -> None:
    with pytest.raises(InvalidInput):
        create("A-1", ADDRESSES)
    assert not PaymentOrder.objects.exists()


def test_an_order_goes_with_the_transaction_of_its_caller() -> None:
    with db_transaction.atomic():
        create("A-1")
        db_transaction.set_rollback(True)
    assert not PaymentOrder.objects.exists()


def test_two_that_store_the_same_order_at_once_have_one() -> None:
    together, found = threading.Barrier(2, timeout=60), []

    def store() -> None:
        try:
            together.wait()
            found.append(create("A-1").token)
        finally:
            connection.close()

    threads = [threading.Thread(target=store) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 2
    assert set(found) == {PaymentOrder.objects.get().token}
