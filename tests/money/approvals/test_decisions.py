"""When a person may decide: each state, age and number of answers, and what the decision ends."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.money.approvals.people import asked, person
from tests.support.database_faults import WRITING, meddling
from tests.support.gateway import Killed, answering, killing, losing, record
from tests.support.refusals import refuses
from tests.support.shop import Shop, of, order_of, reloaded, state, told
from wallet_gateway import payments
from wallet_gateway.domain.discrepancies import OF_GATEWAY, DiscrepancyKind
from wallet_gateway.models import (
    AllowanceUse,
    Discrepancy,
    GatewayPause,
    GatewayTransaction,
    PauseCode,
    Payment,
)
from wallet_gateway.payments.errors import ErrorCode, InvalidInput, InvalidState

pytestmark = pytest.mark.django_db
FIVE = Decimal("5.00")
NO, YES = "DID_NOT_HAPPEN", "DID_HAPPEN"
SECOND, DAY, WEEK = timedelta(seconds=1), timedelta(days=1), timedelta(days=7)


def decide(transaction: GatewayTransaction, decision: str = NO, **words: Any) -> GatewayTransaction:
    given: dict[str, Any] = {"reason": "ticket 4711", "by": "anna"} | words
    return payments.approvals.resolve(transaction, decision=decision, **given)


def changed(transaction: GatewayTransaction, **columns: Any) -> GatewayTransaction:
    GatewayTransaction.objects.filter(pk=transaction.pk).update(**columns)
    return GatewayTransaction.objects.get(pk=transaction.pk)


def differs(transaction: GatewayTransaction, kind: DiscrepancyKind, **columns: Any) -> Discrepancy:
    given = {"transaction": transaction, "payment": transaction.payment, "gateway": "default"}
    found = {"fingerprint": f"{kind}:{transaction.pk}", "found_at": transaction.created_at}
    return Discrepancy.objects.create(kind=kind, **given | found | columns)


def capture(payment: Payment) -> GatewayTransaction:
    return payments.capture(order_of(payment), amount=FIVE)


def test_a_decision_closes_nothing_that_is_found_while_it_is_made(shop: Shop) -> None:
    payment = shop.begin()
    shop.report_and_ask(payment, record(payment.reference), record(payment.reference, id="R-2"))
    transaction, kind = payment.opening, DiscrepancyKind.AMOUNT_DIFFERS
    with meddling(WRITING, act=lambda: differs(transaction, kind, is_freezing=True)):
        decide(reloaded(transaction), YES)
    (left,) = Discrepancy.objects.filter(closed_at=None)
    assert (left.kind, state(payment)[0]) == (kind.value, "FROZEN")


@pytest.fixture
def payment(shop: Shop) -> Payment:
    """An authorization of 30.00."""
    shop.clock.stop()
    return shop.pay(type="preauthorization")


@pytest.fixture
def lost(payment: Payment, shop: Shop) -> GatewayTransaction:
    """A capture of 5.00 whose outcome is unknown; five answers in a day have said nothing of it."""
    found = shop.lose_answer(capture, payment)
    return changed(found, state_changed_at=shop.clock.now() - DAY, absent_count=5)


@pytest.fixture
def unsent(payment: Payment, shop: Shop) -> GatewayTransaction:
    """A capture of 5.00 of which no byte has left."""
    with shop.cut_off():
        return capture(payment)


@pytest.fixture
def anomaly(lost: GatewayTransaction, shop: Shop) -> GatewayTransaction:
    """A capture that was carried out twice, whose answers were lost."""
    shop.report(lost, of(lost), of(lost, id="R-2"))
    shop.ask(Payment.objects.get())
    lost.refresh_from_db()
    assert lost.state == "ANOMALY"
    return lost


# Words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"reason": ""}, " is missing"),
        ({"reason": "  "}, " is missing"),
        ({"by": ""}, " is missing"),
        ({"by": "\n"}, " is missing"),
        ({"reason": "\ud800"}, "reason"),
        ({"by": "a\udfff"}, "by"),
        ({"reason": "a\0b"}, "reason"),
        ({"decision": "MAYBE"}, "DID_NOT_HAPPEN, DID_HAPPEN"),
    ],
    ids=ascii,
)
def test_a_decision_needs_a_reason_and_a_name_that_can_be_stored(
    words: dict[str, str], says: str, lost: GatewayTransaction
) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says=says):
        decide(lost, **words)
    lost.refresh_from_db()
    assert lost.state == "UNKNOWN"


def test_long_words_are_cut_and_kept(lost: GatewayTransaction) -> None:
    decide(lost, reason="r" * 900, by="a" * 300)
    event = lost.events.latest("pk")
    assert (event.kind, event.explanation, event.created_by) == ("DECISION", "r" * 500, "a" * 150)


# Outcomes that stay unknown


@pytest.mark.parametrize(("state", "wait"), [("UNKNOWN", DAY), ("PENDING", WEEK), ("AWAITING_3DS", DAY)])
def test_an_outcome_may_be_given_up_after_its_time_and_five_answers(
    state: str, wait: timedelta, lost: GatewayTransaction, shop: Shop
) -> None:
    waited: dict[str, Any] = {"state": state, "state_changed_at": shop.clock.now() - wait, "absent_count": 5}
    early = {"absent_count": 4}, {"state_changed_at": shop.clock.now() - wait + SECOND}
    for columns in early:
        row = changed(lost, **waited | columns)
        with refuses(InvalidState, ErrorCode.TOO_EARLY, after=wait, needed=5, count=row.absent_count):
            decide(row)
    row = changed(lost, **waited)
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="Only the gateway can approve", state=state):
        decide(row, YES)

    given_up = decide(row)
    assert (given_up.state, given_up.decided_by_person, given_up.needs_operator) == ("ABANDONED", True, False)
    assert given_up.explanation == "ticket 4711"
    event = lost.events.latest("pk")
    assert (event.kind, event.created_by, event.explanation_code) == ("DECISION", "anna", "comment")
    held = Payment.objects.values_list("capture_reserved", "captured").get()
    assert held == (0, 0)
    assert capture(given_up.payment).state == "APPROVED", "it may be asked for again"  # type: ignore[arg-type]


def test_what_was_given_up_is_watched_for_ninety_days(lost: GatewayTransaction, shop: Shop) -> None:
    watched = decide(lost)
    for days, is_watched in ((89, True), (3, False)):
        shop.clock.by += timedelta(days=days)
        payments.maintenance.reconcile_due()
        watched.refresh_from_db()
        assert (watched.next_query_at is not None) is is_watched


def test_what_was_sent_for_an_account_that_the_settings_no_longer_name_is_not_given_up(
    lost: GatewayTransaction, shop: Shop
) -> None:
    shop.configure(MERCHANT_ID="ANOTHER")
    with refuses(InvalidState, ErrorCode.MERCHANT_ACCOUNT_CHANGED):
        decide(lost)
    assert Payment.objects.get().capture_reserved == 500


def test_an_unreadable_record_leaves_it_to_the_person_that_was_called(
    lost: GatewayTransaction, shop: Shop
) -> None:
    called: dict[str, Any] = {"needs_operator": True, "absent_count": 0}
    differs(lost.payment.opening, DiscrepancyKind.RECORD_UNREADABLE, closed_at=shop.clock.now())  # type: ignore[union-attr]
    differs(lost, DiscrepancyKind.STATE_DIFFERS, closed_at=shop.clock.now())
    with refuses(InvalidState, ErrorCode.TOO_EARLY, count=0):
        decide(changed(lost, **called))
    differs(lost, DiscrepancyKind.RECORD_UNREADABLE, is_freezing=False)
    for columns in ({"needs_operator": False}, {"state_changed_at": shop.clock.now() - DAY + SECOND}):
        with refuses(InvalidState, ErrorCode.TOO_EARLY, count=0):
            decide(changed(lost, **called | columns))
    row = changed(lost, **called, state_changed_at=shop.clock.now() - DAY)
    assert decide(row).state == "ABANDONED"


def test_a_gateway_that_answers_no_question_lets_a_person_decide_after_a_week(
    lost: GatewayTransaction, shop: Shop
) -> None:
    silent: dict[str, Any] = {"needs_operator": True, "absent_count": 0}
    early = {"state_changed_at": shop.clock.now() - WEEK + SECOND}
    for columns in (early, {"state_changed_at": shop.clock.now() - WEEK, "needs_operator": False}):
        with refuses(InvalidState, ErrorCode.TOO_EARLY, count=0):
            decide(changed(lost, **silent | columns))
    row = changed(lost, **silent, state_changed_at=shop.clock.now() - WEEK)
    assert decide(row).state == "ABANDONED"


@pytest.mark.parametrize("pending", [False, True])
def test_the_shop_hears_that_an_attempt_to_pay_was_given_up(pending: bool, shop: Shop) -> None:
    shop.gateway.answers.append(answering(state="Pending") if pending else losing)
    payment = shop.press_button(shop.order())
    long_ago = {"state_changed_at": shop.clock.now() - DAY, "absent_count": 5}
    decide(changed(payment.opening, **long_ago))
    assert (state(payment), told()) == (("FAILED", True), [("FAILED", 3000)])


@pytest.mark.parametrize(
    ("called", "silence", "is_open"),
    [(True, DAY, True), (True, DAY - SECOND, False), (False, DAY, False)],
)
def test_a_page_may_be_given_up_after_a_silent_day_past_its_end(
    called: bool, silence: timedelta, is_open: bool, shop: Shop
) -> None:
    shop.clock.stop()
    page = shop.begin().opening
    page = changed(page, expires_at=shop.clock.now() - silence, needs_operator=called)
    if is_open:
        assert decide(page).state == "ABANDONED"
    else:
        with refuses(InvalidState, ErrorCode.WRONG_STATE, says="needs no decision", state="OPEN"):
            decide(page)


@pytest.mark.parametrize("state", ["Approved", "Errored"])
def test_what_the_gateway_has_ended_is_not_decided_on(
    state: str, lost: GatewayTransaction, shop: Shop
) -> None:
    shop.report(lost, of(lost, state=state))
    shop.ask(Payment.objects.get())
    for decision, says in ((NO, "needs no decision"), (YES, "Only the gateway can approve")):
        with refuses(InvalidState, ErrorCode.WRONG_STATE, says=says):
            decide(lost, decision)


# What never left


def test_what_never_left_may_be_given_up_at_once_and_by_one_person(
    unsent: GatewayTransaction, shop: Shop
) -> None:
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="Only the gateway can approve", state="NOT_SENT"):
        decide(unsent, YES)
    shop.configure(APPROVALS={"LIMITS": {"EUR": "0.00"}, "DAY_LIMITS": {"EUR": "0.00"}})
    assert decide(unsent, by=person("anna")).state == "ABANDONED"
    assert not AllowanceUse.objects.exists()


@pytest.mark.parametrize(("by", "stored"), [("anna", "anna"), (" ", "-")])
def test_who_gives_up_what_was_not_sent_is_named(by: str, stored: str, unsent: GatewayTransaction) -> None:
    assert payments.follow_ups.give_up_unsent(unsent, by=by)
    event = unsent.events.latest("pk")
    assert (event.kind, event.created_by) == ("DECISION", stored)
    assert event.explanation_code == "unreachable_given_up"


@pytest.mark.parametrize("by", ["a\0b", "\ud800"], ids=ascii)
def test_a_name_that_cannot_be_stored_gives_nothing_up(by: str, unsent: GatewayTransaction) -> None:
    with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, field="by"):
        payments.follow_ups.give_up_unsent(unsent, by=by)
    unsent.refresh_from_db()
    assert unsent.state == "NOT_SENT"


@pytest.mark.parametrize("state", ["SENDING", "UNKNOWN"])
def test_giving_up_what_a_worker_has_sent_meanwhile_leaves_it_to_the_gateway(
    state: str, unsent: GatewayTransaction, shop: Shop
) -> None:
    seen = GatewayTransaction.objects.get(pk=unsent.pk)
    if state == "UNKNOWN":
        shop.lose_answer(payments.follow_ups.send_again, unsent)
    else:
        shop.gateway.answers.append(killing)
        with pytest.raises(Killed):
            payments.follow_ups.send_again(unsent)
    for row in (seen, GatewayTransaction.objects.get(pk=unsent.pk)):
        assert not payments.follow_ups.give_up_unsent(row, by="anna")
        assert row.state == state, "the caller's row is as it is stored now"


# Contradictions


@pytest.mark.parametrize(("decision", "state", "captured"), [(YES, "APPROVED", 500), (NO, "ABANDONED", 0)])
def test_a_contradiction_is_decided_either_way_and_at_once(
    decision: str, state: str, captured: int, anomaly: GatewayTransaction
) -> None:
    assert decide(anomaly, decision).state == state
    row = Payment.objects.get()
    assert (row.captured, row.capture_reserved, row.is_frozen) == (captured, 0, False)


def test_who_gives_up_an_unknown_outcome_does_not_end_a_contradiction_found_since(
    lost: GatewayTransaction, shop: Shop
) -> None:
    shop.report(lost, of(lost), of(lost, id="R-2"))
    shop.ask(Payment.objects.get())
    assert lost.state == "UNKNOWN", "as the person has seen it"
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
        decide(lost)


def test_an_approval_that_was_contradicted_stays_booked(payment: Payment, shop: Shop) -> None:
    done = capture(payment)
    shop.report(done, of(done, id=done.record_id), of(done, id="R-2"))
    shop.ask(payment)
    done.refresh_from_db()
    with refuses(InvalidState, ErrorCode.WRONG_STATE, says="cannot be undone"):
        decide(done)
    assert decide(done, YES).state == "APPROVED"
    assert Payment.objects.get().captured == 500


OWN_TASKS = {
    DiscrepancyKind.MADE_ELSEWHERE,
    DiscrepancyKind.UNKNOWN_TYPE,
    *OF_GATEWAY,
    DiscrepancyKind.LATE_PAYMENT,
}


def test_a_decision_closes_the_differences_of_its_transaction_but_for_tasks_of_their_own(
    anomaly: GatewayTransaction, payment: Payment, shop: Shop
) -> None:
    for kind in set(DiscrepancyKind) - {DiscrepancyKind.ABOVE_LIMIT}:
        differs(anomaly, kind)
    before = differs(anomaly, DiscrepancyKind.EXECUTED_TWICE, fingerprint="old", closed_at=shop.clock.now())
    of_another = differs(payment.opening, DiscrepancyKind.EXECUTED_TWICE)
    decide(anomaly, YES)

    left = Discrepancy.objects.filter(transaction=anomaly, closed_at=None)
    assert {row.kind for row in left} == OWN_TASKS
    closed = Discrepancy.objects.filter(transaction=anomaly, reason="ticket 4711")
    assert {(row.closed_by, row.closed_at) for row in closed} == {("anna", shop.clock.now())}
    before.refresh_from_db()
    of_another.refresh_from_db()
    assert (before.reason, before.closed_by, of_another.closed_at) == ("", "", None)


def test_what_was_approved_above_the_limit_stays_a_task_of_its_own(payment: Payment, shop: Shop) -> None:
    lost = shop.lose_answer(payments.capture, order_of(payment), Decimal("30.00"))
    shop.report(lost, of(lost, transactionAmount=40.0))
    shop.ask(payment)
    payments.approvals.book_discrepancy(Discrepancy.objects.get(), reason="as it is", by="anna")
    (left,) = Discrepancy.objects.filter(closed_at=None)
    assert left.kind == "ABOVE_LIMIT"


def pause_for_mix_up(shop: Shop) -> Any:  # noqa: ANN401  the instant until which nothing is sent
    until = shop.clock.now() + timedelta(minutes=15)
    GatewayPause.pause_sending("default", now=shop.clock.now(), until=until, code=PauseCode.UNIT_MIX_UP)
    return until


@pytest.mark.parametrize("are_more", [False, True])
def test_the_decision_on_the_last_mix_up_lets_sending_go_on(
    are_more: bool, anomaly: GatewayTransaction, payment: Payment, shop: Shop
) -> None:
    differs(anomaly, DiscrepancyKind.UNIT_MIX_UP)
    if are_more:
        differs(payment.opening, DiscrepancyKind.UNIT_MIX_UP, is_freezing=False)
    until = pause_for_mix_up(shop)
    decide(anomaly)
    assert GatewayPause.objects.get().sending_until == (until if are_more else None)


@pytest.mark.every_database
@pytest.mark.parametrize("are_more", [False, True])
def test_a_difference_is_closed_once_with_its_words_and_the_last_mix_up_lets_sending_go_on(
    are_more: bool, payment: Payment, shop: Shop
) -> None:
    mix_up = differs(capture(payment), DiscrepancyKind.UNIT_MIX_UP)
    Payment.objects.update(is_frozen=True)
    kind = DiscrepancyKind.UNIT_MIX_UP if are_more else DiscrepancyKind.RECORD_UNREADABLE
    other = differs(payment.opening, kind, is_freezing=False)
    until = pause_for_mix_up(shop)
    seen_by_another = Discrepancy.objects.get(pk=mix_up.pk)
    words: dict[str, Any] = {"reason": "ticket 4711", "by": "anna"}
    for missing in ("reason", "by"):
        with refuses(InvalidInput, ErrorCode.ARGUMENT_INVALID, says=" is missing"):
            payments.approvals.close_discrepancy(mix_up, **words | {missing: " "})
    assert payments.approvals.close_discrepancy(mix_up, **words) is mix_up
    assert (mix_up.closed_by, mix_up.reason, mix_up.closed_at) == ("anna", "ticket 4711", shop.clock.now())
    other.refresh_from_db()
    assert (other.closed_at, Payment.objects.get().is_frozen) == (None, False)
    assert GatewayPause.objects.get().sending_until == (until if are_more else None)
    with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE, says="already closed"):
        payments.approvals.close_discrepancy(seen_by_another, **words)


# A second person


def test_a_decision_above_the_limit_waits_for_a_second_person_with_its_words(
    lost: GatewayTransaction, shop: Shop
) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "4.99"}})
    request = asked(decide, lost)
    assert (request.subject, request.decision, request.kind) == (lost, NO, "CAPTURE")
    assert (request.payment, request.deposit, request.amount_minor) == (lost.payment, None, 500)
    assert (request.currency, request.created_by, request.comment) == ("EUR", "anna", "ticket 4711")
    assert request.outstanding_key == f"transaction:{lost.pk}"
    assert request.expires_at - request.created_at == WEEK
    lost.refresh_from_db()
    assert lost.state == "UNKNOWN"
    shop.configure(APPROVALS={"LIMITS": {"EUR": "5.00"}})
    assert decide(lost).state == "ABANDONED"


def test_a_request_to_decide_on_a_refund_of_a_deposit_names_the_deposit(shop: Shop) -> None:
    deposit = shop.deposit()
    refund = payments.refund_migrated
    lost = shop.lose_answer(refund, deposit.parent_transaction_id, FIVE, "EUR")
    shop.configure(APPROVALS={"LIMITS": {"EUR": "4.99"}})
    request = asked(decide, changed(lost, state_changed_at=shop.clock.now() - DAY, absent_count=5))
    assert (request.deposit, request.payment, request.subject) == (deposit, None, lost)


def see_another_state(lost: GatewayTransaction, later: Any) -> None:  # noqa: ANN401
    changed(lost, state_changed_at=later, absent_count=5)


def see_another_difference(lost: GatewayTransaction, later: Any) -> None:  # noqa: ANN401
    differs(lost, DiscrepancyKind.STATE_DIFFERS, found_at=later, fingerprint="later", is_freezing=False)


@pytest.mark.parametrize("change", [see_another_state, see_another_difference, None])
def test_a_second_person_agrees_to_what_the_first_one_saw(
    change: Callable[[GatewayTransaction, Any], None] | None,
    lost: GatewayTransaction,
    payment: Payment,
    shop: Shop,
) -> None:
    shop.configure(APPROVALS={"LIMITS": {"EUR": "0.00"}})
    request = asked(decide, lost, by=person("anna"))
    now = shop.clock.now()
    kind = DiscrepancyKind.STATE_DIFFERS
    differs(lost, kind, found_at=now + SECOND, closed_at=now, fingerprint="closed")
    differs(lost, kind, found_at=now, is_freezing=False)
    differs(payment.opening, kind, found_at=now + SECOND, is_freezing=False)
    changed(lost, state_changed_at=now)
    if change is not None:
        change(lost, now + SECOND)
    shop.clock.by += 2 * DAY
    if change is None:
        assert payments.approvals.approve(request, by=person("bert"), reason="agreed").state == "ABANDONED"
    else:
        with refuses(InvalidState, ErrorCode.CHANGED_MEANWHILE):
            payments.approvals.approve(request, by=person("bert"))
    request.refresh_from_db()
    assert request.state == ("AGREED" if change is None else "WAITING")
