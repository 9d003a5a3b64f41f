"""Records that cannot be read: they spoil no other, are never an absence, and always reach a person."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.operations.aftermath import problems, the_order, told
from tests.operations.conftest import Pay, Resolve, VirtualClock
from tests.operations.dying import scripted
from tests.operations.polling.answers import Row, answered
from tests.operations.records import record
from tests.operations.subjects import Subject
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, TransactionEvent
from wallet_gateway.operations.approvals.resolve import Decision, close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.maintenance.ledger_comparison import compare_all
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt, reconcile_order
from wallet_gateway.protocol import strict_json
from wallet_gateway.protocol.strict_json import NumberText
from wallet_gateway.queries.orders import order_timeline
from wallet_gateway.queries.work_queue import waiting

pytestmark = pytest.mark.django_db
S = TransactionState
Spoil = Callable[[Row], Row | str | None]


# What decides nothing about money


@pytest.mark.parametrize("subject", ["refund"], indirect=True)
def test_a_refund_whose_record_has_an_odd_time_is_found_to_be_approved(
    subject: Subject, context: GatewayContext, clock: VirtualClock
) -> None:
    subject.control.fault("refund", "drop_before")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    sweep(context=answered(context, record(transaction, "5.00", transactionDateTime="15.01.2026")))
    transaction.refresh_from_db()
    assert (transaction.state, subject.booked()) == (S.APPROVED, 500)


# Beside an approval


SIBLINGS: dict[str, Spoil] = {
    "a refund below zero": lambda own: own | {"type": "ecom.refund", "transactionAmount": NumberText("-5")},
    "a chargeback without an id": lambda own: own | {"type": "chargeback", "id": None},
    "a currency that is none": lambda own: own | {"id": "g2", "currencyCode": "XXL"},
    "its own type without a state": lambda own: own | {"id": "g2", "state": ""},
    "without a reference": lambda own: own | {"id": "g2", "clientSystemTransactionId": None},
    "with an error": lambda own: own | {"code": "1", "details": {"message": "no"}},
    "nothing": lambda _own: None,
    "a text": lambda _own: "gone",
}


@pytest.mark.parametrize("spoil", SIBLINGS.values(), ids=SIBLINGS.keys())
@pytest.mark.parametrize("first", [True, False])
def test_an_approved_record_pays_the_order_and_the_unreadable_one_beside_it_reaches_a_person(
    spoil: Spoil, first: bool, open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = open_page()
    own = record(payment.opening, "20.00")
    records = [own, spoil(own)] if first else [spoil(own), own]
    reconcile_attempt(reference=payment.reference, context=answered(context, *records))

    assert (the_order().state, told()) == (OrderState.PAID, ["PAID"])
    payment.refresh_from_db()
    assert (payment.captured, payment.is_frozen) == (2000, False)
    difference = Discrepancy.objects.get()
    assert (difference.kind, difference.closed_at) == ("RECORD_UNREADABLE", None)
    assert "open differences: 1" in problems(clock)
    assert waiting({}, now=clock.now()).discrepancies == (difference,)
    evidence = TransactionEvent.objects.get(kind="RECORDS")
    assert (evidence.lifecycle_event, bool(evidence.answer_body)) == ("APPROVED", True)


def test_the_same_unreadable_record_is_told_once_and_a_further_one_again(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = open_page()
    own = record(payment.opening, "20.00")
    double = own | {"id": None}
    for minute in range(3):
        later = double | {"transactionDateTime": f"10:0{minute}"}
        reconcile_order(order=the_order(), context=answered(context, own, later), everything=True)
    difference = Discrepancy.objects.get()
    assert TransactionEvent.objects.filter(kind="RECORDS").count() == 1

    close_discrepancy(difference, reason="a test of theirs", by="anna", context=context)
    reconcile_order(order=the_order(), context=answered(context, own, double), everything=True)
    assert Discrepancy.objects.filter(closed_at__isnull=True).count() == 0

    third = double | {"state": "Refunded?"}
    reconcile_order(order=the_order(), context=answered(context, own, double, third), everything=True)
    assert Discrepancy.objects.filter(closed_at__isnull=True).count() == 1


def test_what_is_kept_of_an_unreadable_record_is_redacted(open_page: Pay, context: GatewayContext) -> None:
    payment = open_page()
    details = {"apmPayerEmailAddress": "robin@example.com", "apmPayerAccountNumber": "4111111111111111"}
    spoiled = record(payment.opening, "20.00", id=None, apmDetails=details)
    reconcile_attempt(reference=payment.reference, context=answered(context, spoiled))
    kept = TransactionEvent.objects.get(kind="RECORDS").answer_body
    assert payment.reference in kept
    assert "robin" not in kept
    assert "411111" not in kept


# Without one


def test_an_outcome_whose_record_cannot_be_read_is_held_and_calls_a_person_at_once(
    subject: Subject, context: GatewayContext, clock: VirtualClock
) -> None:
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    spoiled = record(transaction, transaction.amount.to_wire(), id=None)
    errored = record(transaction, transaction.amount.to_wire(), id="g2", state="Errored")
    sweep(context=answered(context, errored, spoiled))

    transaction.refresh_from_db()
    assert (transaction.state, transaction.absent_count, transaction.needs_operator) == (S.PENDING, 0, True)
    assert subject.reserved() == subject.amount
    assert transaction.next_query_at is not None
    assert "transactions that wait for a person: 1" in problems(clock)
    assert not subject.is_frozen()
    row = TransactionEvent.objects.get(transaction=transaction, kind="RECORDS")
    assert (row.lifecycle_event, "id: is missing" in row.explanation) == ("HELD", True)


TYPES = {
    "capture": "ecom.capture",
    "refund": "ecom.refund",
    "reversal": "ecom.reversalPreauthorization",
    "detached_refund": "detached.refund",
}


def test_a_refusal_is_no_rejection_beside_a_record_that_may_be_the_first_copy_of_the_request(
    subject: Subject, context: GatewayContext
) -> None:
    error = strict_json.dumps({"code": "1", "details": {"message": "no"}})
    spoiled = strict_json.dumps([{"type": TYPES[subject.name], "id": None}])
    transaction = subject.execute(scripted(context, lambda body: error if body else spoiled))
    assert (transaction.state, subject.reserved()) == (S.UNKNOWN, subject.amount)
    assert Discrepancy.objects.get().kind == "RECORD_UNREADABLE"


def test_what_was_refused_and_done_is_booked_and_the_record_beside_it_told(
    subject: Subject, context: GatewayContext
) -> None:
    subject.control.fault(subject.name, "error_200")
    subject.control.fault("status", "unreadable_record")
    assert subject.execute().state == S.APPROVED
    assert subject.booked() == subject.amount
    kinds = set(Discrepancy.objects.values_list("kind", flat=True))
    assert kinds == {"REPEATED_ON_THE_WIRE", "RECORD_UNREADABLE"}


def test_a_page_does_not_end_unpaid_upon_a_record_that_cannot_be_read(
    open_page: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = open_page()
    clock.advance(hours=1)
    spoiled = record(payment.opening, "20.00", transactionAmount="twenty")
    sweep(context=answered(context, spoiled))

    transaction = payment.opening
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator) == (S.PENDING, True)
    assert the_order().state == OrderState.PENDING
    assert waiting({}, now=clock.now()).stuck == (transaction,)
    assert [str(entry.text) for entry in order_timeline(the_order(), everything=True)][-2:] == [
        "Gateway asked, a record cannot be read",
        "Record unreadable",
    ]

    clock.advance_to(transaction.next_query_at)
    sweep(context=answered(context, record(transaction, "20.00")))
    transaction.refresh_from_db()
    assert (transaction.state, transaction.needs_operator, the_order().state) == (
        S.APPROVED,
        False,
        OrderState.PAID,
    )


def test_a_comparison_names_what_cannot_be_read_and_takes_no_approval_for_missing(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = pay()
    clock.advance(hours=1)
    spoiled = answered(context, record(payment.opening, "20.00", id=None))
    (compared,) = compare_all(context=spoiled, repair_as="anna")
    assert [difference.kind for difference in compared.differences] == ["unreadable"]
    assert Discrepancy.objects.get().kind == "RECORD_UNREADABLE"
    payment.refresh_from_db()
    assert (payment.captured, payment.is_frozen) == (2000, False)


def test_a_person_may_give_up_after_a_day_what_the_gateway_cannot_name(
    subject: Subject, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    spoiled = answered(context, record(transaction, transaction.amount.to_wire(), id=None))
    clock.advance_to(transaction.next_query_at)
    sweep(context=spoiled)
    transaction.refresh_from_db()
    with refuses(InvalidState, ErrorCode.TOO_EARLY):
        resolve(transaction, Decision.DID_NOT_HAPPEN)

    clock.advance(days=1)
    sweep(context=spoiled)
    given_up = resolve(transaction, Decision.DID_NOT_HAPPEN)
    assert (given_up.state, subject.reserved()) == (S.ABANDONED, 0)
    clock.advance_to(given_up.next_query_at)
    sweep(context=answered(context, record(transaction, transaction.amount.to_wire())))
    transaction.refresh_from_db()
    assert transaction.state == S.ANOMALY
