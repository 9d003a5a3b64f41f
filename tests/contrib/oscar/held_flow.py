"""Rows of oscar that the shop writes as well: nothing older is written back, nothing missed in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from django.core import mail
from django.db.models.signals import post_save
from django.test import Client
from oscar.core.loading import get_class, get_model

from tests.contrib.oscar.shop import PAID_BOOKS, Order, books, pay, place_an_order, to_pay
from wallet_gateway import payments
from wallet_gateway.contrib.mails.once import send_once
from wallet_gateway.models import PaymentOrder

if TYPE_CHECKING:
    from wallet_gateway.testing.control import SandboxControl

pytest_plugins = ["tests.contrib.oscar.fixtures"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:update is not implemented in this backend"),  # of the simple search
]


@pytest.fixture
def clerk_who_notes() -> Iterator[None]:
    """The shop's own receiver, which writes into order and source when money has moved."""

    def note(instance: Any, **_rest: object) -> None:  # noqa: ANN401
        orders = Order.objects.filter(pk=instance.order_id)
        orders.update(guest_email=f"{instance.event_type.name}@example.com")
        orders.get().sources.update(label=instance.event_type.name)

    events = get_model("order", "PaymentEvent")
    post_save.connect(note, sender=events)
    yield
    post_save.disconnect(note, sender=events)


@pytest.mark.usefixtures("clerk_who_notes")
def test_what_the_shop_writes_when_it_hears_of_a_payment_stays(client: Client, shop: SandboxControl) -> None:
    place_an_order(client)
    pay(client, shop)
    order = Order.objects.get()
    assert (order.status, order.guest_email) == ("Being processed", "Paid@example.com")
    assert order.sources.get().label == "Paid"
    assert books() == PAID_BOOKS


@pytest.mark.usefixtures("clerk_who_notes")
def test_what_the_shop_writes_when_it_hears_of_a_capture_stays_when_it_ships(
    client: Client,
    shop: SandboxControl,
    config: Any,  # noqa: ANN401
) -> None:
    config(payment_type="preauthorization")
    place_an_order(client)
    pay(client, shop)
    order = Order.objects.get()
    event_type = get_model("order", "PaymentEventType").objects.get(name="Paid")
    get_class("order.processing", "EventHandler")().handle_payment_event(
        order, event_type, order.total_incl_tax
    )
    order.set_status("Complete")
    row = Order.objects.get()
    assert (row.status, row.guest_email) == ("Complete", "Paid@example.com")


def test_an_order_that_is_cancelled_while_its_payment_is_recorded_stays_cancelled(
    client: Client, shop: SandboxControl, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancel_first(order: PaymentOrder, template: str, send: Callable[[], object]) -> None:
        Order.objects.update(status="Cancelled")
        send_once(order, template, send)

    monkeypatch.setattr("wallet_gateway.contrib.oscar.receivers.send_once", cancel_first)
    place_an_order(client)
    pay(client, shop)
    order = Order.objects.get()
    assert (order.status, mail.outbox) == ("Cancelled", [])
    assert "after the cancellation" in order.notes.get().message


# Orders that were deleted


def missed(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [line.getMessage() for line in caplog.records if line.name == "wallet_gateway.bridges"]


def test_money_for_an_order_that_was_deleted_is_an_error_in_the_log(
    client: Client, shop: SandboxControl, caplog: pytest.LogCaptureFixture
) -> None:
    place_an_order(client)
    order = to_pay()
    Order.objects.all().delete()
    client.get(shop.complete_checkout(order.payments.get().reference, "success"))
    assert payments.get_order(order.reference).is_paid
    (said,) = missed(caplog)
    assert order.reference in said
    assert not order.outbox_events.filter(delivered_at=None).exists()
