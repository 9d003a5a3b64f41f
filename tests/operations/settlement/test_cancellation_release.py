"""What keeps a cancelled order from being released: a refused page about which nobody has an answer yet."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.conftest import Pay, VirtualClock
from tests.operations.polling.answers import answered
from tests.operations.records import record
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, PaymentOrder
from wallet_gateway.operations.approvals.resolve import Decision, resolve
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.maintenance.retention import erase_customer
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.settlement.cancellation import cancel

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S = TransactionState


def current() -> PaymentOrder:
    return PaymentOrder.objects.get()


def refused_page(pay: Pay, clock: VirtualClock) -> GatewayTransaction:
    """A page on which a card was refused, of an order that is then cancelled."""
    payment = pay("refused")
    cancel(order=payment.order, by="shop", note="", clock=clock)
    return payment.opening


def sweep_for(context: GatewayContext, clock: VirtualClock, *, hours: int) -> None:
    for _ in range(hours * 2):
        clock.advance(minutes=30)
        sweep(context=context)


def errored(transaction: GatewayTransaction, **changes: Any) -> dict[str, Any]:
    return record(transaction, "20.00", id="refused", state="Errored", **changes)


def test_a_refused_page_with_a_record_that_cannot_be_read_waits_for_a_person(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    """The unreadable record may be the approval of a second card."""
    page = refused_page(pay, clock)
    refusal = errored(page)
    unclear = answered(context, refusal, refusal | {"id": "g2", "state": ""})
    sweep_for(unclear, clock, hours=3)
    held = GatewayTransaction.objects.get()
    assert (held.state, held.needs_operator) == (S.PENDING, True)
    assert (Discrepancy.objects.get().kind, current().is_released) == ("RECORD_UNREADABLE", False)

    sweep_for(unclear, clock, hours=24)
    denied = Decision.DID_NOT_HAPPEN
    resolve(held, decision=denied, reason="says the provider", by="anna", context=context)
    sweep_for(unclear, clock, hours=2)
    assert current().is_released, "a person has read the record"


def test_a_refused_page_with_a_record_in_an_undocumented_state_is_not_unpaid_yet(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    page = refused_page(pay, clock)
    refusal = errored(page)
    sweep_for(answered(context, refusal, refusal | {"id": "g2", "state": "Held"}), clock, hours=3)
    assert not current().is_released

    sweep_for(answered(context, refusal), clock, hours=30)
    assert current().is_released


def test_erasing_the_customer_of_a_refused_page_that_may_be_paid_waits_for_its_end(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    """Without its page's address the order would be released at once."""
    page = refused_page(pay, clock)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, transaction=page.reference, state=S.REJECTED):
        erase_customer(current(), by="anna", reason="asked for it", clock=clock)
    clock.advance(minutes=2)
    sweep(context=context)
    assert not current().is_released

    sweep_for(context, clock, hours=2)
    assert current().is_released
    assert erase_customer(current(), by="anna", reason="asked for it", clock=clock).is_erased
