"""What `tests.contrib.test_bridges` runs in the shop with its own orders, in a process of its own."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.db import transaction as db_transaction
from django.db.models import Manager, QuerySet
from django.test import Client
from django.utils import timezone

from tests.contrib.own_order import models
from wallet_gateway import payments
from wallet_gateway.contrib.own_order.receivers import _follow
from wallet_gateway.models import OutboxEvent, PaymentOrder

if TYPE_CHECKING:
    from collections.abc import Callable

    from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db(transaction=True)

Order: Any = vars(models)["Order"]


@pytest.fixture(autouse=True)
def gateway(wallet_sandbox: SandboxControl) -> SandboxControl:
    return wallet_sandbox


def pay(client: Client, gateway: SandboxControl, outcome: str = "success") -> Any:  # noqa: ANN401
    order = Order.objects.latest("pk")
    attempt = payments.start_checkout(order.payment_order)
    back = gateway.complete_checkout(attempt.reference, outcome)
    return client.get(client.get(back)["Location"])


@pytest.fixture
def paid(client: Client, gateway: SandboxControl) -> Any:  # noqa: ANN401
    client.post("/place/", {"email": "robin@example.com"})
    pay(client, gateway)
    return Order.objects.get()


def test_a_customer_places_an_order_pays_and_is_thanked(client: Client, gateway: SandboxControl) -> None:
    answer = client.post("/place/", {"email": "robin@example.com"})
    order = Order.objects.get()
    assert answer["Location"] == order.pay_url
    assert client.get(order.pay_url).status_code == 200
    assert f"/thanks/{order.pk}/" in pay(client, gateway).content.decode()
    assert "Thank you. It is paid." in client.get(f"/thanks/{order.pk}/").content.decode()


def test_nobody_else_is_shown_the_order(client: Client) -> None:
    client.post("/place/", {"email": "robin@example.com"})
    order = Order.objects.get()
    assert Client().get(f"/thanks/{order.pk}/").status_code == 404
    assert client.get(f"/thanks/{order.pk + 1}/").status_code == 404
    assert client.get(f"/thanks/{order.pk}/").status_code == 200


def test_an_order_that_cannot_be_paid_is_not_stored() -> None:
    with pytest.raises(payments.errors.InvalidInput), db_transaction.atomic():
        Order.objects.create(email="no address", total="25.00").create_payment_order()
    assert not Order.objects.exists()
    assert not PaymentOrder.objects.exists()


def test_an_order_that_has_changed_is_not_paid_at_its_old_price(client: Client) -> None:
    client.post("/place/", {"email": "robin@example.com"})
    order = Order.objects.get()
    order.total *= 2
    with pytest.raises(payments.errors.IdempotencyConflict):
        order.create_payment_order()


def test_a_refused_payment_changes_nothing_of_it(client: Client, gateway: SandboxControl) -> None:
    client.post("/place/", {"email": "robin@example.com"})
    pay(client, gateway, "refused")
    assert Order.objects.get().status == "new"
    pay(client, gateway)
    assert Order.objects.get().status == "paid"


def test_events_that_come_late_tell_the_state_of_now(paid: Any) -> None:  # noqa: ANN401
    as_it_was = PaymentOrder.objects.get()
    payments.refund(paid.payment_order)
    _follow(order=as_it_was)
    assert Order.objects.get().status == "refunded"


def test_an_order_that_the_shops_own_manager_leaves_out_hears_of_its_payment(
    client: Client, gateway: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/place/", {"email": "robin@example.com"})
    only_paid = Manager.from_queryset(QuerySet)()
    only_paid.model = Order
    monkeypatch.setattr(only_paid, "get_queryset", lambda: QuerySet(Order).filter(status="paid"))
    monkeypatch.setitem(Order._meta.__dict__, "default_manager", only_paid)
    assert not Order._default_manager.exists()
    pay(client, gateway)
    assert Order.objects.get().status == "paid"


def test_a_method_that_fails_stores_nothing_and_is_called_again(
    client: Client, gateway: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(order: Any, state: str) -> None:  # noqa: ANN401
        order.status = state.lower()
        order.save()
        raise ConnectionError("the warehouse does not answer")

    client.post("/place/", {"email": "robin@example.com"})
    with monkeypatch.context() as patch:
        patch.setattr(Order, "payment_changed", fail)
        pay(client, gateway)
    assert Order.objects.get().status == "new"
    assert OutboxEvent.objects.get().delivered_at is None
    _follow(order=PaymentOrder.objects.get())
    assert Order.objects.get().status == "paid"


# Cancellation


def an_order() -> Any:  # noqa: ANN401
    order = Order.objects.create(email="robin@example.com", total="25.00")
    order.create_payment_order()
    return order


def status_and_stock() -> tuple[str, bool]:
    order = Order.objects.get()
    return order.status, order.holds_stock


def test_goods_are_free_only_when_the_open_page_has_ended(pass_time: Callable[..., None]) -> None:
    order = an_order()
    payments.start_checkout(order.payment_order)
    assert order.cancel_payment(by="shop").is_cancelled
    assert (order.is_released, status_and_stock()) == (False, ("cancelled", True))
    pass_time(minutes=45)
    assert status_and_stock() == ("cancelled", False)
    assert Order.objects.get().is_released


def test_an_order_that_nobody_pays_in_time_is_released(
    monkeypatch: pytest.MonkeyPatch, pass_time: Callable[..., None]
) -> None:
    details, until = Order.payment_details, timezone.now() + timedelta(minutes=20)
    monkeypatch.setattr(Order, "payment_details", lambda order: details(order) | {"payable_until": until})
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


def test_an_order_that_holds_money_is_not_cancelled(paid: Any) -> None:  # noqa: ANN401
    with pytest.raises(payments.errors.InvalidState) as refused:
        paid.cancel_payment(by="shop")
    assert refused.value.code == "refund_needed"
    assert status_and_stock() == ("paid", True)


def test_a_late_payment_frees_the_goods_only_after_its_refund(
    client: Client,
    gateway: SandboxControl,
    pass_time: Callable[..., None],
) -> None:
    order = an_order()
    attempt = payments.start_checkout(order.payment_order)
    order.cancel_payment(by="shop")
    client.get(gateway.complete_checkout(attempt.reference, "success"))
    pass_time(minutes=45)
    assert (PaymentOrder.objects.get().state, status_and_stock()) == ("FROZEN", ("cancelled", True))
    payments.refund(PaymentOrder.objects.get())
    pass_time(minutes=5)
    assert status_and_stock() == ("refunded", False)


def test_a_release_that_is_told_after_an_accepted_payment_frees_nothing(
    client: Client, gateway: SandboxControl
) -> None:
    order = an_order()
    attempt = payments.start_checkout(order.payment_order)
    gateway.complete_checkout(attempt.reference, "success")
    payments.reconcile(order.payment_order)
    # A late payment that was accepted: money, and the instant of the release.
    PaymentOrder.objects.update(cancelled_at=timezone.now(), released_at=timezone.now())
    _follow(order=PaymentOrder.objects.get())
    assert status_and_stock() == ("paid", True)


def test_the_guide_is_followed(paid: Any, follow: Callable[..., None]) -> None:  # noqa: ANN401
    follow("docs/how-to/own-order-model.md")
