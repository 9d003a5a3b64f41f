"""The authorizations that expire first, with what is left of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from tests.models.rows import NOW, a_payment, a_transaction, an_order
from wallet_gateway.domain.capture_deadline import CaptureWindow
from wallet_gateway.domain.lifecycle import PaymentState, TransactionKind, TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import PaymentOrder
from wallet_gateway.queries.authorizations import (
    expiring_authorizations,
    expiring_orders,
    expiring_payments,
    held_since,
)

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]


def authorized(days_ago: float, gateway: str = "default") -> str:
    since, kind = NOW - timedelta(days=days_ago), TransactionKind.CHECKOUT
    payment = a_payment(
        an_order(type="preauthorization"),
        authorized=2000,
        captured=500,
        state=PaymentState.PART_CAPTURED,
        created_at=since,
    )
    reference = str(payment.reference)
    a_transaction(
        payment,
        reference=reference,
        kind=kind,
        state=TransactionState.APPROVED,
        state_changed_at=since,
        gateway=gateway,
    )
    return reference


def test_the_most_urgent_comes_first_with_its_countdown(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    fresh, late, expired = authorized(4.9), authorized(6), authorized(8)
    other = authorized(1.5, gateway="second")
    windows = {"default": CaptureWindow(), "second": CaptureWindow(length=timedelta(days=2))}
    with django_assert_num_queries(2):
        found = expiring_authorizations(windows, now=NOW)
    assert [row.payment.reference for row in found] == [expired, other, late]
    assert fresh not in [row.payment.reference for row in found]
    assert [row.time_left(NOW) for row in found] == [
        timedelta(days=-1),
        timedelta(days=0.5),
        timedelta(days=1),
    ]
    assert str(found[0].left) == "15.00 EUR"


def test_no_more_are_read_than_are_shown() -> None:
    for _ in range(3):
        authorized(6)
    assert len(expiring_authorizations({"default": CaptureWindow()}, now=NOW, limit=2)) == 2


@pytest.mark.parametrize("second", [5, 1], ids=["one instant for all", "an instant for each gateway"])
def test_orders_that_lapse_soon_are_found_by_the_instant_of_their_gateway(second: float) -> None:
    def held(days_ago: float, gateway: str, **columns: Any) -> PaymentOrder:
        order = an_order(type="preauthorization", gateway=gateway)
        given = {"authorized": 2000, "state": PaymentState.AUTHORIZED} | columns
        a_payment(order, created_at=NOW - timedelta(days=days_ago), **given)
        return order

    old, partly = held(6, "default"), held(6, "default", state=PaymentState.PART_CAPTURED, captured=500)
    held(6, "default", state=PaymentState.PAID, captured=2000)
    held(4, "default")
    elsewhere, fresh_elsewhere = held(6, "second"), held(4, "second")
    held(6, "former")
    found = {old, partly, elsewhere} | ({fresh_elsewhere} if second == 1 else set())
    instants = {"default": NOW - timedelta(days=5), "second": NOW - timedelta(days=second)}

    assert set(PaymentOrder.objects.filter(expiring_orders(instants))) == found
    assert not PaymentOrder.objects.filter(expiring_orders({})).exists()


@pytest.mark.parametrize("second", [5, 1], ids=["one instant for all", "an instant for each gateway"])
@pytest.mark.parametrize(("captured", "found"), [(500, True), (2000, False)])
def test_what_is_left_of_a_payment_that_was_refunded_in_part_lapses_too(
    captured: int, found: bool, second: float
) -> None:
    order = an_order(type="preauthorization")
    payment = a_payment(
        order,
        authorized=2000,
        captured=captured,
        refunded=100,
        state=PaymentState.PART_REFUNDED,
        created_at=NOW - timedelta(days=6),
    )
    instants = {"default": NOW - timedelta(days=5), "second": NOW - timedelta(days=second)}
    assert list(PaymentOrder.objects.filter(expiring_orders(instants))) == [order] * found
    assert list(expiring_payments(instants)) == [payment] * found


@pytest.mark.parametrize("second", [5, 1], ids=["one instant for all", "an instant for each gateway"])
@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"is_frozen": True, "state": PaymentState.FROZEN}, True),
        ({"capture_reserved": 2000}, True),
        ({"captured": 2000, "is_frozen": True, "state": PaymentState.FROZEN}, False),
        ({"reversal": Reversal.RESERVED}, False),
    ],
    ids=["frozen", "a capture without an outcome", "frozen after its capture", "being given back"],
)
def test_an_authorization_that_lapses_is_found_though_nothing_can_be_done_with_it_yet(
    columns: dict[str, Any], found: bool, second: float
) -> None:
    order, since = an_order(type="preauthorization"), NOW - timedelta(days=6)
    given = {"authorized": 2000, "state": PaymentState.AUTHORIZED, "created_at": since} | columns
    payment = a_payment(order, **given)
    a_transaction(
        payment,
        reference=payment.reference,
        kind=TransactionKind.CHECKOUT,
        state=TransactionState.APPROVED,
        state_changed_at=since,
    )
    instants = {"default": NOW - timedelta(days=5), "second": NOW - timedelta(days=second)}
    assert list(expiring_payments(instants)) == [payment] * found
    assert list(PaymentOrder.objects.filter(expiring_orders(instants))) == [order] * found
    assert set(held_since([order.pk])) == ({order.pk} if found else set()), "the list counts down as well"
