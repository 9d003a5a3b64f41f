"""Our books against the gateway's: each difference by type, a repair as evidence, and a silent gateway."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, Pay, VirtualClock
from tests.operations.dying import filing
from tests.operations.records import answer_of, record
from tests.refusals import refuses
from wallet_gateway.client.exchange import Answer
from wallet_gateway.domain.comparison import DifferenceKind
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    Payment,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayUnreachable, InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.maintenance import ledger_comparison
from wallet_gateway.operations.maintenance.ledger_comparison import (
    BACKOFF,
    ComparedTransaction,
    comparable,
    compare_all,
)
from wallet_gateway.operations.maintenance.sweep import send_unsent
from wallet_gateway.operations.polling.reconciliation import reconcile_attempt
from wallet_gateway.operations.settlement.settle import reread
from wallet_gateway.protocol.status import StatusAnswer
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
D, S = DifferenceKind, TransactionState


def compare(context: GatewayContext, *, repair_as: str = "", after: int = 0) -> list[ComparedTransaction]:
    return list(compare_all(context=context, repair_as=repair_as, after=after))


def kinds(rows: list[ComparedTransaction]) -> list[DifferenceKind]:
    return [difference.kind for row in rows for difference in row.differences]


def opening(payment: Payment) -> GatewayTransaction:
    return GatewayTransaction.objects.select_related("payment__order").get(reference=payment.reference)


def saying(context: GatewayContext, transaction: GatewayTransaction, **changes: object) -> GatewayContext:
    """A gateway whose record of a sale of 20.00 EUR has these changes; it knows of nothing else."""
    own = record(transaction, "20.00", id=transaction.record_id) | changes
    return filing(context, {transaction.reference: answer_of(own)})


CHANGES: Mapping[str, tuple[dict[str, object], DifferenceKind]] = {
    "amount": ({"transactionAmount": 19.5}, D.AMOUNT),
    "currency": ({"currencyCode": "USD"}, D.CURRENCY),
    "state": ({"state": "Errored"}, D.STATE),
    "pending": ({"state": "Pending"}, D.STATE),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_record_that_differs_is_named_by_type_and_nothing_is_changed(
    name: str, pay: Pay, context: GatewayContext
) -> None:
    payment = pay()
    changes, kind = CHANGES[name]
    if "transactionAmount" in changes:
        told = filing(context, {payment.reference: answer_of(record(opening(payment), "19.50"))})
    else:
        told = saying(context, opening(payment), **changes)
    before = TransactionEvent.objects.count()
    assert kinds(compare(told)) == [kind]
    assert (TransactionEvent.objects.count(), Discrepancy.objects.count()) == (before, 0)
    payment.refresh_from_db()
    assert not payment.is_frozen


@pytest.mark.parametrize("further", [["g2"], ["g2", "g3"]], ids=["one", "two"])
def test_each_further_execution_is_a_duplicate(further: list[str], pay: Pay, context: GatewayContext) -> None:
    transaction = opening(pay())
    told = [record(transaction, "20.00", id=one) for one in (transaction.record_id, *further)]
    gateway = filing(context, {transaction.reference: answer_of(*told)})
    assert kinds(compare(gateway)) == [D.DUPLICATE] * len(further)


def test_what_the_gateway_has_forgotten_is_missing_there_and_a_task_when_repaired(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = pay()
    assert kinds(compare(filing(context, {}))) == [], "a record may show some minutes after the answer"
    clock.advance(minutes=16)
    (row,) = compare(filing(context, {}), repair_as="anna")
    assert row.repaired
    assert kinds([row]) == [D.MISSING_THERE]
    difference = Discrepancy.objects.get()
    assert (difference.kind, difference.transaction) == (DiscrepancyKind.MISSING_THERE, opening(payment))
    payment.refresh_from_db()
    assert (payment.is_frozen, opening(payment).state) == (False, S.APPROVED)
    evidence = TransactionEvent.objects.latest("pk")
    assert (evidence.kind, evidence.created_by) == (TransactionEventKind.RECORDS, "anna")
    assert evidence.explanation == "Reconciled (1): The gateway has no record of it"


def test_an_approval_that_is_refused_there_freezes_when_repaired_until_a_person_decides(
    pay: Pay, context: GatewayContext
) -> None:
    payment = pay()
    told = saying(context, opening(payment), state="Errored")
    compare(told, repair_as="anna")
    difference = Discrepancy.objects.get()
    assert difference.kind == DiscrepancyKind.STATE_DIFFERS
    assert opening(payment).state == S.APPROVED, "what was approved is not silently taken back"
    with refuses(InvalidState, ErrorCode.PAYMENT_FROZEN):
        refund(payment=payment, context=context)

    resolutions.close_discrepancy(difference, reason="their typo", by="bob", context=context)
    payment.refresh_from_db()
    assert not payment.is_frozen
    assert kinds(compare(told)) == [], "what a person has closed is no difference any more"


def test_what_stands_beside_a_closed_difference_is_a_difference_still(
    pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = opening(pay())
    clock.advance(hours=1)
    missing = filing(context, {transaction.reference: b"[]"})
    compare(missing, repair_as="anna")
    resolutions.close_discrepancy(Discrepancy.objects.get(), reason="archived", by="anna", context=context)
    assert kinds(compare(missing)) == []

    portal = record(transaction, "5.00", id="g9", type="ecom.refund")
    beside = filing(context, {transaction.reference: answer_of(portal)})
    assert kinds(compare(beside)) == [D.MADE_ELSEWHERE]


def test_what_is_settled_while_the_gateway_is_asked_is_no_difference(
    open_page: Pay, wallet_sandbox: SandboxControl, context: GatewayContext
) -> None:
    payment = open_page()
    pending = saying(context, opening(payment), state="Pending").gateway.status(payment.reference)
    asking = replace(context, gateway=copy.copy(context.gateway))

    def paid_meanwhile(reference: str) -> Answer[StatusAnswer]:
        asking.gateway.status = context.gateway.status  # type: ignore[method-assign]
        wallet_sandbox.complete_checkout(reference, "success")
        reconcile_attempt(reference=reference, context=context)
        return pending

    asking.gateway.status = paid_meanwhile  # type: ignore[method-assign]
    assert kinds(compare(asking, repair_as="anna")) == []
    payment.refresh_from_db()
    assert (payment.captured, payment.is_frozen) == (2000, False)


# What is compared


def test_what_was_never_sent_and_what_is_old_is_not_asked_about(
    pay: Pay, context: GatewayContext, make_context: MakeContext, clock: VirtualClock
) -> None:
    old = pay()
    clock.advance(days=41)
    recent = pay()
    references = [transaction.reference for transaction in comparable(context=context)]
    assert references == [recent.reference]
    everything = comparable(context=context, touched=timedelta(days=60))
    assert [transaction.reference for transaction in everything] == [old.reference, recent.reference]
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    assert refund(payment=recent, context=unreachable).state == S.NOT_SENT
    assert comparable(context=context).count() == 1
    assert comparable(context=context, unsent=True).count() == 2
    assert not comparable(context=make_context(alias="second")).exists()


def test_what_a_restored_backup_would_send_again_freezes_if_the_gateway_has_done_it(
    pay: Pay, context: GatewayContext, make_context: MakeContext, clock: VirtualClock
) -> None:
    unreachable = make_context(f"http://127.0.0.1:{unused_port()}")
    unsent = refund(payment=pay(), context=unreachable)
    done = filing(context, {unsent.reference: answer_of(record(unsent, "20.00"))})

    list(compare_all(context=done, repair_as="anna"))
    assert reread(unsent).state == S.NOT_SENT, "it is not asked about unless that is wanted"
    list(compare_all(context=done, unsent=True, repair_as="anna"))
    assert reread(unsent).state == S.ANOMALY

    clock.advance(days=1)
    assert send_unsent(context=context) == 0


# A gateway that is silent, and going on


def test_a_gateway_that_stays_silent_is_left_alone_and_the_place_is_kept(
    pay: Pay, context: GatewayContext, make_context: MakeContext, wallet_sandbox: SandboxControl
) -> None:
    pays = [pay(), pay(), pay()]
    waits: list[float] = []
    patient = replace(context, sleep=waits.append)
    rows = compare_all(context=patient)
    first = next(rows)
    next(rows)
    wallet_sandbox.fault("status", "not_json", times=50)
    with refuses(GatewayUnreachable, ErrorCode.GATEWAY_SILENT):
        next(rows)
    assert waits[-len(BACKOFF) :] == list(BACKOFF), "ever longer, and bounded"
    assert first.transaction.reference == pays[0].reference

    wallet_sandbox.clear_faults()
    resumed = compare(context, after=ledger_comparison.position(context=context))
    assert [row.transaction.reference for row in resumed] == [pays[2].reference]
    assert ledger_comparison.position(context=context) == 0, "one that ended leaves nothing to resume"
