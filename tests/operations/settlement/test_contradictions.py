"""Contradictions and differences: what a person may decide, what it books, what stays frozen."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from tests.operations.conftest import Pay, Resolve, VirtualClock, sweep_until
from tests.operations.dying import Killed, kill, scripted
from tests.operations.records import answer_of, record
from tests.operations.subjects import Subject
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    Payment,
)
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.approvals.resolve import Decision, close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_order
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState
HAPPENED, NOT_HAPPENED = Decision.DID_HAPPEN, Decision.DID_NOT_HAPPEN


# Contradictions


@pytest.fixture
def contradicted(subject: Subject, context: GatewayContext, clock: VirtualClock) -> GatewayTransaction:
    """An unknown outcome that turned up twice."""
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    twice = answer_of(*(record(transaction, transaction.amount.to_wire(), id=f"g{n}") for n in range(2)))
    sweep(context=scripted(context, twice))
    transaction.refresh_from_db()
    assert transaction.state == S.ANOMALY
    return transaction


@pytest.mark.parametrize(("decision", "state"), [(HAPPENED, S.APPROVED), (NOT_HAPPENED, S.ABANDONED)])
def test_a_contradiction_may_be_decided_either_way(
    decision: Decision,
    state: TransactionState,
    subject: Subject,
    contradicted: GatewayTransaction,
    resolve: Resolve,
) -> None:
    assert subject.reserved() == subject.amount
    decided = resolve(contradicted, decision)

    assert decided.state == state
    assert subject.reserved() == 0
    assert subject.booked() == (subject.amount if decision is HAPPENED else 0)
    assert not subject.is_frozen()
    closed = Discrepancy.objects.get()
    assert (closed.closed_by, closed.reason) == ("anna", "provider's support, ticket 4711")
    assert subject.order_state_is(done=decision is HAPPENED)


def test_whoever_dies_right_after_a_decision_leaves_nothing_frozen_for_ever(
    subject: Subject,
    contradicted: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(resolutions, "release_freeze", lambda *_, **__: kill())
        with pytest.raises(Killed):
            resolve(contradicted, NOT_HAPPENED)
    assert subject.is_frozen()

    sweep(context=context)

    assert not subject.is_frozen()
    assert subject.order_state_is(done=False)


def test_what_is_contradicted_still_no_sweep_thaws(
    subject: Subject, contradicted: GatewayTransaction, context: GatewayContext
) -> None:
    Discrepancy.objects.update(closed_at=context.clock.now())
    sweep(context=context)
    assert subject.is_frozen()


@pytest.mark.parametrize("subject", ["refund"], indirect=True)
def test_what_was_decided_is_not_contradicted_again_by_the_same_record(
    subject: Subject,
    contradicted: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    decided = resolve(contradicted, HAPPENED)
    same = [record(decided, "5.00", id=f"g{n}") for n in range(2)]
    clock.advance_to(decided.next_query_at)
    sweep(context=scripted(context, answer_of(*same)))
    decided.refresh_from_db()
    assert decided.state == S.APPROVED
    assert not subject.is_frozen()

    clock.advance_to(decided.next_query_at)
    sweep(context=scripted(context, answer_of(same[0], record(decided, "18.88", id="g9"))))
    decided.refresh_from_db()
    assert decided.state == S.ANOMALY, "another amount is another contradiction"


@pytest.mark.parametrize("amount", ["19.99", "0.01", "500.00"])
@pytest.mark.parametrize("subject", ["capture", "refund"], indirect=True)
def test_another_amount_is_never_booked_as_ours(
    amount: str, subject: Subject, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, amount))))

    with refuses(InvalidState, ErrorCode.OTHER_AMOUNT):
        resolve(transaction, HAPPENED)
    assert (subject.reserved(), subject.booked()) == (subject.amount, 0)
    assert subject.is_frozen()

    assert resolve(transaction, NOT_HAPPENED, reason="undone in the portal").state == S.ABANDONED
    assert (subject.reserved(), subject.booked()) == (0, 0)


@pytest.fixture
def twice(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> GatewayTransaction:
    """A refund that was carried out twice."""
    payment = pay()
    wallet_sandbox.behaviour(duplicates="execute")
    wallet_sandbox.fault("refund", "duplicate")
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert transaction.state == S.ANOMALY
    return transaction


def test_an_approval_that_was_contradicted_cannot_be_undone(
    twice: GatewayTransaction, resolve: Resolve
) -> None:
    with refuses(InvalidState, ErrorCode.APPROVED_BEFORE):
        resolve(twice, NOT_HAPPENED)
    assert not Discrepancy.objects.filter(closed_at__isnull=False).exists()


def test_accepting_it_books_and_tells_nothing_a_second_time(
    twice: GatewayTransaction, resolve: Resolve
) -> None:
    told = OutboxEvent.objects.filter(kind="REFUNDED").count()
    accepted = resolve(twice, HAPPENED)

    assert accepted.state == S.APPROVED
    payment = Payment.objects.get()
    assert (payment.refunded, payment.is_frozen) == (500, False)
    assert OutboxEvent.objects.filter(kind="REFUNDED").count() == told == 1


def test_a_third_execution_is_not_covered_by_a_decision_on_the_second(
    twice: GatewayTransaction, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    accepted = resolve(twice, HAPPENED)
    clock.advance_to(accepted.next_query_at)
    thrice = answer_of(*(record(accepted, "5.00", id=f"g{n}") for n in range(3)))
    sweep(context=scripted(context, thrice))
    accepted.refresh_from_db()
    assert accepted.state == S.ANOMALY


def test_a_payment_stays_frozen_while_another_difference_is_open(
    twice: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    payment = Payment.objects.get()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "1.00")
    reconcile_order(order=payment.order, context=context, everything=True)
    resolve(twice, HAPPENED)
    assert Payment.objects.get().is_frozen

    other = Discrepancy.objects.get(kind="MADE_ELSEWHERE")
    close_discrepancy(other, reason="refunded by hand", by="anna", context=context)
    payment = Payment.objects.select_related("order").get()
    assert not payment.is_frozen
    assert payment.order.state == OrderState.PART_REFUNDED


@pytest.mark.parametrize("subject", ["capture", "refund", "reversal"], indirect=True)
def test_an_approval_is_not_confirmed_by_a_record_of_another_id(
    subject: Subject, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    transaction = subject.execute()
    assert (transaction.state, bool(transaction.record_id)) == (S.APPROVED, True)
    other = answer_of(record(transaction, transaction.amount.to_wire(), id="another"))
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, other))

    found = Discrepancy.objects.get(transaction=transaction)
    assert found.kind == "EXECUTED_TWICE"
    assert "another" in found.explanation
    transaction.refresh_from_db()
    assert (transaction.state, transaction.record_id != "another") == (S.ANOMALY, True)
    assert subject.is_frozen()
    assert subject.booked() == subject.amount

    accepted = resolve(transaction, HAPPENED)
    clock.advance_to(accepted.next_query_at)
    sweep(context=scripted(context, other))
    accepted.refresh_from_db()
    assert accepted.state == S.APPROVED, "what a person has seen is no news"


# Ids that cannot be kept


@pytest.mark.parametrize("subject", ["refund", "detached_refund"], indirect=True)
def test_a_record_whose_id_cannot_be_kept_approves_nothing_by_itself(
    subject: Subject, context: GatewayContext, clock: VirtualClock, resolve: Resolve
) -> None:
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, "5.00", id="g" * 600))))

    transaction.refresh_from_db()
    assert (transaction.state, transaction.record_id) == (S.ANOMALY, None)
    assert Discrepancy.objects.get().kind == "RECORD_UNUSABLE"
    assert (subject.reserved(), subject.booked(), subject.is_frozen()) == (subject.amount, 0, True)
    assert resolve(transaction, HAPPENED).approved_minor == 500


@pytest.mark.parametrize("state", ["Approved", "Errored"])
def test_an_answer_whose_id_cannot_be_kept_decides_nothing_by_itself(
    state: str, pay: Pay, context: GatewayContext
) -> None:
    payment = pay()

    def answer(body: bytes) -> bytes:
        asked = json.loads(body)
        echoed = {name: asked[name] for name in ("clientSystemTransactionId", "currencyCode")}
        return json.dumps({"id": "g" * 129, "state": state, "providerStateCode": "x", **echoed}).encode()

    transaction = refund(payment=payment, context=scripted(context, answer), amount=Decimal("5.00"))
    assert (transaction.state, transaction.record_id) == (S.ANOMALY, None)


def test_two_records_made_elsewhere_whose_ids_begin_alike_are_two_differences(
    pay: Pay, context: GatewayContext
) -> None:
    payment = pay()
    opening = payment.opening
    own = record(opening, "20.00", id=opening.record_id)
    alike = [record(opening, "1.00", id="g" * 400 + end, type="ecom.refund") for end in "ab"]
    for _ in range(2):
        told = scripted(context, answer_of(own, *alike))
        reconcile_order(order=payment.order, context=told, everything=True)
    assert [row.kind for row in Discrepancy.objects.all()] == ["MADE_ELSEWHERE"] * 2


# Types that the interface does not name


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


# Facts that our limits do not allow


def excess_of(transaction: GatewayTransaction) -> int:
    """The excess of a transaction, of which a person was told: nothing is to be done with the payment."""
    told = Discrepancy.objects.get(kind="ABOVE_LIMIT", transaction=transaction, closed_at=None)
    assert f"{transaction.amount.to_wire()} EUR" in told.explanation
    transaction.refresh_from_db()
    return transaction.excess_minor


def test_a_capture_that_happened_after_its_authorization_was_reversed_can_be_stored(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_before")
    lost = capture(payment=payment, context=context, amount=Decimal("5.00"))
    sweep_until(lost, lambda row: row.needs_operator, context=context, clock=clock)
    lost = resolve(lost, NOT_HAPPENED)
    payment.refresh_from_db()
    assert reverse(payment=payment, context=context).state == S.APPROVED

    clock.advance_to(lost.next_query_at)
    sweep(context=scripted(context, answer_of(record(lost, "5.00"))))
    lost.refresh_from_db()
    assert lost.state == S.ANOMALY
    assert resolve(lost, HAPPENED).approved_minor == 500
    payment.refresh_from_db()
    assert (payment.captured, payment.reversal, payment.is_frozen) == (0, Reversal.DONE, True)
    assert excess_of(lost) == 500


def test_a_reversal_that_happened_after_a_capture_began_can_be_stored(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("reversal", "drop_before")
    lost = reverse(payment=payment, context=context)
    sweep_until(lost, lambda row: row.needs_operator, context=context, clock=clock)
    lost = resolve(lost, NOT_HAPPENED)
    payment.refresh_from_db()
    wallet_sandbox.fault("capture", "drop_before")
    unknown = capture(payment=payment, context=context, amount=Decimal("5.00"))

    clock.advance_to(lost.next_query_at)
    GatewayTransaction.objects.filter(pk=unknown.pk).update(next_query_at=clock.now() + timedelta(days=1))
    sweep(context=scripted(context, answer_of(record(lost, "20.00"))))
    lost.refresh_from_db()
    assert lost.state == S.ANOMALY
    assert resolve(lost, HAPPENED).state == S.APPROVED
    payment.refresh_from_db()
    assert (payment.capture_reserved, payment.reversal) == (500, Reversal.NONE)
    assert excess_of(lost) == 2000


def test_a_refund_above_what_is_left_leaves_the_counter_at_its_bound(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = pay()
    wallet_sandbox.fault("refund", "drop_before")
    lost = refund(payment=payment, context=context, amount=Decimal("15.00"))
    sweep_until(lost, lambda row: row.needs_operator, context=context, clock=clock)
    lost = resolve(lost, NOT_HAPPENED)
    payment.refresh_from_db()
    refund(payment=payment, context=context, amount=Decimal("12.00"))

    clock.advance_to(lost.next_query_at)
    sweep(context=scripted(context, answer_of(record(lost, "15.00"))))
    lost.refresh_from_db()
    resolve(lost, HAPPENED)
    payment.refresh_from_db()
    assert (payment.refunded, payment.captured, payment.is_frozen) == (2000, 2000, True)
    assert excess_of(lost) == 700
    with pytest.raises(InvalidState):
        refund(payment=payment, context=context, amount=Decimal("1.00"))

    told = Discrepancy.objects.get(kind="ABOVE_LIMIT")
    close_discrepancy(told, reason="taken up with the provider", by="anna", context=context)
    payment.refresh_from_db()
    assert (payment.refunded, payment.is_frozen, payment.state) == (2000, False, "REFUNDED")


def test_a_capture_that_happened_beside_a_whole_one_is_written_down_as_an_excess(
    pay: Pay,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_before")
    lost = capture(payment=payment, context=context, amount=Decimal("15.00"))
    sweep_until(lost, lambda row: row.needs_operator, context=context, clock=clock)
    lost = resolve(lost, NOT_HAPPENED)
    payment.refresh_from_db()
    capture(payment=payment, context=context)

    clock.advance_to(lost.next_query_at)
    sweep(context=scripted(context, answer_of(record(lost, "15.00"))))
    lost.refresh_from_db()
    resolve(lost, HAPPENED)
    payment.refresh_from_db()
    assert (payment.authorized, payment.captured, payment.is_frozen) == (2000, 2000, True)
    assert excess_of(lost) == 1500


# Differences


@pytest.fixture
def elsewhere(
    pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> Discrepancy:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "1.00")
    clock.advance(minutes=7)
    sweep(context=context)
    return Discrepancy.objects.get()


def test_closing_the_last_difference_lets_the_payment_be_used_again(
    elsewhere: Discrepancy, context: GatewayContext, clock: VirtualClock
) -> None:
    closed = close_discrepancy(elsewhere, reason="by hand", by="anna", context=context)

    assert (closed.closed_at, closed.closed_by, closed.reason) == (clock.now(), "anna", "by hand")
    payment = Payment.objects.select_related("order").get()
    assert not payment.is_frozen
    assert payment.order.state == OrderState.PAID
    assert refund(payment=payment, context=context, amount=Decimal("5.00")).state == S.APPROVED


@pytest.mark.parametrize("words", [("", "anna"), ("by hand", " ")])
def test_a_difference_is_closed_with_a_reason_and_a_name(
    words: tuple[str, str], elsewhere: Discrepancy, context: GatewayContext
) -> None:
    with refuses(InvalidInput, ErrorCode.REASON_MISSING if not words[0] else ErrorCode.NAME_MISSING):
        close_discrepancy(elsewhere, reason=words[0], by=words[1], context=context)
    assert Payment.objects.get().is_frozen


def test_a_difference_is_closed_once(elsewhere: Discrepancy, context: GatewayContext) -> None:
    close_discrepancy(elsewhere, reason="by hand", by="anna", context=context)
    with refuses(InvalidState, ErrorCode.DISCREPANCY_CLOSED):
        close_discrepancy(elsewhere, reason="again", by="bert", context=context)
    elsewhere.refresh_from_db()
    assert elsewhere.closed_by == "anna"


def test_a_difference_about_no_transaction_is_closed_too(
    context: GatewayContext, clock: VirtualClock
) -> None:
    loose = Discrepancy.objects.create(
        kind="MADE_ELSEWHERE", gateway="default", fingerprint="x", found_at=clock.now()
    )
    assert close_discrepancy(loose, reason="seen", by="anna", context=context).closed_at is not None


@pytest.mark.parametrize("subject", ["detached_refund"], indirect=True)
def test_a_deposit_stays_frozen_while_a_transaction_contradicts_it(
    contradicted: GatewayTransaction, context: GatewayContext
) -> None:
    close_discrepancy(Discrepancy.objects.get(), reason="seen", by="anna", context=context)
    assert MigratedDeposit.objects.get().is_frozen


LONG_IDS = [letter * 120 for letter in "ijk"]


def test_a_further_execution_is_seen_however_long_the_ids_are(
    twice: GatewayTransaction, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    """What is stored of the ids is cut; what tells two contradictions apart is not."""
    transaction, known = resolve(twice, HAPPENED), [twice.record_id]
    for ids in (LONG_IDS[:2], LONG_IDS):
        clock.advance_to(transaction.next_query_at)
        records = (record(transaction, "5.00", id=one) for one in [*known, *ids])
        sweep(context=scripted(context, answer_of(*records)))
        transaction.refresh_from_db()
        assert transaction.state == S.ANOMALY
        transaction = resolve(transaction, HAPPENED)


def test_a_second_id_too_long_to_be_stored_is_another_difference(
    pay: Pay, wallet_sandbox: SandboxControl, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    wallet_sandbox.fault("refund", "drop_before")
    transaction = refund(payment=pay(), context=context, amount=Decimal("5.00"))
    for last in "XY":
        clock.advance_to(transaction.next_query_at)
        sweep(context=scripted(context, answer_of(record(transaction, "5.00", id="g" * 600 + last))))
        transaction.refresh_from_db()
        assert transaction.state == S.ANOMALY
        transaction = resolve(transaction, HAPPENED)
