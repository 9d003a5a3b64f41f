"""What `tests.contrib.test_bridges` runs in the shop with its own orders, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.core.checks import WARNING
from django.db import connection
from django.db import transaction as db_transaction
from django.db.models import Manager, ProtectedError, QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.contrib.own_order import models
from tests.contrib.own_order.shop import Order, OwnOrder, Shop, an_order, begun, status_and_stock, tell_again
from wallet_gateway import payments
from wallet_gateway.contrib.own_order.checks import check_proxies
from wallet_gateway.documentation import address_of
from wallet_gateway.models import OutboxEvent, PaymentOrder

if TYPE_CHECKING:
    from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.contrib.own_order.shop")]


@pytest.fixture(autouse=True)
def shop(client: Client, wallet_sandbox: SandboxControl) -> Shop:
    return Shop(client, wallet_sandbox)


def change_details(monkeypatch: pytest.MonkeyPatch, **given: object) -> None:
    """Let the shop say more of its orders to the plugin."""
    details = Order.payment_details
    monkeypatch.setattr(Order, "payment_details", lambda order: details(order) | given)


def leave_out(monkeypatch: pytest.MonkeyPatch, manager: str, rows: QuerySet[OwnOrder]) -> None:
    """Let one of the shop's own managers find no other rows than these."""
    narrow: OwnOrder = Manager()
    narrow.model = Order
    monkeypatch.setattr(narrow, "get_queryset", lambda: rows)
    monkeypatch.setitem(Order._meta.__dict__, manager, narrow)
    assert not getattr(Order, f"_{manager}").exists()


# Paying


def test_a_customer_places_an_order_pays_and_is_thanked_and_nobody_else_is_shown_it(shop: Shop) -> None:
    order = shop.place()
    thanks = f"/thanks/{order.pk}/"
    assert shop.answer["Location"] == order.pay_url
    assert shop.client.get(order.pay_url).status_code == 200
    assert thanks in shop.pay(order)
    assert "Thank you. It is paid." in shop.client.get(thanks).content.decode()
    assert Client().get(thanks).status_code == 404
    assert shop.client.get(f"/thanks/{order.pk + 1}/").status_code == 404


def test_an_order_that_cannot_be_paid_is_not_stored() -> None:
    with pytest.raises(payments.errors.InvalidInput), db_transaction.atomic():
        Order.objects.create(email="no address", total="25.00").create_payment_order()
    assert not Order.objects.exists()
    assert not PaymentOrder.objects.exists()


def test_an_order_that_has_changed_is_not_paid_at_its_old_price(shop: Shop) -> None:
    order = shop.place()
    order.total *= 2
    with pytest.raises(payments.errors.IdempotencyConflict):
        order.create_payment_order()


def test_a_refused_payment_changes_nothing_of_it(shop: Shop) -> None:
    order = shop.place()
    for outcome, status in (("refused", "new"), ("success", "paid")):
        shop.pay(order, outcome)
        assert Order.objects.get().status == status


def test_events_that_come_late_tell_the_state_of_now(shop: Shop) -> None:
    paid = shop.sell()
    as_it_was = PaymentOrder.objects.get()
    payments.refund(paid.payment_order)
    tell_again(as_it_was)
    assert Order.objects.get().status == "refunded"


