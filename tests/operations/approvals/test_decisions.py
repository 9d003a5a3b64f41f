"""When a person may decide: each state, age and number of answers, and what the decision ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.operations.conftest import Resolve, VirtualClock
from tests.operations.second_person import asked, limits_by_day, needs_two, person
from tests.operations.settlement.rows import (
    a_follow_up,
    a_page,
    a_reservation,
    approval,
    contradiction,
    update,
)
from tests.refusals import refuses
from wallet_gateway.domain.discrepancies import OF_GATEWAY, DiscrepancyKind
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.explanations import ExplanationCode
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionKind, TransactionState
from wallet_gateway.models import (
    AllowanceUse,
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    PauseCode,
    Payment,
)
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.approvals.requests import Grant
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.settlement.settle import reread, settle

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, E, K = TransactionState, LifecycleEvent, TransactionKind
HAPPENED, NOT_HAPPENED = Decision.DID_HAPPEN, Decision.DID_NOT_HAPPEN
SECOND, DAY, WEEK = timedelta(seconds=1), timedelta(days=1), timedelta(days=7)


@pytest.fixture
def reserved(context: GatewayContext) -> GatewayTransaction:
    return a_reservation(context)


@pytest.fixture
def capture(reserved: GatewayTransaction) -> GatewayTransaction:
    return a_follow_up(reserved, K.CAPTURE)


def changed(transaction: GatewayTransaction, **columns: Any) -> GatewayTransaction:
    GatewayTransaction.objects.filter(pk=transaction.pk).update(**columns)
    return reread(transaction)


def differs(transaction: GatewayTransaction, kind: DiscrepancyKind, **columns: Any) -> Discrepancy:
    given = {"transaction": transaction, "payment": transaction.payment, "gateway": "default"}
    found = {"fingerprint": f"{kind}:{transaction.pk}", "found_at": transaction.created_at}
    return Discrepancy.objects.create(kind=kind, **given | found | columns)


def not_sent(opening: GatewayTransaction) -> GatewayTransaction:
    """A capture of 5.00 of which no byte has left."""
    return a_follow_up(opening, K.CAPTURE, S.NOT_SENT)


# Outcomes that stay unknown


@pytest.mark.parametrize(
    ("state", "wait", "code"),
    [
        (S.UNKNOWN, DAY, ErrorCode.TOO_EARLY),
        (S.PENDING, WEEK, ErrorCode.TOO_EARLY),
        (S.AWAITING_3DS, DAY, ErrorCode.TOO_EARLY),
    ],
)
def test_an_outcome_may_be_given_up_after_its_time_and_five_answers(
    state: TransactionState,
    wait: timedelta,
    code: ErrorCode,
    capture: GatewayTransaction,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    waited: dict[str, Any] = {"state": state, "state_changed_at": clock.now() - wait, "absent_count": 5}
    changed(capture, **waited | {"absent_count": 4})
    with refuses(InvalidState, code, after=wait, needed=5, count=4):
        resolve(capture, NOT_HAPPENED)
    changed(capture, **waited | {"state_changed_at": clock.now() - wait + SECOND})
    with refuses(InvalidState, code, after=wait, needed=5, count=5):
        resolve(capture, NOT_HAPPENED)
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="Only the gateway can approve", state=state):
        resolve(changed(capture, **waited), HAPPENED)

    given_up = resolve(capture, NOT_HAPPENED)
    assert (given_up.state, given_up.decided_by_person) == (S.ABANDONED, True)
    event = capture.events.latest("pk")
    assert (event.kind, event.created_by) == ("DECISION", "anna")
    assert event.explanation_code == ExplanationCode.COMMENT
    assert Payment.objects.get().capture_reserved == 0


def test_an_unreadable_record_leaves_it_to_the_person_that_was_called(
    capture: GatewayTransaction, resolve: Resolve, clock: VirtualClock, reserved: GatewayTransaction
) -> None:
    changed(capture, state_changed_at=clock.now() - DAY, needs_operator=True)
    differs(reserved, DiscrepancyKind.RECORD_UNREADABLE, closed_at=clock.now())
    differs(capture, DiscrepancyKind.STATE_DIFFERS, closed_at=clock.now())
    with refuses(InvalidState, ErrorCode.TOO_EARLY, count=0):
        resolve(capture, NOT_HAPPENED)
    differs(capture, DiscrepancyKind.RECORD_UNREADABLE)
    for columns in (
        {"needs_operator": False, "state_changed_at": clock.now() - DAY},
        {"needs_operator": True, "state_changed_at": clock.now() - DAY + SECOND},
    ):
        with refuses(InvalidState, ErrorCode.TOO_EARLY, count=0):
            resolve(changed(capture, **columns), NOT_HAPPENED)
    changed(capture, state_changed_at=clock.now() - DAY)
    assert resolve(capture, NOT_HAPPENED).state == S.ABANDONED


@pytest.mark.parametrize(
    ("called", "silence", "is_open"),
    [(True, DAY, True), (True, DAY - SECOND, False), (False, DAY, False)],
)
def test_a_page_may_be_given_up_after_a_silent_day_past_its_end(
    called: bool, silence: timedelta, is_open: bool, resolve: Resolve, clock: VirtualClock
) -> None:
    page = changed(a_page(), expires_at=clock.now() - silence, needs_operator=called)
    if is_open:
        assert resolve(page, NOT_HAPPENED).state == S.ABANDONED
    else:
        with refuses(InvalidState, ErrorCode.WRONG_STATE, says="needs no decision", state=S.OPEN):
            resolve(page, NOT_HAPPENED)


@pytest.mark.parametrize("state", [S.REJECTED, S.APPROVED])
def test_what_the_gateway_has_ended_is_not_decided_on(
    state: TransactionState, capture: GatewayTransaction, resolve: Resolve, context: GatewayContext
) -> None:
    ended = {S.APPROVED: approval(500), S.REJECTED: update(E.REJECTED)}
    settle(capture, ended[state], context=context)
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="needs no decision", state=state):
        resolve(capture, NOT_HAPPENED)
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="Only the gateway can approve", state=state):
        resolve(capture, HAPPENED)


def test_what_never_left_may_be_given_up_at_once_and_by_one_person(
    reserved: GatewayTransaction, resolve: Resolve, context: GatewayContext
) -> None:
    unsent = not_sent(reserved)
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="Only the gateway can approve", state=S.NOT_SENT):
        resolve(unsent, HAPPENED)
    both = limits_by_day(needs_two(context, EUR=0), EUR=0)
    assert resolve(unsent, NOT_HAPPENED, context=both, by=person("anna")).state == S.ABANDONED
    assert not AllowanceUse.objects.exists()


def test_giving_up_what_was_just_not_sent_ends_nothing_else(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    assert not resolutions.give_up_unsent(capture, by="anna", context=context)
    assert reread(capture).state == S.UNKNOWN


@pytest.mark.parametrize("state", [S.SENDING, S.UNKNOWN])
def test_giving_up_what_a_worker_has_sent_meanwhile_leaves_it_to_the_gateway(
    state: TransactionState, reserved: GatewayTransaction, context: GatewayContext
) -> None:
    unsent = not_sent(reserved)
    held = {"leased_until": unsent.created_at, "outstanding_key": unsent.parent_key}
    sending = changed(unsent, state=S.SENDING, **held)
    if state is S.UNKNOWN:
        settle(sending, update(E.LOST), context=context)
    assert not resolutions.give_up_unsent(unsent, by="anna", context=context)
    assert unsent.state == state, "the caller's row is as it is stored now"


def test_who_gives_up_what_was_not_sent_is_named(
    reserved: GatewayTransaction, context: GatewayContext
) -> None:
    unsent = not_sent(reserved)
    assert resolutions.give_up_unsent(unsent, by="anna", context=context)
    event = unsent.events.latest("pk")
    words = (event.kind, event.created_by, event.explanation_code)
    assert words == ("DECISION", "anna", ExplanationCode.UNREACHABLE_GIVEN_UP)


# Contradictions


@pytest.fixture
def anomaly(capture: GatewayTransaction, context: GatewayContext) -> GatewayTransaction:
    """A capture whose answer contradicts what is known, and that was never approved."""
    return settle(capture, update(E.CONTRADICTED, finding=contradiction(None)), context=context)


@pytest.mark.parametrize(
    ("decision", "state", "captured"), [(HAPPENED, S.APPROVED, 500), (NOT_HAPPENED, S.ABANDONED, 0)]
)
def test_a_contradiction_is_decided_either_way_and_at_once(
    decision: Decision,
    state: TransactionState,
    captured: int,
    anomaly: GatewayTransaction,
    reserved: GatewayTransaction,
    resolve: Resolve,
) -> None:
    differs(reserved, DiscrepancyKind.AMOUNT_DIFFERS)
    assert resolve(anomaly, decision).state == state
    payment = Payment.objects.get()
    assert (payment.captured, payment.capture_reserved, payment.is_frozen) == (captured, 0, False)


def test_what_the_gateway_has_never_shown_as_approved_with_our_amount_is_not_accepted(
    capture: GatewayTransaction, context: GatewayContext, resolve: Resolve
) -> None:
    found = contradiction(DiscrepancyKind.AMOUNT_DIFFERS, shown=None)
    anomaly = settle(capture, update(E.CONTRADICTED, finding=found), context=context)
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="shown no approval"):
        resolve(anomaly, HAPPENED)
    assert resolve(anomaly, NOT_HAPPENED).state == S.ABANDONED


def test_an_approval_that_was_contradicted_stays_booked(
    capture: GatewayTransaction, context: GatewayContext, resolve: Resolve
) -> None:
    settle(capture, approval(500), context=context)
    doubtful = settle(reread(capture), update(E.CONTRADICTED, finding=contradiction(None)), context=context)
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="cannot be undone"):
        resolve(doubtful, NOT_HAPPENED)
    differs(doubtful, DiscrepancyKind.AMOUNT_DIFFERS)
    assert resolve(doubtful, HAPPENED).state == S.APPROVED
    assert Payment.objects.get().captured == 500


OWN_TASKS = {
    DiscrepancyKind.ABOVE_LIMIT,
    DiscrepancyKind.MADE_ELSEWHERE,
    DiscrepancyKind.UNKNOWN_TYPE,
    *OF_GATEWAY,
    DiscrepancyKind.LATE_PAYMENT,
}


def test_a_decision_closes_the_differences_of_its_transaction_but_for_tasks_of_their_own(
    anomaly: GatewayTransaction, reserved: GatewayTransaction, resolve: Resolve, clock: VirtualClock
) -> None:
    for kind in set(DiscrepancyKind) - {DiscrepancyKind.ABOVE_LIMIT}:
        differs(anomaly, kind)
    before = differs(anomaly, DiscrepancyKind.EXECUTED_TWICE, fingerprint="old", closed_at=clock.now())
    of_another = differs(reserved, DiscrepancyKind.EXECUTED_TWICE)
    resolve(anomaly, HAPPENED, reason="ticket 4711")

    left = Discrepancy.objects.filter(transaction=anomaly, closed_at__isnull=True)
    assert {row.kind for row in left} == OWN_TASKS - {DiscrepancyKind.ABOVE_LIMIT}
    closed = Discrepancy.objects.filter(transaction=anomaly, reason="ticket 4711")
    assert {(row.closed_by, row.closed_at) for row in closed} == {("anna", clock.now())}
    before.refresh_from_db()
    of_another.refresh_from_db()
    assert (before.reason, before.closed_by, of_another.closed_at) == ("", "", None)


def test_what_was_approved_above_the_limit_stays_a_task_of_its_own(
    anomaly: GatewayTransaction, resolve: Resolve
) -> None:
    differs(anomaly, DiscrepancyKind.ABOVE_LIMIT)
    changed(anomaly, excess_minor=1, approved_minor=500)
    Payment.objects.update(captured=499, capture_reserved=0)
    changed(anomaly, holds_reservation=False)
    resolve(anomaly, HAPPENED)
    assert Discrepancy.objects.get().closed_at is None


@pytest.mark.parametrize("are_more", [False, True])
def test_the_decision_on_the_last_mix_up_lets_sending_go_on(
    are_more: bool,
    anomaly: GatewayTransaction,
    reserved: GatewayTransaction,
    resolve: Resolve,
    clock: VirtualClock,
) -> None:
    differs(anomaly, DiscrepancyKind.UNIT_MIX_UP)
    if are_more:
        differs(reserved, DiscrepancyKind.UNIT_MIX_UP, is_freezing=False)
    until = clock.now() + timedelta(minutes=15)
    GatewayPause.pause_sending("default", now=clock.now(), until=until, code=PauseCode.UNIT_MIX_UP)
    resolve(anomaly, NOT_HAPPENED)
    assert GatewayPause.objects.get().sending_until == (until if are_more else None)


@pytest.mark.parametrize("are_more", [False, True])
def test_a_difference_is_closed_once_with_its_words_and_the_last_mix_up_lets_sending_go_on(
    are_more: bool,
    capture: GatewayTransaction,
    reserved: GatewayTransaction,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    mix_up = differs(capture, DiscrepancyKind.UNIT_MIX_UP)
    kind = DiscrepancyKind.UNIT_MIX_UP if are_more else DiscrepancyKind.STATE_DIFFERS
    other, until = differs(reserved, kind), clock.now() + timedelta(minutes=15)
    GatewayPause.pause_sending("default", now=clock.now(), until=until, code=PauseCode.UNIT_MIX_UP)
    words: dict[str, Any] = {"reason": "ticket 4711", "by": "anna", "context": context}
    seen_by_another = Discrepancy.objects.get(pk=mix_up.pk)
    assert resolutions.close_discrepancy(mix_up, **words) is mix_up
    assert (mix_up.closed_by, mix_up.reason, mix_up.closed_at) == ("anna", "ticket 4711", clock.now())
    other.refresh_from_db()
    assert other.closed_at is None
    assert GatewayPause.objects.get().sending_until == (until if are_more else None)
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="already closed"):
        resolutions.close_discrepancy(seen_by_another, **words)


# A second person


def test_a_decision_above_the_limit_waits_for_a_second_person_with_its_words(
    capture: GatewayTransaction, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    changed(capture, state_changed_at=clock.now() - DAY, absent_count=5)
    request = asked(
        lambda: resolve(capture, NOT_HAPPENED, context=needs_two(context, EUR=499), reason="ticket 4711")
    )
    assert (request.subject, request.decision, request.kind) == (capture, NOT_HAPPENED, K.CAPTURE)
    assert (request.payment, request.deposit, request.amount_minor) == (capture.payment, None, 500)
    assert (request.currency, request.created_by, request.comment) == ("EUR", "anna", "ticket 4711")
    assert request.outstanding_key == f"transaction:{capture.pk}"
    assert request.expires_at - request.created_at == WEEK
    assert reread(capture).state == S.UNKNOWN
    assert resolve(capture, NOT_HAPPENED, context=needs_two(context, EUR=500)).state == S.ABANDONED


def test_a_decision_counts_for_the_day_of_its_author_and_above_that_waits(
    capture: GatewayTransaction, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    changed(capture, state_changed_at=clock.now() - DAY, absent_count=5)
    anna = person("anna")
    request = asked(lambda: resolve(capture, NOT_HAPPENED, context=limits_by_day(context, EUR=499), by=anna))
    assert (request.created_by, request.created_by_account) == ("anna", "key-of-anna")
    assert not AllowanceUse.objects.exists()
    resolve(capture, NOT_HAPPENED, context=limits_by_day(context, EUR=500), by=anna)
    use = AllowanceUse.objects.get()
    assert (use.amount_minor, use.is_decision, use.transaction) == (500, True, capture)
    assert (use.allowance.account, use.occurred_at) == ("key-of-anna", clock.now())


@pytest.mark.parametrize("change", ["state", "difference", None])
def test_a_second_person_agrees_to_what_the_first_one_saw(
    change: str | None,
    capture: GatewayTransaction,
    reserved: GatewayTransaction,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    changed(capture, state_changed_at=clock.now() - 2 * DAY, absent_count=5)
    two = needs_two(context, EUR=0)
    decision: dict[str, Any] = {"decision": NOT_HAPPENED, "reason": "ticket", "context": two}
    request = asked(lambda: resolutions.resolve(capture, by=person("anna"), **decision))
    closed = {"found_at": clock.now() + SECOND, "closed_at": clock.now(), "fingerprint": "closed"}
    differs(capture, DiscrepancyKind.STATE_DIFFERS, **closed)
    differs(capture, DiscrepancyKind.STATE_DIFFERS, found_at=clock.now(), is_freezing=False)
    of_another = {"found_at": clock.now() + SECOND, "is_freezing": False}
    differs(reserved, DiscrepancyKind.STATE_DIFFERS, **of_another)
    changed(capture, state_changed_at=clock.now())
    if change == "state":
        changed(capture, state_changed_at=clock.now() + SECOND, absent_count=5)
    elif change == "difference":
        seen_later = {"found_at": clock.now() + SECOND, "fingerprint": "later", "is_freezing": False}
        differs(capture, DiscrepancyKind.STATE_DIFFERS, **seen_later)
    clock.instant += 2 * DAY
    grant = Grant(approval=request, actor=person("bert"), reason="agreed")
    if change is None:
        assert resolutions.resolve(capture, by=person("anna"), grant=grant, **decision).state == S.ABANDONED
        request.refresh_from_db()
        assert (request.state, request.decided_by, request.reason) == ("AGREED", "bert", "agreed")
    else:
        with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
            resolutions.resolve(capture, by=person("anna"), grant=grant, **decision)
