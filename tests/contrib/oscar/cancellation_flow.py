"""Cancelled orders in oscar: goods are freed once, no order comes back, and what is paid late is shown."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from django.core import mail
from django.db import connections
from django.db import transaction as db_transaction
from django.test import Client
from django.urls import reverse
from oscar.core.loading import get_model

from tests.contrib.oscar.shop import PAID_BOOKS, Order, books, create_event, pay, place_an_order, to_pay
from wallet_gateway import payments
from wallet_gateway.contrib.oscar import receivers

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_django.fixtures import Settings

    from wallet_gateway.testing.control import SandboxControl

pytest_plugins = ["tests.contrib.oscar.fixtures"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]


# Cancelled orders, and their goods


def kept_mugs() -> int:
    """Count the mugs that are kept for orders."""
    return get_model("partner", "StockRecord").objects.get().num_allocated or 0


def status_and_stock() -> tuple[str, int]:
    return Order.objects.get().status, kept_mugs()


def test_goods_are_kept_until_the_open_page_of_a_cancelled_order_has_ended(
    client: Client, pass_time: Callable[..., None]
) -> None:
    place_an_order(client)
    Order.objects.get().set_status("Cancelled")
    order = to_pay()
    assert (order.state, order.is_released, order.cancelled_by) == ("CANCELLED", False, "oscar")
    assert status_and_stock() == ("Cancelled", 2)
    pass_time(minutes=45)
    assert to_pay().is_released
    assert status_and_stock() == ("Cancelled", 0)


@pytest.mark.parametrize("page", ["detail", "list"])
def test_the_staff_cancel_from_the_dashboard(
    page: str,
    client: Client,
    clerk: Client,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"WALLET": {"COUNTRY": "DE", "MERCHANT_NAME": "Shop"}}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", True)
    place_an_order(client)
    order = Order.objects.get()
    if page == "detail":
        address = reverse("dashboard:order-detail", args=[order.number])
        action = {"order_action": "change_order_status"}
    else:
        address = reverse("dashboard:order-list")
        action = {"action": "change_order_statuses", "selected_order": order.pk}
    clerk.post(address, action | {"new_status": "Cancelled"})
    assert (to_pay().state, to_pay().is_released) == ("CANCELLED", True), "nothing was begun"
    assert status_and_stock() == ("Cancelled", 0)


def test_a_cancellation_that_is_undone_leaves_the_order_payable(client: Client) -> None:
    place_an_order(client)
    with db_transaction.atomic():
        Order.objects.get().set_status("Cancelled")
        assert not to_pay().is_cancelled, "not before the shop's own transaction is committed"
        db_transaction.set_rollback(True)
    assert not to_pay().is_cancelled
    assert status_and_stock() == ("Pending", 2)


def test_an_order_cancelled_in_the_admin_is_cancelled_in_oscar_when_it_is_released(
    client: Client, pass_time: Callable[..., None]
) -> None:
    place_an_order(client)
    payments.cancel(to_pay(), by="anna")
    assert status_and_stock() == ("Pending", 2)
    pass_time(minutes=45)
    assert status_and_stock() == ("Cancelled", 0)
    assert to_pay().cancelled_by == "anna"


@pytest.mark.parametrize("pipeline", [(), ("Being processed",)])
def test_a_late_payment_moves_no_order_on_and_is_shown_to_the_staff(
    client: Client,
    clerk: Client,
    shop: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
    pass_time: Callable[..., None],
    pipeline: tuple[str, ...],
) -> None:
    monkeypatch.setitem(Order.pipeline, "Cancelled", pipeline)
    place_an_order(client)
    Order.objects.get().set_status("Cancelled")
    pay(client, shop)
    order = Order.objects.get()
    assert (to_pay().state, order.status) == ("FROZEN", "Cancelled")
    (note,) = order.notes.all()
    assert "after the cancellation" in note.message
    assert books() == PAID_BOOKS
    pass_time(minutes=45)
    assert kept_mugs() == 2, "there is money for it"
    assert create_event(clerk, "Refunded", "25.00") == "Payment event created"
    pass_time(minutes=5)
    assert status_and_stock() == ("Cancelled", 0)
    assert mail.outbox == []


@pytest.mark.parametrize("by", ["oscar", "admin"])
def test_a_late_payment_that_is_accepted_is_left_to_the_staff(
    client: Client,
    shop: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    by: str,
) -> None:
    given = settings.WALLET_GATEWAY
    default = given["GATEWAYS"]["default"] | {"LATE_PAYMENT": "accept"}
    settings.WALLET_GATEWAY = given | {"GATEWAYS": {"default": default}}
    monkeypatch.setitem(Order.pipeline, "Cancelled", ("Being processed",))
    place_an_order(client)
    if by == "oscar":
        Order.objects.get().set_status("Cancelled")
    else:
        payments.cancel(to_pay(), by="anna")
    pay(client, shop)
    order = Order.objects.get()
    assert to_pay().is_paid
    assert status_and_stock() == ("Cancelled" if by == "oscar" else "Pending", 2)
    assert order.notes.filter(message__contains="after the cancellation").count() == 1
    assert (books(), mail.outbox) == (PAID_BOOKS, [])


def test_a_payment_of_a_cancelled_order_moves_it_not_on_even_if_the_payment_was_not_cancelled(
    client: Client, shop: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(Order.pipeline, "Cancelled", ("Being processed",))
    place_an_order(client)
    # As by a process that died after it had committed the status.
    Order.objects.update(status="Cancelled")
    pay(client, shop)
    assert to_pay().is_paid
    assert (status_and_stock(), mail.outbox) == (("Cancelled", 2), [])
    assert Order.objects.get().notes.count() == 1


def test_a_paid_order_that_is_cancelled_keeps_its_money_and_says_so(paid: Any) -> None:  # noqa: ANN401
    paid.set_status("Cancelled")
    assert to_pay().is_paid
    assert status_and_stock() == ("Cancelled", 2)
    (note,) = paid.notes.all()
    assert "Refund it" in note.message
    payments.refund(to_pay())
    receivers.confirm(order=to_pay())
    assert paid.notes.count() == 1


# Time to pay


def test_an_order_that_nobody_pays_in_time_is_cancelled_and_its_goods_are_freed(
    client: Client,
    config: Any,  # noqa: ANN401
    pass_time: Callable[..., None],
) -> None:
    config(minutes_to_pay=20)
    place_an_order(client)
    order = Order.objects.get()
    assert to_pay().payable_until == order.date_placed + timedelta(minutes=20)
    pass_time(minutes=10)
    assert status_and_stock() == ("Pending", 2)
    pass_time(minutes=45)
    assert status_and_stock() == ("Cancelled", 0)
    assert order.status_changes.get().new_status == "Cancelled"
    assert not order.notes.exists()


@pytest.mark.parametrize("what", ["moved on", "gift card"])
def test_an_order_that_was_paid_in_another_way_is_left_to_the_staff(
    client: Client,
    config: Any,  # noqa: ANN401
    pass_time: Callable[..., None],
    what: str,
) -> None:
    config(minutes_to_pay=20)
    place_an_order(client)
    order = Order.objects.get()
    if what == "moved on":
        order.set_status("Being processed")
    else:
        kind, _ = get_model("payment", "SourceType").objects.get_or_create(name="Gift card")
        order.sources.create(source_type=kind, currency="EUR", amount_allocated=Decimal(5))
    status = order.status
    pass_time(minutes=60)
    assert to_pay().is_released
    assert status_and_stock() == (status, 2)
    (note,) = order.notes.all()
    assert repr(status) in note.message
    order.refresh_from_db()
    order.set_status("Cancelled")
    assert status_and_stock() == ("Cancelled", 0), "the staff have decided"
