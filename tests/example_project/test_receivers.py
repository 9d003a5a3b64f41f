"""The fulfilment receiver: called twice, called for somebody else, and killed half-way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import DatabaseError
from django.utils import timezone

from example_project.shop import receivers
from example_project.shop.models import PackingSlip, Product
from tests.support.database_faults import meddling, raising, update_of
from wallet_gateway import payments
from wallet_gateway.models import PaymentOrder
from wallet_gateway.signals import order_paid

if TYPE_CHECKING:
    from tests.example_project.conftest import Visitor
    from wallet_gateway.testing.sandbox import SandboxControl


def tell(reference: str, event_id: str = "event-1") -> None:
    order = PaymentOrder.objects.get(reference=reference)
    fact = {"event_id": event_id, "reference": reference, "occurred_at": timezone.now()}
    order_paid.send(PaymentOrder, order=order, amount=order.amount, **fact)


def packed() -> tuple[int, int | None]:
    """How often something was packed, and how many mugs are left."""
    return PackingSlip.objects.count(), Product.objects.get(slug="harbour-mug").stock


def test_what_died_half_way_is_done_again_as_a_whole(visitor: Visitor) -> None:
    order = visitor.order("harbour-mug")

    full = raising(DatabaseError("the disk is full"))
    with meddling(update_of("shop_product"), act=full), pytest.raises(DatabaseError):
        receivers.pack(event_id="event-1", reference=order.number)
    assert packed() == (0, 48)

    tell(order.number)
    assert packed() == (1, 47)


@pytest.mark.django_db(transaction=True)
def test_the_outbox_tells_it_and_telling_again_packs_nothing(
    visitor: Visitor, wallet_sandbox: SandboxControl
) -> None:
    order = visitor.order("harbour-mug")
    attempt = payments.start_checkout(payments.get_order(order.number))
    wallet_sandbox.complete_checkout(attempt.reference, "success")
    payments.reconcile(attempt)
    payments.maintenance.deliver_events()
    for event_id in (order.packing_slip.event_id, "another fact"):
        tell(order.number, event_id)
    assert packed() == (1, 47)
