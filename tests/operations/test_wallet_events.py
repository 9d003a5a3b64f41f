"""What a browser reports: kept tame, kept short, and believed by nobody."""

from __future__ import annotations

import pytest

from tests.operations.conftest import MakeOrder
from tests.operations.wallet_customer import Customer
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.models.wallet import MOST_EVENTS, WalletEvent
from wallet_gateway.operations.wallet_attempts import UnknownWalletReference
from wallet_gateway.operations.wallet_events import note_event

pytestmark = pytest.mark.django_db


def test_events_are_kept_in_order_and_the_oldest_go(customer: Customer, make_order: MakeOrder) -> None:
    order = make_order()
    button = customer.open(order)
    for number in range(MOST_EVENTS + 3):
        note_event(
            order=order,
            reference=button.reference,
            session=customer.session,
            event=WalletEvent.ERROR,
            message=f"fault {number} of 4111111111111111",
            clock=customer.context.clock,
        )
    events = WalletAttempt.objects.get().events
    assert len(events) == MOST_EVENTS
    assert events[-1]["detail"] == f"fault {MOST_EVENTS + 2} of ***1111"
    assert PaymentOrder.objects.get().state == OrderState.OPEN


def test_nobody_reports_for_another(customer: Customer, make_order: MakeOrder) -> None:
    order = make_order()
    button = customer.open(order)
    with pytest.raises(UnknownWalletReference):
        note_event(
            order=order,
            reference=button.reference,
            session="another",
            event=WalletEvent.CLOSED,
            message="",
            clock=customer.context.clock,
        )
