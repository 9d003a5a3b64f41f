"""An order whose payment is not decided is not deleted; a payment whose order is gone is logged."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Manager, ProtectedError, QuerySet
from django.urls import path

from tests.contrib.own_order import models
from tests.contrib.own_order import urls as of_the_guide
from wallet_gateway import payments
from wallet_gateway.models import OutboxEvent, PaymentOrder

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.test import Client

    from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls(__name__)]

Order: Any = vars(models)["Order"]
LOG = "wallet_gateway.bridges"

site = admin.AdminSite()
site.register(Order)
urlpatterns = [*vars(of_the_guide)["urlpatterns"], path("admin/", site.urls)]


def an_order(model: Any = Order) -> Any:  # noqa: ANN401
    order = model.objects.create(email="robin@example.com", total="25.00")
    order.create_payment_order()
    return order


@pytest.fixture
def gateway(wallet_sandbox: SandboxControl) -> SandboxControl:
    return wallet_sandbox


def pay(order: Any, gateway: SandboxControl) -> None:  # noqa: ANN401
    attempt = payments.start_checkout(order.payment_order)
    gateway.complete_checkout(attempt.reference, "success")
    payments.reconcile(attempt)


@pytest.fixture
def begun(gateway: SandboxControl) -> Any:  # noqa: ANN401
    order = an_order()
    payments.start_checkout(order.payment_order)
    return order


def raw_delete(order: Any) -> None:  # noqa: ANN401
    """Delete a row as SQL by hand does."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {Order._meta.db_table} WHERE id = %s", [order.pk])


# What is refused


def test_an_order_with_an_open_page_is_not_deleted(begun: Any) -> None:  # noqa: ANN401
    with pytest.raises(ProtectedError, match=rf"ORDER-{begun.pk}\. Call cancel_payment") as refused:
        begun.delete()
    assert refused.value.protected_objects == {PaymentOrder.objects.get()}
    assert Order.objects.exists()


@pytest.mark.parametrize("model", [models.GiftOrder, models.EngravedGift, models.PlainProxy])
@pytest.mark.parametrize("by", [None, Order])
def test_nor_as_a_child_or_as_a_proxy(model: Any, by: Any, gateway: SandboxControl) -> None:  # noqa: ANN401
    order = an_order(model)
    payments.start_checkout(order.payment_order)
    with pytest.raises(ProtectedError):
        (by or model).objects.get(pk=order.pk).delete()
    with pytest.raises(ProtectedError):
        (by or model).objects.filter(pk=order.pk).delete()
    assert model.objects.exists()


def test_the_admin_shows_what_keeps_it_and_deletes_nothing(begun: Any, client: Client) -> None:  # noqa: ANN401
    client.force_login(User.objects.create_superuser("anna"))
    address = f"/admin/own_order/order/{begun.pk}/delete/"
    assert "protected related objects" in client.get(address).content.decode()
    assert client.post(address, {"post": "yes"}).status_code == 200
    chosen = {"action": "delete_selected", "_selected_action": [begun.pk], "post": "yes"}
    assert "protected related objects" in client.post("/admin/own_order/order/", chosen).content.decode()
    assert Order.objects.exists()


def test_an_order_that_holds_money_to_decide_on_is_not_deleted(
    gateway: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    details = Order.payment_details
    monkeypatch.setattr(Order, "payment_details", lambda order: details(order) | {"type": "preauthorization"})
    order = an_order()
    pay(order, gateway)
    with pytest.raises(ProtectedError):
        order.delete()
    payments.reverse(order.payment_order)
    order.refresh_from_db()
    order.cancel_payment(by="shop")
    order.delete()
    assert not Order.objects.exists()


def test_a_paid_order_of_which_another_page_is_open_is_not_deleted(
    begun: Any,  # noqa: ANN401
    gateway: SandboxControl,
) -> None:
    pay(begun, gateway)
    PaymentOrder.objects.update(state="OPEN")
    payments.start_checkout(PaymentOrder.objects.get())
    PaymentOrder.objects.update(state="PAID")
    with pytest.raises(ProtectedError):
        Order.objects.get().delete()


# What is deleted


def test_an_order_whose_payment_nobody_began_is_deleted() -> None:
    Order.objects.create(email="robin@example.com", total="25.00")
    models.Parcel(order=an_order()).save()
    an_order(models.EngravedGift)
    Order.objects.all().delete()
    assert not Order.objects.exists()
    assert PaymentOrder.objects.count() == 2


def test_a_cancelled_order_is_deleted_once_it_is_released(
    begun: Any,  # noqa: ANN401
    pass_time: Callable[..., None],
) -> None:
    begun.cancel_payment(by="shop")
    with pytest.raises(ProtectedError):
        begun.delete()
    pass_time(minutes=45)
    begun.delete()
    assert not Order.objects.exists()


def test_a_paid_order_is_deleted_and_its_payment_order_stays(
    gateway: SandboxControl, caplog: pytest.LogCaptureFixture
) -> None:
    order = an_order()
    pay(order, gateway)
    Order.objects.all().delete()
    payments.refund(PaymentOrder.objects.get())
    assert PaymentOrder.objects.get().state == "REFUNDED"
    assert not caplog.records


# Where the row is gone all the same


def test_a_payment_whose_order_was_deleted_is_logged_with_its_reference(
    begun: Any,  # noqa: ANN401
    gateway: SandboxControl,
    caplog: pytest.LogCaptureFixture,
) -> None:
    raw_delete(begun)
    pay(begun, gateway)
    (record,) = [record for record in caplog.records if record.name == LOG]
    assert record.levelno == logging.ERROR
    assert f"order ORDER-{begun.pk} holds money (PAID), and the row of own_order.Order" in record.message
    assert OutboxEvent.objects.get().delivered_at is not None


def test_a_row_that_the_base_manager_leaves_out_is_told(
    begun: Any,  # noqa: ANN401
    gateway: SandboxControl,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    monkeypatch.setattr(Order, "payment_changed", lambda _order, state: told.append(state))
    empty: Any = Manager()
    empty.model = Order
    monkeypatch.setattr(empty, "get_queryset", QuerySet(Order).none)
    monkeypatch.setitem(Order._meta.__dict__, "base_manager", empty)
    assert not Order._base_manager.exists()
    pay(begun, gateway)
    assert told == ["PAID"]
