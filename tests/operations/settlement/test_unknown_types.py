"""Types that the interface does not name: each is a difference that freezes, unless it is called a note."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.operations.conftest import Pay
from tests.operations.dying import scripted
from tests.operations.records import answer_of, record
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, Payment
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.polling.reconciliation import reconcile_order

pytestmark = pytest.mark.django_db
S = TransactionState


def _told_of(payment: Payment, context: GatewayContext, *types: str) -> GatewayContext:
    opening = payment.opening
    own = record(opening, "20.00", id=opening.record_id)
    strange = [record(opening, "20.00", id=f"x-{name}", type=name) for name in types]
    return scripted(context, answer_of(own, *strange))


def test_a_chargeback_is_one_difference_that_freezes_and_is_signalled(
    pay: Pay, context: GatewayContext
) -> None:
    payment = pay()
    told = _told_of(payment, context, "chargeback")
    for _ in range(3):
        reconcile_order(order=payment.order, context=told, everything=True)

    found = Discrepancy.objects.get()
    assert (found.kind, found.explanation_code) == ("UNKNOWN_TYPE", "unknown_type")
    assert "chargeback" in str(found.explanation)
    assert OutboxEvent.objects.filter(kind="ANOMALY").count() == 1
    payment = Payment.objects.get()
    assert (payment.is_frozen, payment.captured, payment.refunded) == (True, 2000, 0)
    assert GatewayTransaction.objects.get().state == S.APPROVED


def test_the_news_of_a_payment_is_not_held_back_for_a_note_of_the_gateway_beside_it(
    open_page: Pay, context: GatewayContext
) -> None:
    opening = open_page().opening
    note = record(opening, "20.00", id="n1", type="ecom.authentication")
    told = scripted(context, answer_of(record(opening, "20.00"), note))
    order = reconcile_order(order=opening.opened_payment.order, context=told)
    assert order.state == OrderState.PAID
    again = reconcile_order(order=order, context=told, everything=True)
    assert again.state == OrderState.PAID, "what is known already freezes nothing later"
    assert set(OutboxEvent.objects.values_list("kind", flat=True)) == {"PAID", "ANOMALY"}


def test_a_second_unknown_record_is_signalled_too(pay: Pay, context: GatewayContext) -> None:
    payment = pay()
    for types in (["chargeback"], ["chargeback", "retrieval"]):
        told = _told_of(payment, context, *types)
        reconcile_order(order=payment.order, context=told, everything=True)
    assert Discrepancy.objects.count() == OutboxEvent.objects.filter(kind="ANOMALY").count() == 2


def test_a_type_that_the_settings_call_a_note_is_no_difference(pay: Pay, context: GatewayContext) -> None:
    payment = pay()
    quiet = replace(context.policy, ignored_record_types=frozenset({"fraud.note"}))
    told = replace(_told_of(payment, context, "Fraud.Note"), policy=quiet)
    reconcile_order(order=payment.order, context=told, everything=True)
    assert not Discrepancy.objects.exists()
