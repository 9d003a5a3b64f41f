"""Records that cannot be read: they spoil no other, are never an absence, and always reach a person."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.money.polling.asking import sweep_until
from tests.money.sending.movers import FOLLOW_UPS, mover
from tests.support.gateway import losing, record, refusing
from tests.support.refusals import refuses
from tests.support.shop import Shop, kinds, kinds_told, of, open_differences, order_of, reloaded, state
from wallet_gateway import payments
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.payments.errors import InvalidState

pytestmark = pytest.mark.django_db
Row = dict[str, Any]
Spoil = Callable[[Row], Row | str | None]
SIBLINGS: dict[str, Spoil] = {
    "a refund below zero": lambda own: own | {"type": "ecom.refund", "transactionAmount": -5},
    "a chargeback without an id": lambda own: own | {"type": "chargeback", "id": None},
    "a currency that is none": lambda own: own | {"id": "g2", "currencyCode": "XXL"},
    "its own type without a state": lambda own: own | {"id": "g2", "state": ""},
    "without a reference": lambda own: own | {"id": "g2", "clientSystemTransactionId": None},
    "with an error": lambda own: own | {"code": "1", "details": {"message": "no"}},
    "nothing": lambda _own: None,
    "a text": lambda _own: "gone",
}


@pytest.mark.parametrize("spoil", SIBLINGS.values(), ids=SIBLINGS.keys())
def test_an_approved_record_pays_the_order_and_the_unreadable_one_beside_it_reaches_a_person(
    spoil: Spoil, shop: Shop
) -> None:
    first, last = shop.begin(), shop.begin()
    for payment in (first, last):
        own = record(payment.reference)
        records = [own, spoil(own)]
        shop.report(payment, *(records if payment == first else reversed(records)))
        payments.reconcile(payment)
        payment.refresh_from_db()
        assert (state(payment)[0], payment.captured, payment.is_frozen) == ("PAID", 3000, False)
        assert kinds(payment) == {"RECORD_UNREADABLE"}
        evidence = TransactionEvent.objects.get(transaction=payment.opening, kind="RECORDS")
        assert (evidence.lifecycle_event, evidence.answer_body != "") == ("APPROVED", True)
    assert kinds_told() == ["PAID", "PAID"]


def test_the_same_unreadable_record_is_told_once_and_a_further_one_again(shop: Shop) -> None:
    payment = shop.begin()
    own = record(payment.reference)
    double = own | {"id": None}
    for minute in range(3):
        shop.report_and_ask(payment, own, double | {"transactionDateTime": f"10:0{minute}"})
    (difference,) = open_differences()
    assert TransactionEvent.objects.filter(kind="RECORDS").count() == 1

    payments.approvals.close_discrepancy(difference, reason="a test of theirs", by="anna")
    shop.report_and_ask(payment, own, double)
    assert open_differences() == []
    shop.report_and_ask(payment, own, double, double | {"state": "Refunded?"})
    assert len(open_differences()) == 1


def test_what_is_kept_of_an_unreadable_record_is_redacted(shop: Shop) -> None:
    payment = shop.begin()
    details = {"apmPayerEmailAddress": "robin@example.com", "apmPayerAccountNumber": "4111111111111111"}
    shop.report_and_ask(payment, record(payment.reference, id=None, apmDetails=details))
    kept = TransactionEvent.objects.get(kind="RECORDS").answer_body
    assert [payment.reference in kept, "robin" in kept, "411111" in kept] == [True, False, False]


def test_a_time_that_cannot_be_read_decides_nothing_about_money(shop: Shop) -> None:
    operation = mover("refund", shop)
    operation.will(losing)
    transaction = operation.execute()
    shop.report(transaction, of(transaction, transactionDateTime="15.01.2026"))
    sweep_until(shop, transaction, lambda row: row.state != "UNKNOWN")
    assert transaction.state == "APPROVED"
    operation.check_money(transaction)


# Without an approval


@pytest.mark.parametrize("name", FOLLOW_UPS)
def test_an_outcome_whose_record_cannot_be_read_is_held_and_a_persons_who_may_give_it_up_after_a_day(
    name: str, shop: Shop
) -> None:
    operation = mover(name, shop)
    operation.will(losing)
    transaction = operation.execute()
    shop.report(transaction, of(transaction, id="g2", state="Errored"), of(transaction, id=None))
    shop.sweep_when_due(transaction)
    assert (transaction.state, transaction.absent_count, transaction.needs_operator) == ("PENDING", 0, True)
    assert transaction.next_query_at is not None
    operation.check_money(transaction)
    assert not operation.row().is_frozen
    event = TransactionEvent.objects.get(transaction=transaction, kind="RECORDS")
    assert (event.lifecycle_event, "id: is missing" in event.explanation) == ("HELD", True)

    decide: dict[str, Any] = {"decision": "DID_NOT_HAPPEN", "reason": "looked it up", "by": "anna"}
    with refuses(InvalidState, ErrorCode.TOO_EARLY):
        payments.approvals.resolve(transaction, **decide)
    shop.clock.by += timedelta(days=1)
    payments.sweep()
    given_up = payments.approvals.resolve(transaction, **decide)
    assert (given_up.state, operation.held()) == ("ABANDONED", 0)
    shop.report(transaction, of(transaction))
    shop.sweep_when_due(given_up)
    assert reloaded(transaction).state == "ANOMALY"


def test_what_was_refused_and_done_is_booked_and_the_record_beside_it_told(shop: Shop) -> None:
    operation = mover("refund", shop)
    operation.will(refusing(400))

    def query(reference: str) -> tuple[int, object]:
        own = of(GatewayTransaction.objects.get(reference=reference))
        return 200, [own, own | {"id": None}]

    shop.gateway.queries.append(query)
    transaction = operation.execute()
    assert transaction.state == "APPROVED"
    operation.check_money(transaction)
    assert kinds() == {"REPEATED_ON_THE_WIRE", "RECORD_UNREADABLE"}


def test_a_page_does_not_end_unpaid_upon_a_record_that_cannot_be_read(shop: Shop) -> None:
    payment = shop.begin()
    shop.clock.by += timedelta(hours=1)
    shop.report(payment, record(payment.reference, transactionAmount="twenty"))
    payments.sweep()
    transaction = payment.opening
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator, state(payment)[0]) == ("PENDING", True, "PENDING")
    timeline = payments.orders.order_timeline(order_of(payment), everything=True)
    assert [str(entry.text) for entry in timeline][-2:] == [
        "Gateway asked, a record cannot be read",
        "Record unreadable",
    ]
    shop.report(payment, record(payment.reference))
    sweep_until(shop, transaction, lambda row: row.state != "PENDING")
    assert (transaction.state, transaction.needs_operator, state(payment)[0]) == ("APPROVED", False, "PAID")
