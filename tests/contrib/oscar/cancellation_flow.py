"""Cancelled orders in oscar: goods are freed once, no order comes back, and what is paid late is shown."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core import mail
from django.db import transaction as db_transaction
from django.urls import reverse
from oscar.core.loading import get_model

from tests.contrib.oscar.shop import DONE, PAID_BOOKS, Order, OscarShop, books, status_and_stock, to_pay
from wallet_gateway import payments
from wallet_gateway.contrib.oscar import receivers

pytest_plugins = ["tests.contrib.oscar.fixtures"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]


@pytest.mark.parametrize("by", ["oscar", "anna"])
def test_goods_are_kept_until_the_open_page_of_a_cancelled_order_has_ended(by: str, shop: OscarShop) -> None:
    shop.place_an_order()
    if by == "oscar":
        Order.objects.get().set_status("Cancelled")
    else:
        payments.cancel(to_pay(), by=by)
    order = to_pay()
    assert (order.state, order.is_released, order.cancelled_by) == ("CANCELLED", False, by)
    assert status_and_stock() == ("Cancelled" if by == "oscar" else "Pending", 2)
    shop.pass_time(minutes=45)
    assert to_pay().is_released
    assert status_and_stock() == ("Cancelled", 0)


@pytest.mark.parametrize("page", ["detail", "list"])
def test_the_staff_cancel_from_the_dashboard(page: str, shop: OscarShop) -> None:
    shop.set_gateway(WALLET={"COUNTRY": "DE", "MERCHANT_NAME": "Shop"})
    shop.answer_in_transactions()
    shop.place_an_order()
    address, action = shop.detail, {"order_action": "change_order_status"}
    if page == "list":
        chosen = {"selected_order": Order.objects.get().pk}
        address, action = reverse("dashboard:order-list"), {"action": "change_order_statuses"} | chosen
    shop.clerk.post(address, action | {"new_status": "Cancelled"})
    assert (to_pay().state, to_pay().is_released) == ("CANCELLED", True), "nothing was begun"
    assert status_and_stock() == ("Cancelled", 0)


def test_a_cancellation_that_is_undone_leaves_the_order_payable(shop: OscarShop) -> None:
    shop.place_an_order()
    with db_transaction.atomic():
        Order.objects.get().set_status("Cancelled")
        assert not to_pay().is_cancelled, "not before the shop's own transaction is committed"
        db_transaction.set_rollback(True)
    assert not to_pay().is_cancelled
    assert status_and_stock() == ("Pending", 2)


@pytest.mark.parametrize("reopens", [False, True])
def test_a_late_payment_moves_no_order_on_and_is_shown_to_the_staff(reopens: bool, shop: OscarShop) -> None:
    if reopens:
        shop.reopen_cancelled()
    shop.place_an_order()
    Order.objects.get().set_status("Cancelled")
    shop.pay()
    order = Order.objects.get()
    assert (to_pay().state, order.status) == ("FROZEN", "Cancelled")
    (note,) = order.notes.all()
    assert "after the cancellation" in note.message
    assert books() == PAID_BOOKS
    shop.pass_time(minutes=45)
    assert status_and_stock() == ("Cancelled", 2), "there is money for it"
    assert shop.create_event("Refunded", "25.00") == DONE
    shop.pass_time(minutes=5)
    assert (status_and_stock(), mail.outbox) == (("Cancelled", 0), [])


@pytest.mark.parametrize("by", ["oscar", "admin", "a process that died"])
def test_a_late_payment_that_is_accepted_is_left_to_the_staff(by: str, shop: OscarShop) -> None:
    shop.set_gateway(LATE_PAYMENT="accept")
    shop.reopen_cancelled()
    shop.place_an_order()
    if by == "oscar":
        Order.objects.get().set_status("Cancelled")
    elif by == "admin":
        payments.cancel(to_pay(), by="anna")
    else:
        # It had committed the status, and not yet cancelled the payment.
        Order.objects.update(status="Cancelled")
    shop.pay()
    assert to_pay().is_paid
    assert status_and_stock() == ("Pending" if by == "admin" else "Cancelled", 2)
    (note,) = Order.objects.get().notes.all()
    assert "after the cancellation" in note.message
    assert (books(), mail.outbox) == (PAID_BOOKS, [])


def test_a_paid_order_that_is_cancelled_keeps_its_money_and_says_so(shop: OscarShop) -> None:
    paid = shop.sell()
    paid.set_status("Cancelled")
    assert to_pay().is_paid
    assert status_and_stock() == ("Cancelled", 2)
    (note,) = paid.notes.all()
    assert "Refund it" in note.message
    payments.refund(to_pay())
    receivers.confirm(order=to_pay())
    assert paid.notes.count() == 1


# Time to pay


def test_an_order_that_nobody_pays_in_time_is_cancelled_and_its_goods_are_freed(shop: OscarShop) -> None:
    shop.configure(minutes_to_pay=20)
    shop.place_an_order()
    order = Order.objects.get()
    assert to_pay().payable_until == order.date_placed + timedelta(minutes=20)
    shop.pass_time(minutes=10)
    assert status_and_stock() == ("Pending", 2)
    shop.pass_time(minutes=45)
    assert status_and_stock() == ("Cancelled", 0)
    assert order.status_changes.get().new_status == "Cancelled"
    assert not order.notes.exists()


@pytest.mark.parametrize("what", ["moved on", "gift card"])
def test_an_order_that_was_paid_in_another_way_is_left_to_the_staff(what: str, shop: OscarShop) -> None:
    shop.configure(minutes_to_pay=20)
    shop.place_an_order()
    order = Order.objects.get()
    if what == "moved on":
        order.set_status("Being processed")
    else:
        kind, _ = get_model("payment", "SourceType").objects.get_or_create(name="Gift card")
        order.sources.create(source_type=kind, currency="EUR", amount_allocated=Decimal(5))
    status = order.status
    shop.pass_time(minutes=60)
    assert to_pay().is_released
    assert status_and_stock() == (status, 2)
    (note,) = order.notes.all()
    assert repr(status) in note.message
    order.refresh_from_db()
    order.set_status("Cancelled")
    assert status_and_stock() == ("Cancelled", 0), "the staff have decided"
