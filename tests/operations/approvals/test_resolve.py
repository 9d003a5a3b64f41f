"""A person's decisions: when one is open, what it books, and that no decision hides what the gateway says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.client.servers import unused_port
from tests.operations.conftest import MakeContext, MakeOrder, Pay, Resolve, VirtualClock, sweep_until
from tests.operations.dying import in_the_name_of, scripted
from tests.operations.records import answer_of, record
from tests.operations.subjects import Subject
from tests.operations.wallet_customer import CARD, Customer
from tests.refusals import refuses
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import LifecycleEvent, OrderState, TransactionState
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    PaymentOrder,
    TransactionEvent,
)
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.approvals.resolve import Decision
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.settlement.settle import reread
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState
HAPPENED, NOT_HAPPENED = Decision.DID_HAPPEN, Decision.DID_NOT_HAPPEN


@pytest.fixture
def stuck(subject: Subject, context: GatewayContext, clock: VirtualClock) -> GatewayTransaction:
    """An outcome that nobody could find out for a day."""
    subject.control.fault(subject.name, "drop_before")
    transaction = subject.execute()
    sweep_until(transaction, lambda row: row.needs_operator, context=context, clock=clock)
    return transaction


# Words


@pytest.mark.parametrize("words", [{"reason": ""}, {"reason": "  "}, {"by": ""}, {"by": "\n"}])
@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_a_decision_needs_a_reason_and_a_name(
    words: dict[str, str], stuck: GatewayTransaction, resolve: Resolve
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says=" is missing"):
        resolve(stuck, NOT_HAPPENED, **words)
    stuck.refresh_from_db()
    assert stuck.state == S.UNKNOWN


@pytest.mark.parametrize("words", [{"reason": "\ud800"}, {"by": "a\udfff"}, {"reason": "a\0b"}], ids=ascii)
@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_words_that_cannot_be_stored_are_refused(
    words: dict[str, str], stuck: GatewayTransaction, resolve: Resolve
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field=next(iter(words))):
        resolve(stuck, NOT_HAPPENED, **words)


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_long_words_are_cut_and_kept(stuck: GatewayTransaction, resolve: Resolve) -> None:
    resolve(stuck, NOT_HAPPENED, reason="r" * 900, by="a" * 300)
    decision = TransactionEvent.objects.get(transaction=stuck, kind="DECISION")
    assert (decision.explanation, decision.created_by) == ("r" * 500, "a" * 150)


# Outcomes that nobody can find out


def test_what_was_sent_for_an_account_that_the_settings_no_longer_name_is_not_given_up(
    subject: Subject, stuck: GatewayTransaction, resolve: Resolve, context: GatewayContext
) -> None:
    with refuses(InvalidState, ErrorCode.MERCHANT_ACCOUNT_CHANGED):
        resolve(stuck, NOT_HAPPENED, context=in_the_name_of("ANOTHER", context))
    assert subject.reserved() == subject.amount


def test_what_nobody_can_find_out_is_given_up_and_watched(
    subject: Subject, stuck: GatewayTransaction, resolve: Resolve, clock: VirtualClock
) -> None:
    assert subject.reserved() == subject.amount
    given_up = resolve(stuck, NOT_HAPPENED)

    assert given_up.state == S.ABANDONED
    assert (subject.reserved(), subject.booked()) == (0, 0)
    assert given_up.decided_by_person
    assert not given_up.needs_operator
    assert given_up.next_query_at is not None
    assert given_up.next_query_at > clock.now()
    assert "ticket 4711" in given_up.explanation
    assert subject.execute().state == S.APPROVED
    assert subject.requests() == 2


def test_what_was_given_up_and_happened_all_the_same_is_an_anomaly(
    subject: Subject,
    stuck: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    transaction = resolve(stuck, NOT_HAPPENED)
    clock.advance_to(transaction.next_query_at)
    sweep(context=scripted(context, answer_of(record(transaction, transaction.amount.to_wire()))))

    transaction.refresh_from_db()
    assert transaction.state == S.ANOMALY
    assert Discrepancy.objects.get(transaction=transaction).kind == "APPROVED_AFTER_END"
    assert subject.is_frozen()

    # A text with the value is the same decision.
    accepted = resolve(transaction, "DID_HAPPEN")
    assert accepted.state == S.APPROVED
    assert subject.booked() == subject.amount
    assert not subject.is_frozen()


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_what_was_given_up_is_watched_for_ninety_days(
    stuck: GatewayTransaction, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    transaction = resolve(stuck, NOT_HAPPENED)
    began = clock.now()
    sweep_until(transaction, lambda row: row.next_query_at is None, context=context, clock=clock)
    assert timedelta(days=89) < clock.now() - began < timedelta(days=92)


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_before_a_day_and_five_answers_it_is_too_early(
    subject: Subject, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    subject.control.fault("capture", "drop_before")
    transaction = subject.execute()
    for _ in range(6):
        clock.advance_to(transaction.next_query_at)
        sweep(context=context)
        transaction.refresh_from_db()
    assert transaction.absent_count == 6
    with refuses(InvalidState, ErrorCode.TOO_EARLY, after=timedelta(hours=24), needed=5, count=6):
        resolve(transaction, NOT_HAPPENED)

    clock.advance(hours=25)
    assert resolve(transaction, NOT_HAPPENED).state == S.ABANDONED


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_a_day_without_answers_is_no_day_of_empty_answers(
    subject: Subject, resolve: Resolve, clock: VirtualClock
) -> None:
    subject.control.fault("capture", "drop_before")
    transaction = subject.execute()
    clock.advance(days=2)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, count=0):
        resolve(transaction, NOT_HAPPENED)


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_a_state_that_nobody_has_heard_of_is_decided_by_a_person_in_the_end(
    subject: Subject, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    subject.control.fault("capture", "undocumented_state")
    transaction = subject.execute()
    assert (transaction.state, transaction.needs_operator) == (S.PENDING, True)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, count=0):
        resolve(transaction, NOT_HAPPENED)
    since = transaction.state_changed_at
    sweep_until(transaction, lambda row: row.absent_count >= 5, context=context, clock=clock)
    clock.advance_to(since + timedelta(hours=24))
    assert resolve(transaction, NOT_HAPPENED).state == S.ABANDONED


def test_who_has_not_seen_a_contradiction_does_not_decide_on_it(
    subject: Subject,
    stuck: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    seen = reread(stuck)
    clock.advance_to(stuck.next_query_at)
    twice = answer_of(*(record(stuck, stuck.amount.to_wire(), id=f"g{n}") for n in range(2)))
    sweep(context=scripted(context, twice))

    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
        resolve(seen, NOT_HAPPENED)

    stuck.refresh_from_db()
    assert (stuck.state, subject.is_frozen()) == (S.ANOMALY, True)
    assert Discrepancy.objects.exists()
    assert not Discrepancy.objects.filter(closed_at__isnull=False).exists()
    assert resolve(stuck, NOT_HAPPENED).state == S.ABANDONED


def test_nobody_but_the_gateway_approves(stuck: GatewayTransaction, resolve: Resolve) -> None:
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="Only the gateway can approve"):
        resolve(stuck, HAPPENED)


def test_what_never_left_may_be_cancelled_at_any_time(
    subject: Subject,
    resolve: Resolve,
    make_context: MakeContext,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    transaction = subject.execute(make_context(f"http://127.0.0.1:{unused_port()}"))
    assert resolve(transaction, NOT_HAPPENED).state == S.ABANDONED
    assert subject.reserved() == 0

    clock.advance(minutes=1)
    assert sweep(context=context).sent_again == 0
    assert subject.requests() == 0


@pytest.mark.parametrize("decision", list(Decision))
@pytest.mark.parametrize("fault", [None, "errored"])
def test_what_the_gateway_has_ended_needs_no_decision(
    fault: str | None, decision: Decision, subject: Subject, resolve: Resolve
) -> None:
    if fault:
        subject.control.fault(subject.name, fault)
    transaction = subject.execute()
    with pytest.raises(InvalidState):
        resolve(transaction, decision)
    assert not TransactionEvent.objects.filter(kind="DECISION").exists()


@pytest.mark.parametrize("decision", list(Decision))
def test_a_page_that_is_open_needs_no_decision(decision: Decision, open_page: Pay, resolve: Resolve) -> None:
    with pytest.raises(InvalidState):
        resolve(open_page().opening, decision)


def test_what_is_pending_on_a_hosted_page_is_the_gateways_to_decide_for_a_week(
    pay: Pay, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    """What becomes of it then: `test_pending_for_ever`."""
    transaction = pay("pending").opening
    sweep_until(transaction, lambda row: row.query_count > 12, context=context, clock=clock)
    assert clock.now() - transaction.state_changed_at > timedelta(days=2)
    assert (transaction.absent_count > 5, transaction.needs_operator) == (True, False)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, after=timedelta(days=7), needed=5):
        resolve(transaction, NOT_HAPPENED)


# 3-D Secure that the gateway never ends


@pytest.fixture
def held(customer: Customer, make_order: MakeOrder, clock: VirtualClock) -> GatewayTransaction:
    """A card whose 3-D Secure nobody finishes, at a gateway whose own clock never ends it."""
    transaction = customer.pay(make_order(), CARD).opening
    assert transaction.state == S.AWAITING_3DS
    clock.sandbox = None
    return transaction


def test_three_d_secure_that_never_ends_is_left_to_a_person_after_a_day(
    held: GatewayTransaction, resolve: Resolve, context: GatewayContext, clock: VirtualClock
) -> None:
    began = clock.now()
    with refuses(InvalidState, ErrorCode.TOO_EARLY, needed=5, count=0):
        resolve(held, NOT_HAPPENED)
    sweep_until(held, lambda row: row.absent_count == 8, context=context, clock=clock)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, after=timedelta(hours=24), count=8):
        resolve(held, NOT_HAPPENED)
    assert not held.needs_operator

    sweep_until(held, lambda row: row.needs_operator, context=context, clock=clock)
    assert timedelta(days=1) <= clock.now() - began < timedelta(days=2)
    given_up = resolve(held, NOT_HAPPENED)

    assert (given_up.state, given_up.decided_by_person) == (S.ABANDONED, True)
    order = PaymentOrder.objects.get()
    assert (order.state, order.is_payable) == (OrderState.FAILED, True)


def test_three_d_secure_that_was_given_up_and_succeeds_late_is_an_anomaly_and_not_lost(
    held: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    sweep_until(held, lambda row: row.needs_operator, context=context, clock=clock)
    given_up = resolve(held, NOT_HAPPENED)
    wallet_sandbox.complete_three_d_secure(held.reference, "success")
    clock.advance_to(given_up.next_query_at)
    sweep(context=context)

    held.refresh_from_db()
    assert (held.state, PaymentOrder.objects.get().state) == (S.ANOMALY, OrderState.FROZEN)
    assert Discrepancy.objects.get().kind == "APPROVED_AFTER_END"
    assert resolve(held, HAPPENED).state == S.APPROVED
    assert PaymentOrder.objects.get().state == OrderState.PAID


def test_asking_after_what_stays_pending_fills_no_history(
    held: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    before = TransactionEvent.objects.filter(transaction=held).count()
    sweep_until(held, lambda row: row.query_count == 5, context=context, clock=clock)
    assert TransactionEvent.objects.filter(transaction=held).count() == before


def test_a_gateway_that_answers_nothing_about_a_held_card_calls_a_person_who_cannot_decide_yet(
    held: GatewayTransaction,
    resolve: Resolve,
    context: GatewayContext,
    clock: VirtualClock,
    wallet_sandbox: SandboxControl,
) -> None:
    wallet_sandbox.fault("status", "status_before", times=100, status=500)
    sweep_until(held, lambda row: row.needs_operator, context=context, clock=clock)
    assert (held.state, held.absent_count) == (S.AWAITING_3DS, 0)
    with refuses(InvalidState, ErrorCode.TOO_EARLY, count=0):
        resolve(held, NOT_HAPPENED)


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_a_decision_that_was_overtaken_is_refused(
    stuck: GatewayTransaction, resolve: Resolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(transaction: GatewayTransaction, *_: object) -> object:
        GatewayTransaction.objects.filter(pk=transaction.pk).update(state=S.SENDING)
        return LifecycleEvent.ABANDONED

    monkeypatch.setattr(resolutions, "_event", overtaken)
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
        resolve(stuck, NOT_HAPPENED)
    # Put back what only this test has bent.
    GatewayTransaction.objects.filter(pk=stuck.pk).update(state=S.UNKNOWN)


@pytest.fixture
def unreachable(make_context: MakeContext) -> GatewayContext:
    return make_context(f"http://127.0.0.1:{unused_port()}")


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
@pytest.mark.parametrize("by", ["a\0b", "\ud800"], ids=ascii)
def test_a_name_that_cannot_be_stored_gives_nothing_up(
    subject: Subject, unreachable: GatewayContext, by: str
) -> None:
    transaction = subject.execute(unreachable)
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field="by"):
        resolutions.give_up_unsent(transaction, by=by, context=unreachable)
    transaction.refresh_from_db()
    assert transaction.state == TransactionState.NOT_SENT


@pytest.mark.parametrize("subject", ["capture"], indirect=True)
def test_who_has_no_name_is_stored_as_a_dash(subject: Subject, unreachable: GatewayContext) -> None:
    transaction = subject.execute(unreachable)
    assert resolutions.give_up_unsent(transaction, by=" ", context=unreachable)
    assert TransactionEvent.objects.get(kind="DECISION").created_by == "-"