def test_an_order_that_the_shops_own_managers_leave_out_hears_of_its_payment(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, told = shop.place(), []
    monkeypatch.setattr(Order, "payment_changed", lambda _order, state: told.append(state))
    for manager in ("default_manager", "base_manager"):
        leave_out(monkeypatch, manager, QuerySet(Order).none())
    shop.pay(order)
    assert told == ["PAID"]


def test_a_method_that_fails_stores_nothing_and_is_called_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(order: OwnOrder, state: str) -> None:
        order.status = state.lower()
        order.save()
        raise ConnectionError("the warehouse does not answer")

    order = shop.place()
    with monkeypatch.context() as patch:
        patch.setattr(Order, "payment_changed", fail)
        shop.pay(order)
    assert Order.objects.get().status == "new"
    assert OutboxEvent.objects.get().delivered_at is None
    tell_again(PaymentOrder.objects.get())
    assert Order.objects.get().status == "paid"


# Cancellation


def test_goods_are_free_and_an_order_may_be_deleted_only_when_the_open_page_has_ended(
    pass_time: Callable[..., None],
) -> None:
    order = begun()
    assert order.cancel_payment(by="shop").is_cancelled
    assert (order.is_released, status_and_stock()) == (False, ("cancelled", True))
    with pytest.raises(ProtectedError):
        order.delete()
    pass_time(minutes=45)
    assert status_and_stock() == ("cancelled", False)
    assert Order.objects.get().is_released
    order.delete()
    assert not Order.objects.exists()


def test_an_order_that_nobody_pays_in_time_is_released(
    monkeypatch: pytest.MonkeyPatch, pass_time: Callable[..., None]
) -> None:
    change_details(monkeypatch, payable_until=timezone.now() + timedelta(minutes=20))
    an_order()
    payments.sweep()
    assert status_and_stock() == ("new", True)
    pass_time(minutes=30)
    assert status_and_stock() == ("cancelled", False)


def test_an_order_cancelled_before_it_has_a_payment_order_is_never_payable() -> None:
    order = Order.objects.create(email="robin@example.com", total="25.00")
    order.cancel_payment(by="shop")
    assert status_and_stock() == ("cancelled", False)
    assert not Order.objects.get().create_payment_order().is_payable


def test_an_order_that_holds_money_is_not_cancelled(shop: Shop) -> None:
    with pytest.raises(payments.errors.InvalidState) as refused:
        shop.sell().cancel_payment(by="shop")
    assert refused.value.code == "refund_needed"
    assert status_and_stock() == ("paid", True)


def test_a_late_payment_frees_the_goods_only_after_its_refund(
    shop: Shop, pass_time: Callable[..., None]
) -> None:
    order = begun()
    order.cancel_payment(by="shop")
    shop.come_back(order.payment_order.payments.get().reference)
    pass_time(minutes=45)
    assert (PaymentOrder.objects.get().state, status_and_stock()) == ("FROZEN", ("cancelled", True))
    payments.refund(PaymentOrder.objects.get())
    pass_time(minutes=5)
    assert status_and_stock() == ("refunded", False)


def test_a_release_that_is_told_after_an_accepted_payment_frees_nothing(shop: Shop) -> None:
    shop.pay(begun())
    # A late payment that was accepted: money, and the instant of the release.
    PaymentOrder.objects.update(cancelled_at=timezone.now(), released_at=timezone.now())
    tell_again(PaymentOrder.objects.get())
    assert status_and_stock() == ("paid", True)


def test_the_guide_is_followed(shop: Shop, follow: Callable[..., None]) -> None:
    shop.sell()
    follow("docs/how-to/own-order-model.md")


# Deleting


def test_an_order_with_an_open_page_is_not_deleted_and_the_admin_shows_what_keeps_it(shop: Shop) -> None:
    order = begun()
    with pytest.raises(ProtectedError, match=rf"ORDER-{order.pk}\. Call cancel_payment") as refused:
        order.delete()
    assert refused.value.protected_objects == {PaymentOrder.objects.get()}
    shop.client.force_login(User.objects.create_superuser("anna"))
    address = f"/admin/own_order/order/{order.pk}/delete/"
    assert "protected related objects" in shop.client.get(address).content.decode()
    assert shop.client.post(address, {"post": "yes"}).status_code == 200
    chosen = {"action": "delete_selected", "_selected_action": [order.pk], "post": "yes"}
    answer = shop.client.post("/admin/own_order/order/", chosen)
    assert "protected related objects" in answer.content.decode()
    assert Order.objects.exists()


@pytest.mark.parametrize("model", [models.GiftOrder, models.EngravedGift, models.PlainProxy])
@pytest.mark.parametrize("by", [None, Order])
def test_nor_as_a_child_or_as_a_proxy(model: OwnOrder, by: OwnOrder) -> None:
    order = begun(model)
    with pytest.raises(ProtectedError):
        (by or model).objects.get(pk=order.pk).delete()
    with pytest.raises(ProtectedError):
        (by or model).objects.filter(pk=order.pk).delete()
    assert model.objects.exists()


def test_an_order_that_holds_money_to_decide_on_is_not_deleted(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_details(monkeypatch, type="preauthorization")
    order = an_order()
    shop.pay(order)
    with pytest.raises(ProtectedError):
        order.delete()
    payments.reverse(order.payment_order)
    order.refresh_from_db()
    order.cancel_payment(by="shop")
    order.delete()
    assert not Order.objects.exists()


def test_a_paid_order_of_which_another_page_is_open_is_not_deleted(shop: Shop) -> None:
    shop.pay(begun())
    PaymentOrder.objects.update(state="OPEN")
    payments.start_checkout(PaymentOrder.objects.get())
    PaymentOrder.objects.update(state="PAID")
    with pytest.raises(ProtectedError):
        Order.objects.get().delete()


def test_an_order_whose_payment_nobody_began_is_deleted() -> None:
    Order.objects.create(email="robin@example.com", total="25.00")
    models.Parcel(order=an_order()).save()
    an_order(models.EngravedGift)
    Order.objects.all().delete()
    assert not Order.objects.exists()
    assert PaymentOrder.objects.count() == 2


def test_a_paid_order_is_deleted_and_its_payment_order_stays(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    shop.sell()
    Order.objects.all().delete()
    payments.refund(PaymentOrder.objects.get())
    assert PaymentOrder.objects.get().state == "REFUNDED"
    assert not caplog.records


def test_a_payment_whose_order_was_deleted_all_the_same_is_logged_with_its_reference(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    order = begun()
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {Order._meta.db_table} WHERE id = %s", [order.pk])
    shop.come_back(PaymentOrder.objects.get().payments.get().reference)
    (said,) = [record for record in caplog.records if record.name == "wallet_gateway.bridges"]
    assert said.levelname == "ERROR"
    assert f"order ORDER-{order.pk} holds money (PAID), and the row of own_order.Order" in said.message
    assert OutboxEvent.objects.get().delivered_at is not None


# Children of the shop's order model are told as what they are; a proxy, which no row names, is warned of


@pytest.mark.parametrize("model", [models.GiftOrder, models.EngravedGift])
@pytest.mark.parametrize("paid_as", [None, Order])
def test_a_childs_own_method_is_called(model: OwnOrder, paid_as: OwnOrder, shop: Shop) -> None:
    gift = an_order(model)
    with CaptureQueriesContext(connection) as run:
        shop.pay((paid_as or model).objects.get(pk=gift.pk))
    gift.refresh_from_db()
    assert (gift.status, gift.voucher) == ("paid", "sent")
    if connection.features.has_select_for_update:
        locks = [
            query["sql"] for query in run if "FOR UPDATE" in query["sql"] and "own_order" in query["sql"]
        ]
        # The row with the column is locked before the child's.
        assert ["giftorder" in lock for lock in locks][:2] == [False, True]


def test_a_proxy_with_a_method_of_its_own_is_warned_of() -> None:
    (message,) = check_proxies()
    assert (message.id, message.level, message.obj) == ("wallet_own_order.W001", WARNING, models.ProxyOrder)
    assert message.msg == "payment_changed of the proxy ProxyOrder is not called; that of Order is."
    assert address_of("reference/checks", "wallet_own_order.W001") in (message.hint or "")
