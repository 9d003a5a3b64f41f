"""What a browser reports: kept tame, kept short, and believed by nobody."""

from __future__ import annotations

import pytest

from tests.operations.conftest import MakeOrder
from tests.operations.wallet_customer import Customer
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.models import PaymentOrder, WalletAttempt
from wallet_gateway.models.wallet import MOST_EVENTS, WalletEvent
from wallet_gateway.operations.wallet.events import record_event

pytestmark = pytest.mark.django_db


def test_the_first_twenty_events_are_kept_in_order(customer: Customer, make_order: MakeOrder) -> None:
    order = make_order()
    button = customer.open(order)
    for number in range(MOST_EVENTS + 3):
        record_event(
            order=order,
            reference=button.reference,
            session=customer.session,
            event=WalletEvent.ERROR,
            message=f"fault {number} of 4111111111111111",
            context=customer.context,
        )
    events = WalletAttempt.objects.get().events
    assert len(events) == MOST_EVENTS
    assert events[-1]["detail"] == f"fault {MOST_EVENTS - 1} of ***1111"
    assert PaymentOrder.objects.get().state == OrderState.OPEN


@pytest.mark.parametrize("event", [WalletEvent.READY, WalletEvent.UNAVAILABLE])
def test_a_page_that_is_loaded_again_says_the_same_once(
    customer: Customer, make_order: MakeOrder, event: WalletEvent
) -> None:
    order = make_order()
    for reported in (event, WalletEvent.CLOSED, event, WalletEvent.CLOSED):
        record_event(
            order=order,
            reference=customer.open(order).reference,
            session=customer.session,
            event=reported,
            message="",
            context=customer.context,
        )
    assert [kept["event"] for kept in WalletAttempt.objects.get().events] == [event, "CLOSED", "CLOSED"]
