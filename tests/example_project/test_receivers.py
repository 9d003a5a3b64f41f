"""The fulfilment receiver: called twice, called for somebody else, and killed half-way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import DatabaseError
from django.utils import timezone

from example_project.shop import receivers
from example_project.shop.models import PackingSlip, Product
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.signals import order_paid

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any

    from tests.example_project.conftest import Visitor
    from wallet_gateway.testing.sandbox import SandboxControl


def tell(reference: str, event_id: str = "event-1") -> None:
    order = PaymentOrder.objects.filter(reference=reference).first()
    order_paid.send(
        PaymentOrder,
        event_id=event_id,
        reference=reference,
        order=order,
        amount=order.amount if order else None,
        occurred_at=timezone.now(),
    )


def stock(slug: str) -> int | None:
    return Product.objects.get(slug=slug).stock


def test_a_paid_order_is_packed_and_taken_off_the_shelf(visitor: Visitor) -> None:
    order = visitor.order("harbour-mug", "lichen-ink")
    tell(order.number)

    assert PackingSlip.objects.get().order == order
    assert (stock("harbour-mug"), stock("lichen-ink")) == (47, 2)


@pytest.mark.parametrize("second", ["event-1", "event-2"], ids=["same fact", "another fact"])
def test_being_told_twice_packs_once(visitor: Visitor, second: str) -> None:
    order = visitor.order("harbour-mug")
    tell(order.number)
    tell(order.number, second)

    assert PackingSlip.objects.count() == 1
    assert stock("harbour-mug") == 47


@pytest.mark.django_db
def test_somebody_elses_order_is_none_of_the_shops_business(
    django_assert_num_queries: Callable[[int], AbstractContextManager[Any]],
) -> None:
    with django_assert_num_queries(0):
        receivers.pack(event_id="event-1", reference="DONATION-7")


def test_what_died_half_way_is_done_again_as_a_whole(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = visitor.order("harbour-mug")

    def die(_order: object) -> None:
        raise DatabaseError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(receivers, "_take_from_stock", die)
        with pytest.raises(DatabaseError):
            receivers.pack(event_id="event-1", reference=order.number)
    assert not PackingSlip.objects.exists()

    tell(order.number)
    assert PackingSlip.objects.count() == 1
    assert stock("harbour-mug") == 47


@pytest.mark.django_db(transaction=True)
def test_the_outbox_tells_it_and_telling_again_changes_nothing(
    visitor: Visitor, wallet_sandbox: SandboxControl
) -> None:
    order = visitor.order("harbour-mug")
    attempt = payments.start_checkout(payments.get_order(order.number))
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    payments.reconcile(attempt)
    payments.maintenance.deliver_events()
    tell(order.number, order.packing_slip.event_id)

    assert PackingSlip.objects.count() == 1
    assert stock("harbour-mug") == 47
