"""What one status update writes: each rule of `settle` on rows made for it, to the last column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from tests.models.rows import a_deposit, an_order
from tests.operations.conftest import Resolve, VirtualClock
from tests.operations.records import record
from tests.operations.settlement.rows import a_follow_up, a_page, approval, contradiction, in_state, update
from wallet_gateway import signals
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.explanations import ExplanationCode
from wallet_gateway.domain.lifecycle import (
    LifecycleEvent,
    OrderState,
    TransactionKind,
    TransactionState,
)
from wallet_gateway.domain.outcomes import INCONCLUSIVE, Finding, FoundDiscrepancy, Verdict
from wallet_gateway.models import (
    Discrepancy,
    GatewayTransaction,
    OutboxEvent,
    Payment,
    PaymentOrder,
    TransactionEventKind,
)
from wallet_gateway.models.settlement_writes import SettlementRows
from wallet_gateway.operations.approvals.resolve import Decision, close_discrepancy
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import SendingStopped
from wallet_gateway.operations.sending import circuit_breaker
from wallet_gateway.operations.settlement import settle as settlement
from wallet_gateway.operations.settlement.settle import locked, reread, settle
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.status import StatusRecord

pytestmark = [pytest.mark.every_database, pytest.mark.django_db]
S, E, K = TransactionState, LifecycleEvent, TransactionKind


def events(transaction: GatewayTransaction) -> list[str]:
    return list(transaction.events.order_by("pk").values_list("lifecycle_event", flat=True))[1:]


def told_of(transaction: GatewayTransaction) -> list[str]:
    rows = OutboxEvent.objects.filter(transaction=transaction).order_by("pk")
    return list(rows.values_list("kind", flat=True))


def chargeback(transaction: GatewayTransaction, **changes: Any) -> Finding:
    """A record of a type that the interface does not name."""
    wire = record(transaction, "5.00", **{"id": "g9", "type": "ecom.chargeback"} | changes)
    return replace(INCONCLUSIVE, unknown_types=(StatusRecord.from_wire(wire),))


# What happens after the commit


@pytest.fixture
def told() -> Iterator[list[int]]:
    """The amounts that the shop was told as captured in part."""
    amounts: list[int] = []

    def hear(amount: Money, **_: object) -> None:
        amounts.append(amount.minor_units)

    signals.order_captured_in_part.connect(hear)
    yield amounts
    signals.order_captured_in_part.disconnect(hear)


def test_the_shop_is_told_before_settle_returns(
    capture: GatewayTransaction, context: GatewayContext, told: list[int]
) -> None:
    settle(capture, approval(500), context=context)
    assert told == [500]
    assert OutboxEvent.objects.get(transaction=capture).delivered_at is not None


def test_what_a_receiver_settles_is_in_the_transaction_that_is_returned(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    def react(**_: Any) -> None:
        doubled = update(E.CONTRADICTED, finding=contradiction(DiscrepancyKind.EXECUTED_TWICE))
        settle(reread(capture), doubled, context=context)

    signals.order_captured_in_part.connect(react)
    try:
        assert settle(capture, approval(500), context=context).state == S.ANOMALY
    finally:
        signals.order_captured_in_part.disconnect(react)


@pytest.mark.parametrize("kind", [TransactionEventKind.ANSWER, TransactionEventKind.RECORDS])
@pytest.mark.parametrize("is_capture", [True, False])
def test_a_mix_up_stops_sending_at_once_but_for_the_record_of_an_opening(
    kind: TransactionEventKind,
    is_capture: bool,
    capture: GatewayTransaction,
    context: GatewayContext,
    heard: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    monkeypatch.setattr(circuit_breaker, "_PAUSE_IS_READ_EVERY", 1e9)
    circuit_breaker.check_sending_not_paused(context)
    mixed_up = contradiction(DiscrepancyKind.UNIT_MIX_UP)
    with django_capture_on_commit_callbacks(execute=True):
        mixed = capture if is_capture else a_page()
        settle(mixed, update(E.CONTRADICTED, kind=kind, finding=mixed_up), context=context)

    is_stopped = is_capture or kind is TransactionEventKind.ANSWER
    assert [said["code"] for said in heard] == ["UNIT_MIX_UP"] * is_stopped
    if is_stopped:
        with pytest.raises(SendingStopped):
            circuit_breaker.check_sending_not_paused(context)
    else:
        circuit_breaker.check_sending_not_paused(context)


# Locks


def test_an_order_is_locked_by_an_update_of_it_and_no_other_before_its_rows_are_read(
    capture: GatewayTransaction,
) -> None:
    assert capture.payment is not None
    other, before = an_order(version=7), capture.payment.order.version
    with CaptureQueriesContext(connection) as statements:
        now = locked(capture)
    assert [sql["sql"].split()[0] for sql in statements] == ["UPDATE", "SELECT"]
    assert now.payment is not None
    assert now.payment.order.version == before + 1
    other.refresh_from_db()
    assert other.version == 7


def test_a_deposit_is_locked_by_an_update_of_it_that_changes_nothing() -> None:
    deposit = a_deposit(refund_reserved=500)
    held = {"deposit": deposit, "holds_reservation": True}
    transaction = in_state(K.DETACHED_REFUND, S.UNKNOWN, **held)
    with CaptureQueriesContext(connection) as statements:
        now = locked(transaction)
    update, select = (sql["sql"] for sql in statements)
    assert (update.split()[0], select.split()[0]) == ("UPDATE", "SELECT")
    assert f"= {deposit.pk}" in update.partition("WHERE")[2]
    assert now.deposit is not None
    assert (now.deposit.refunded, now.deposit.refund_reserved) == (0, 500)


# A record of somebody else's


NEIGHBOURS = [{"gateway": "second"}, {"kind": K.REFUND}, {"record_id": "g2"}]


@pytest.mark.parametrize("event", [E.HELD, E.REJECTED])
def test_a_record_that_another_transaction_has_contradicts_the_second_one(
    event: LifecycleEvent, reserved: GatewayTransaction, context: GatewayContext, clock: VirtualClock
) -> None:
    settle(a_follow_up(reserved, K.CAPTURE), approval(500, "g1"), context=context)
    second = settle(a_follow_up(reserved, K.CAPTURE), update(event), context=context)
    soon = clock.now() + timedelta(minutes=3)
    changes = {"record_id": "g1", "absent_count": 3, "next_query_at": soon}
    settled = settle(second, replace(approval(500, "g1"), changes=changes), context=context)

    after = reread(second)
    assert (settled.state, after.state, after.record_id) == (S.ANOMALY, S.ANOMALY, None)
    difference = Discrepancy.objects.get()
    assert (difference.kind, difference.transaction) == ("RECORD_TAKEN", second)
    why = (difference.explanation_code, difference.explanation_params)
    assert why == (ExplanationCode.RECORD_TAKEN, {"record": "g1"})
    written = second.events.latest("pk")
    assert (written.lifecycle_event, written.discrepancy_kind) == ("CONTRADICTED", "RECORD_TAKEN")
    payment = Payment.objects.get()
    reserved_still = 500 if event is E.HELD else 0
    assert (payment.is_frozen, payment.captured, payment.capture_reserved) == (True, 500, reserved_still)


@pytest.mark.parametrize("neighbour", [*NEIGHBOURS, None])
def test_an_error_of_the_database_beside_a_record_like_it_is_raised(
    neighbour: dict[str, Any] | None,
    capture: GatewayTransaction,
    context: GatewayContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change, calls = settlement.__dict__["changed_totals"], []

    def refuse_twice(*args: Any, **given: Any) -> SettlementRows:
        """Refuse the update, also under the lock; a contradiction in its place would be written."""
        calls.append(1)
        if len(calls) <= 2:
            raise IntegrityError("a CHECK says no")
        rows: SettlementRows = change(*args, **given)
        return rows

    if neighbour is None:
        GatewayTransaction.objects.filter(pk=capture.pk).update(record_id="g1")
    else:
        settled = settle(a_page(), update(E.REJECTED), context=context)
        columns = {"kind": K.CAPTURE, "record_id": "g1"} | neighbour
        GatewayTransaction.objects.filter(pk=settled.pk).update(**columns)
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "changed_totals", refuse_twice)
        with pytest.raises(IntegrityError):
            settle(capture, approval(500, "g1"), context=context)
    if neighbour is not None:
        GatewayTransaction.objects.filter(pk=settled.pk).update(kind=K.CHECKOUT)


# Events


def test_an_update_that_changes_nothing_leaves_an_event_only_if_it_is_to_be_kept(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    settle(capture, update(is_kept=False), context=context)
    assert events(capture) == []
    settle(capture, update(), context=context)
    assert events(capture) == [""]


def test_a_new_difference_and_a_transition_leave_an_event_in_any_case(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    sighted = update(is_kept=False, finding=contradiction(DiscrepancyKind.STATE_DIFFERS))
    for _ in range(2):
        settle(reread(capture), sighted, context=context)
    assert events(capture) == [""], "the second sighting is not new"
    settle(reread(capture), replace(approval(500), is_kept=False), context=context)
    assert events(capture) == ["", "APPROVED"]


@pytest.mark.parametrize(("event", "state"), [(E.NOTHING_LEFT, S.NOT_SENT), (E.LOST, S.UNKNOWN)])
def test_a_sender_that_has_its_claim_says_what_became_of_it(
    event: LifecycleEvent,
    state: TransactionState,
    reserved: GatewayTransaction,
    context: GatewayContext,
    clock: VirtualClock,
) -> None:
    sending = a_follow_up(reserved, K.CAPTURE, S.SENDING, attempt_no=3)
    told = update(event, attempt_no=3, changes={"next_send_at": clock.now()})
    assert settle(sending, told, context=context).state == state


def test_a_sender_that_lost_its_claim_leaves_an_event(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    settle(capture, update(E.LOST), context=context)
    settle(capture, update(E.NOTHING_LEFT, attempt_no=7), context=context)
    assert events(capture) == ["LOST", "NOTHING_LEFT"]


def test_a_further_write_is_made_with_the_update(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    written: list[int] = []

    def also() -> None:
        written.append(GatewayTransaction.objects.filter(pk=capture.pk).update(comment="with it"))

    settle(capture, replace(approval(500), also=also), context=context)
    assert (written, reread(capture).comment) == ([1], "with it")


# What was queried in another state


@pytest.mark.parametrize(
    ("state", "since", "is_taken"),
    [(S.UNKNOWN, 0, True), (S.UNKNOWN, 1, False), (S.PENDING, 0, False), (None, 0, True), (None, 1, True)],
)
def test_a_schedule_holds_for_the_stay_in_the_state_that_was_queried(
    state: TransactionState | None,
    since: int,
    is_taken: bool,
    capture: GatewayTransaction,
    context: GatewayContext,
) -> None:
    then = capture.state_changed_at + timedelta(seconds=since)
    queried = update(queried_in=state, queried_since=then, changes={"absent_count": 3})
    settle(capture, queried, context=context)
    assert reread(capture).absent_count == (3 if is_taken else 0)


# Freezes


def test_an_anomaly_freezes_its_payment_also_without_a_difference(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    settle(capture, update(E.CONTRADICTED, finding=contradiction(None)), context=context)
    assert Payment.objects.get().is_frozen
    assert PaymentOrder.objects.get().state == OrderState.FROZEN
    assert not Discrepancy.objects.exists()


def test_weaker_news_of_an_anomaly_leave_its_order_alone(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    anomaly = settle(capture, update(E.CONTRADICTED, finding=contradiction(None)), context=context)
    before = PaymentOrder.objects.get().version
    settle(anomaly, update(E.REJECTED), context=context)
    assert PaymentOrder.objects.get().version == before


def test_a_contradiction_that_a_person_has_closed_is_none_any_more_but_a_further_one_is(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    doubled = contradiction(DiscrepancyKind.EXECUTED_TWICE)
    settle(capture, update(finding=doubled), context=context)
    close_discrepancy(Discrepancy.objects.get(), reason="ticket 4711", by="anna", context=context)
    assert (
        settle(reread(capture), update(E.CONTRADICTED, finding=doubled), context=context).state == S.UNKNOWN
    )

    approved = replace(doubled, verdict=Verdict.APPROVED, amount=500)
    assert settle(reread(capture), update(E.APPROVED, finding=approved), context=context).state == S.APPROVED
    third = FoundDiscrepancy(kind=DiscrepancyKind.EXECUTED_TWICE, record="another record")
    thrice = replace(doubled, discrepancies=(third,))
    assert settle(reread(capture), update(E.CONTRADICTED, finding=thrice), context=context).state == S.ANOMALY


def test_what_was_approved_above_the_limit_is_a_difference(
    reserved: GatewayTransaction, context: GatewayContext
) -> None:
    whole = a_follow_up(reserved, K.CAPTURE, amount_minor=1800)
    settle(whole, approval(1800, "g1"), context=context)
    late = a_follow_up(reserved, K.CAPTURE, holds_reservation=False)
    settle(late, approval(500, "g2"), context=context)

    difference = Discrepancy.objects.get()
    assert (difference.kind, difference.explanation_params["excess"]) == ("ABOVE_LIMIT", "3.00")
    assert reread(late).excess_minor == 300


def test_an_approval_that_was_contradicted_and_then_accepted_is_told_once(
    refund: GatewayTransaction, context: GatewayContext, resolve: Resolve
) -> None:
    approved = settle(refund, approval(500), context=context)
    doubtful = settle(approved, update(E.CONTRADICTED, finding=contradiction(None)), context=context)
    resolve(doubtful, Decision.DID_HAPPEN)
    told = OutboxEvent.objects.filter(transaction=refund).order_by("pk")
    assert [(event.kind, event.amount_minor) for event in told] == [("REFUNDED", 500), ("ANOMALY", None)]


def test_a_record_of_an_unknown_type_is_told_also_on_a_payment_that_is_frozen(
    capture: GatewayTransaction, context: GatewayContext
) -> None:
    frozen = settle(capture, update(E.CONTRADICTED, finding=contradiction(None)), context=context)
    for _ in range(2):
        frozen = settle(frozen, update(finding=chargeback(frozen)), context=context)
    assert told_of(capture) == ["ANOMALY", "ANOMALY"]


# Pages


@pytest.mark.parametrize(
    ("kind", "url", "state"),
    [
        (K.CHECKOUT, "https://page/", S.APPROVED),
        (K.CHECKOUT, "", S.ANOMALY),
        (K.AUTHORIZATION, "https://3ds/", S.ANOMALY),
    ],
)
def test_a_refused_page_may_still_be_paid_and_nothing_else_that_was_refused(
    kind: TransactionKind, url: str, state: TransactionState, context: GatewayContext
) -> None:
    page = settle(a_page(S.UNKNOWN, kind=kind, redirect_url=url), update(E.REJECTED), context=context)
    assert settle(page, approval(2000), context=context).state == state


def test_a_page_with_a_second_refused_card_fails_once(context: GatewayContext) -> None:
    """A failure of another order, and another event of this order, are no failure of this page."""
    other = settle(a_page(), update(E.REJECTED), context=context)
    page = a_page()
    odd = chargeback(page)
    for event, finding in (
        (E.HELD, odd),
        (E.REJECTED, INCONCLUSIVE),
        (None, INCONCLUSIVE),
        (E.HELD, INCONCLUSIVE),
        (E.REJECTED, replace(odd, unknown_types=chargeback(page, id="g8").unknown_types)),
        (None, INCONCLUSIVE),
    ):
        page = settle(page, update(event, finding=finding), context=context)
    assert told_of(page) == ["ANOMALY", "FAILED", "ANOMALY"]
    assert told_of(other) == ["FAILED"]
