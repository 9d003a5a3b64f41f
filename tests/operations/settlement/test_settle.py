"""News that meets other news: nothing is written twice, nothing half, and an outrun writer looks again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError
from django.db.models import F

from tests.operations.conftest import Pay, VirtualClock
from tests.operations.dying import filing, scripted
from tests.operations.records import answer_of, record
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import IllegalTransition, LifecycleEvent, OrderState, TransactionState
from wallet_gateway.domain.outcomes import Finding, FoundDiscrepancy, Verdict
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    MigratedDeposit,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.operations.approvals.resolve import close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling.reconciliation import reconcile_order
from wallet_gateway.operations.polling.status_result import record_status_result
from wallet_gateway.operations.settlement import freezes
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.settlement.counters import VersionConflict
from wallet_gateway.operations.settlement.settle import reread, settle
from wallet_gateway.operations.settlement.status_updates import StatusUpdate
from wallet_gateway.testing.control import SandboxControl

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, E = TransactionState, LifecycleEvent
APPROVED = Finding(verdict=Verdict.APPROVED, record_id="g1", amount=500)


def update(event: LifecycleEvent | None, **given: Any) -> StatusUpdate:
    return StatusUpdate(
        **{
            "kind": TransactionEventKind.RECORDS,
            "event": event,
            "explanation": explain(ExplanationCode.COMMENT, said="as told"),
        }
        | given
    )


@pytest.fixture
def unknown(pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl) -> GatewayTransaction:
    payment = pay(type="preauthorization")
    wallet_sandbox.fault("capture", "drop_before")
    transaction = capture(payment=payment, context=context, amount=Decimal("5.00"))
    return reread(transaction)


def interfere(monkeypatch: pytest.MonkeyPatch, times: int, act: Callable[[], object]) -> list[int]:
    """Do something in somebody else's name each time the sums are about to be computed."""
    calls: list[int] = []
    compute = settlement.__dict__["book"]

    def book(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - handed through as it is
        calls.append(1)
        if len(calls) <= times:
            act()
        return compute(*args, **kwargs)

    monkeypatch.setattr(settlement, "book", book)
    return calls


def settle_another() -> None:
    PaymentOrder.objects.update(version=F("version") + 1)


@pytest.mark.parametrize("times", [0, 1, 2, 6])
def test_a_writer_that_is_outrun_reads_again_and_has_its_turn(
    times: int, unknown: GatewayTransaction, context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = interfere(monkeypatch, times, settle_another)
    settled = settle(unknown, update(E.APPROVED, finding=APPROVED), context=context)

    assert settled.state == S.APPROVED
    assert len(calls) == times + 1
    assert Payment.objects.get().captured == 500
    assert TransactionEvent.objects.filter(transaction=unknown, lifecycle_event="APPROVED").count() == 1
    assert OutboxEvent.objects.filter(transaction=unknown).count() == 1


def test_a_writer_that_is_outrun_for_ever_writes_nothing_and_says_so(
    unknown: GatewayTransaction, context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    interfere(monkeypatch, 100, settle_another)
    with pytest.raises(VersionConflict):
        settle(unknown, update(E.APPROVED, finding=APPROVED), context=context)
    assert Payment.objects.get().captured == 0
    assert reread(unknown).state == S.UNKNOWN


def test_a_stale_copy_of_a_transaction_is_read_again(
    unknown: GatewayTransaction, context: GatewayContext
) -> None:
    stale = reread(unknown)
    settle(unknown, update(E.APPROVED, finding=APPROVED), context=context)
    again = settle(stale, update(E.REJECTED, finding=Finding(verdict=Verdict.REJECTED)), context=context)

    assert again.state == S.APPROVED, "money that moved counts more than an error beside it"
    assert Payment.objects.get().captured == 500
    assert TransactionEvent.objects.filter(transaction=unknown).count() == 3


def test_the_rows_a_caller_holds_are_not_changed_by_what_may_yet_be_rolled_back(
    unknown: GatewayTransaction, context: GatewayContext
) -> None:
    assert unknown.payment is not None
    settled = settle(unknown, update(E.APPROVED, finding=APPROVED), context=context)
    assert settled.payment is not None
    assert (unknown.state, unknown.payment.captured) == (S.UNKNOWN, 0)
    assert (settled.state, settled.payment.captured) == (S.APPROVED, 500)
    assert settled.payment.order.state == OrderState.PART_CAPTURED


def test_a_sender_of_an_earlier_claim_leaves_evidence_and_nothing_else(
    unknown: GatewayTransaction, context: GatewayContext
) -> None:
    before = reread(unknown)
    again = {"next_send_at": context.clock.now()}
    late = update(E.NOTHING_LEFT, attempt_no=before.attempt_no + 1, changes=again)
    assert settle(before, late, context=context).state == S.UNKNOWN

    after = reread(unknown)
    assert (after.state, after.next_send_at, after.next_query_at) == (S.UNKNOWN, None, before.next_query_at)
    assert TransactionEvent.objects.filter(transaction=unknown, lifecycle_event="NOTHING_LEFT").count() == 1


def test_a_sender_that_lost_its_claim_cannot_say_that_nothing_left_of_its_successors_request(
    unknown: GatewayTransaction, context: GatewayContext
) -> None:
    sending = {"state": S.SENDING, "attempt_no": 2, "leased_until": context.clock.now()}
    GatewayTransaction.objects.filter(pk=unknown.pk).update(**sending, next_query_at=None)
    nothing_left = update(E.NOTHING_LEFT, attempt_no=1, changes={"next_send_at": context.clock.now()})
    assert settle(reread(unknown), nothing_left, context=context).state == S.SENDING
    after = reread(unknown)
    assert (after.state, after.attempt_no, after.next_send_at) == (S.SENDING, 2, None)
    settle(after, update(E.LOST, attempt_no=2), context=context)


@pytest.mark.parametrize("event", [E.NOTHING_LEFT, E.LOST, E.OPENED, E.PAGE_LOST])
def test_what_only_a_sender_says_changes_nothing_where_others_have_gone_on(
    event: LifecycleEvent, unknown: GatewayTransaction, context: GatewayContext
) -> None:
    before = reread(unknown)
    changes = {"next_send_at": context.clock.now(), "redirect_url": "https://page/"}
    settle(before, update(event, changes=changes), context=context)

    after = reread(unknown)
    assert (after.state, after.redirect_url, after.next_send_at) == (S.UNKNOWN, "", None)
    assert after.explanation == before.explanation


def test_a_decision_holds_for_the_state_it_was_made_on(
    unknown: GatewayTransaction, context: GatewayContext
) -> None:
    decision = update(E.ABANDONED, kind=TransactionEventKind.DECISION, decided_on=S.ANOMALY)
    with pytest.raises(IllegalTransition):
        settle(unknown, decision, context=context)
    assert reread(unknown).state == S.UNKNOWN
    assert not TransactionEvent.objects.filter(kind="DECISION").exists()


def test_an_error_of_the_database_that_is_no_conflict_of_records_is_raised(
    unknown: GatewayTransaction, context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise IntegrityError("a CHECK says no")

    with monkeypatch.context() as patch:
        patch.setattr(settlement, "changed_totals", refuse)
        with pytest.raises(IntegrityError):
            settle(unknown, update(E.APPROVED, finding=APPROVED), context=context)
        nameless = replace(APPROVED, record_id="")
        with pytest.raises(IntegrityError):
            settle(unknown, update(E.APPROVED, finding=nameless), context=context)
    assert reread(unknown).state == S.UNKNOWN


def test_a_deposits_second_refund_does_not_hide_that_the_first_was_settled(
    context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock
) -> None:
    refund_migrated(
        parent_transaction_id="OLD-1",
        amount=Decimal("5.00"),
        currency="EUR",
        context=scripted(context, b"no answer"),
    )
    transaction = reread(GatewayTransaction.objects.get())
    found = replace(APPROVED, amount=500)
    settle(reread(transaction), update(E.APPROVED, finding=found), context=context)
    settle(transaction, update(E.APPROVED, finding=found), context=context)
    deposit = MigratedDeposit.objects.get()
    assert (deposit.refunded, deposit.refund_reserved) == (500, 0)


def test_an_empty_answer_that_comes_late_calls_nobody_to_what_was_approved_meanwhile(
    unknown: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    clock.advance(days=40)
    GatewayTransaction.objects.filter(pk=unknown.pk).update(absent_count=4, poll_step=30)
    stale = reread(unknown)
    approved = settle(unknown, update(E.APPROVED, finding=APPROVED), context=context)
    for answer in (Finding(verdict=Verdict.INCONCLUSIVE, absent=True), None):
        record_status_result(stale, answer, context)

    after = reread(unknown)
    assert (after.state, after.needs_operator, after.absent_count) == (S.APPROVED, False, 0)
    assert after.next_query_at == approved.next_query_at, "the confirming query is still to come"


def test_news_of_an_earlier_stay_in_the_same_state_keep_their_schedule_to_themselves(
    unknown: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    """A page that was refused, became pending and was refused again is in the state it was in, anew."""
    stale = reread(unknown)
    clock.advance(minutes=1)
    settle(unknown, update(E.HELD), context=context)
    anew = {"state": S.UNKNOWN, "state_changed_at": clock.now(), "next_query_at": clock.now()}
    GatewayTransaction.objects.filter(pk=unknown.pk).update(**anew)
    record_status_result(stale, Finding(verdict=Verdict.INCONCLUSIVE, absent=True), context)
    after = reread(unknown)
    assert (after.absent_count, after.query_count, after.next_query_at) == (0, 0, clock.now())


# Freezing and thawing


def test_the_time_of_the_approval_and_the_providers_id_are_kept(
    unknown: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    assert (unknown.approved_at, unknown.provider_transaction_id) == (None, "")
    finding = Finding(verdict=Verdict.APPROVED, record_id="g1", amount=500, provider_transaction_id="P-1")
    approved = settle(unknown, update(E.APPROVED, finding=finding), context=context)
    then = approved.approved_at
    assert (then, approved.provider_transaction_id) == (clock.now(), "P-1")

    clock.advance(minutes=5)
    doubled = Finding(
        verdict=Verdict.CONTRADICTION, discrepancies=(FoundDiscrepancy(kind=DiscrepancyKind.EXECUTED_TWICE),)
    )
    doubtful = settle(approved, update(E.CONTRADICTED, finding=doubled), context=context)
    assert doubtful.state == S.ANOMALY
    assert (doubtful.approved_at, doubtful.provider_transaction_id) == (then, "P-1")
    accepted = settle(doubtful, update(E.ACCEPTED_BY_PERSON), context=context)
    assert accepted.approved_at == then


@pytest.fixture
def frozen(pay: Pay, context: GatewayContext, wallet_sandbox: SandboxControl, clock: VirtualClock) -> Payment:
    payment = pay()
    wallet_sandbox.portal(payment.reference, "ecom.refund", "1.00")
    clock.advance(minutes=7)
    sweep(context=context)
    payment.refresh_from_db()
    assert payment.is_frozen
    return payment


@pytest.mark.parametrize("times", [1, 5])
def test_a_thaw_that_is_outrun_looks_again(
    times: int, frozen: Payment, context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    write = freezes.__dict__["write_order"]

    def outrun(*args: Any) -> None:
        calls.append(1)
        if len(calls) <= times:
            raise VersionConflict
        write(*args)

    monkeypatch.setattr(freezes, "write_order", outrun)
    close_discrepancy(Discrepancy.objects.get(), reason="by hand", by="anna", context=context)
    frozen.refresh_from_db()
    assert not frozen.is_frozen
    assert len(calls) == times + 1


def test_a_thaw_that_the_database_wants_run_again_begins_with_rows_as_they_are(
    frozen: Payment, context: GatewayContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions: list[tuple[int, int]] = []
    write = freezes.__dict__["write_order"]

    def deadlock(payment: Payment, now: datetime) -> None:
        versions.append((payment.order.version, PaymentOrder.objects.get().version))
        write(payment, now)
        if len(versions) == 1:
            raise OperationalError(1213, "Deadlock found when trying to get lock")

    monkeypatch.setattr(freezes, "write_order", deadlock)
    close_discrepancy(Discrepancy.objects.get(), reason="by hand", by="anna", context=context)
    frozen.refresh_from_db()
    assert not frozen.is_frozen
    assert len(versions) == 2
    assert all(held == stored for held, stored in versions)


def test_a_further_difference_on_a_frozen_payment_is_seen_by_whoever_thaws_it(
    frozen: Payment, context: GatewayContext
) -> None:
    before = PaymentOrder.objects.get().version
    another = record(frozen.opening, "2.00", id="g9", type="ecom.refund")
    own = record(frozen.opening, "20.00", id=frozen.opening.record_id)
    told = scripted(context, answer_of(own, another))
    reconcile_order(order=frozen.order, context=told, everything=True)

    assert Discrepancy.objects.count() == 2
    assert PaymentOrder.objects.get().version > before


def test_a_difference_that_comes_while_a_payment_thaws_keeps_it_frozen(
    frozen: Payment, context: GatewayContext, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[bool] = []
    is_contradicted = freezes._is_contradicted

    def look_and_be_overtaken(**parent: Any) -> bool:
        answer = is_contradicted(**parent)
        looked.append(answer)
        return answer

    def commit_another() -> None:
        Discrepancy.objects.create(
            kind="MADE_ELSEWHERE",
            is_freezing=True,
            gateway="default",
            payment=frozen,
            fingerprint="another",
            found_at=clock.now(),
        )
        settle_another()

    write = freezes.__dict__["write_order"]

    def write_too_late(payment: Payment, now: datetime) -> None:
        if len(looked) == 1:
            raise VersionConflict
        write(payment, now)

    read = freezes.__dict__["reread"]

    def read_what_was_committed_since(transaction: GatewayTransaction) -> GatewayTransaction:
        if len(looked) == 1:
            commit_another()
        transaction_now: GatewayTransaction = read(transaction)
        return transaction_now

    monkeypatch.setattr(freezes, "_is_contradicted", look_and_be_overtaken)
    monkeypatch.setattr(freezes, "write_order", write_too_late)
    monkeypatch.setattr(freezes, "reread", read_what_was_committed_since)
    close_discrepancy(Discrepancy.objects.get(), reason="by hand", by="anna", context=context)

    assert looked == [False, True]
    frozen.refresh_from_db()
    assert frozen.is_frozen


# Facts beside what is known


@pytest.mark.parametrize("state", ["Errored", "Pending", "Odd"])
def test_an_approval_is_not_undone_by_weaker_news(
    state: str, pay: Pay, context: GatewayContext, clock: VirtualClock
) -> None:
    payment = pay()
    transaction = refund(payment=payment, context=context, amount=Decimal("5.00"))
    weaker = record(transaction, "5.00", id=transaction.record_id, state=state)
    told = filing(context, {transaction.reference: answer_of(weaker)})
    for _ in range(2):
        clock.advance_to(reread(transaction).next_query_at)
        sweep(context=told)
    # A word that nobody knows is an alarm at once; what it says may still be of a record that comes late.
    assert not Discrepancy.objects.exclude(kind="UNKNOWN_STATE").exists()

    clock.advance_to(reread(transaction).next_query_at)
    sweep(context=told)
    assert reread(transaction).state == S.APPROVED
    assert Payment.objects.get().refunded == 500
    differs = list(Discrepancy.objects.filter(transaction=transaction).values_list("kind", flat=True))
    assert differs == ["UNKNOWN_STATE" if state == "Odd" else "STATE_DIFFERS"], "a person has to look"
