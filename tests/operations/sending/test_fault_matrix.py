"""The fault matrix: each fault a row, each operation a column, on real sockets.

What a fault means is said once. A checkout has no second copy of its page's address, and a status query that
fails is no news; what fails below HTTP has a table of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from tests.explanations import explained
from tests.operations.conftest import IMPATIENT, MakeContext, MakeOrder, Pay, Start, VirtualClock
from tests.operations.journal import asked_about, times_sent
from tests.operations.subjects import Subject, make_subject
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import GatewayTransaction, OutboxEvent, PaymentOrder, TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import GatewayRefused, GatewayUnreachable
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db
S = TransactionState


@dataclass(frozen=True)
class Row:
    """One fault: where the transaction stands right after it, and where the recovery leads."""

    fault: str
    after: TransactionState
    end: TransactionState
    options: dict[str, Any] = field(default_factory=dict)
    impatient: bool = False
    says: str = ""
    """What the operator must be told, in part."""

    @property
    def name(self) -> str:
        given = "-".join(str(value) for value in self.options.values())
        return f"{self.fault}-{given}" if given else self.fault


def lost(
    fault: str, *, executed: bool, says: str = "unknown", impatient: bool = False, **options: Any
) -> Row:
    """A fault after which the outcome is unknown, and stays so unless the gateway has executed it."""
    end = S.APPROVED if executed else S.UNKNOWN
    return Row(fault, S.UNKNOWN, end, options, impatient, says)


ROWS = (
    lost("drop_before", executed=False, says="connection_lost"),
    lost("drop_after", executed=True, says="connection_lost"),
    lost("delay_after", executed=True, says="timeout", impatient=True, seconds=0.6),
    lost("drip", executed=True, says="timeout", impatient=True, seconds=0.04),
    lost("late", executed=False, says="connection_lost", seconds=3600),
    lost("truncated", executed=True, says="connection_lost"),
    lost("reset", executed=True, says="connection_lost"),
    lost("bad_gzip", executed=True, says="bad_encoding"),
    lost("bad_status_line", executed=True, says="broken_http"),
    lost("not_json", executed=True, says="unreadable"),
    lost("empty", executed=True, says="unreadable"),
    lost("wrong_shape", executed=True, says="wrong_shape"),
    lost("mixed", executed=True, says="contradictory"),
    lost("redirected", executed=False, says="redirect"),
    lost("throttled", executed=False, says="rate_limited"),
    *(lost("status_before", executed=False, says=str(s), status=s) for s in (500, 502, 503, 504)),
    *(lost("status_after", executed=True, says=str(s), status=s) for s in (500, 502, 503)),
    *(lost("status_before", executed=False, says=str(s), status=s) for s in (403, 404, 408, 425, 429)),
    *(lost("status_after", executed=True, says=str(s), status=s) for s in (302, 307, 403, 429)),
    *(lost("error_body", executed=False, says=str(s), status=s) for s in (408, 425, 429, 500, 503)),
    *(lost("bare_error", executed=False, says=str(s), status=s) for s in (408, 429, 503)),
    Row("undocumented_state", S.PENDING, S.PENDING, says="Quarantined"),
    *(
        Row("error_body", S.REJECTED, S.REJECTED, {"status": s}, says="4107940")
        for s in (200, 400, 401, 403, 404, 409, 422)
    ),
    *(
        Row("bare_error", S.REJECTED, S.REJECTED, {"status": s, "code": "4100001"}, says="4100001")
        for s in (200, 400, 403, 404, 422)
    ),
    Row("errored", S.REJECTED, S.REJECTED, says="errored"),
    Row("error_200", S.APPROVED, S.APPROVED, says="repeated_on_the_wire"),
    Row("duplicate", S.APPROVED, S.APPROVED, says="repeated_on_the_wire"),
    Row("delay_after", S.APPROVED, S.APPROVED, {"seconds": 0.05}),
    Row("drip", S.APPROVED, S.APPROVED, {"seconds": 0.0005}),
)


def outcome(row: Row, subject: Subject) -> Row:
    """A conflict says that reference or account were used, as only a copy of the request can have done."""
    is_conflict = subject.name == "authorization" and row.options.get("status") == 409
    return replace(row, after=S.UNKNOWN, end=S.UNKNOWN) if is_conflict else row


def check_money(subject: Subject, transaction: GatewayTransaction) -> None:
    """What is reserved and booked fits the state of the transaction, and so does the order."""
    done = transaction.state == S.APPROVED
    held = transaction.state in {S.UNKNOWN, S.PENDING}
    assert subject.reserved() == (subject.amount if held else 0)
    assert subject.booked() == (subject.amount if done else 0)
    assert subject.order_state_is(done=done)
    assert not subject.is_frozen()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_fault_leads_where_the_matrix_says(
    row: Row,
    mover: Subject,
    make_context: MakeContext,
    clock: VirtualClock,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
) -> None:
    row = outcome(row, mover)
    wallet_sandbox.fault(mover.name, row.fault, **row.options)
    sender = make_context(patience=IMPATIENT) if row.impatient else context

    transaction = mover.execute(sender)

    assert transaction.state == row.after
    assert row.says in explained(transaction)
    check_money(mover, transaction)
    for _ in range(3):
        # Three rungs of the ladder, or the confirming query of what is decided.
        if transaction.next_query_at is not None:
            clock.advance_to(transaction.next_query_at)
        sweep(context=context)
        transaction.refresh_from_db()
        if transaction.next_query_at is None:
            break
    assert transaction.state == row.end
    check_money(mover, transaction)
    assert mover.requests() == 1
    if row.fault != "late":
        assert mover.executed(transaction) == mover.booked()
    assert OutboxEvent.objects.filter(transaction=transaction).count() <= 1


def test_a_request_that_is_executed_an_hour_late_is_found_and_not_sent_again(
    subject: Subject, wallet_sandbox: SandboxControl, clock: VirtualClock, context: GatewayContext
) -> None:
    wallet_sandbox.fault(subject.name, "late", seconds=3600)
    transaction = subject.execute()
    while transaction.state == S.UNKNOWN:
        assert subject.reserved() == subject.amount
        clock.advance_to(transaction.next_query_at)
        sweep(context=context)
        transaction.refresh_from_db()

    assert transaction.state == S.APPROVED
    check_money(subject, transaction)
    assert clock.now() - transaction.created_at > timedelta(hours=1)
    assert subject.requests() == 1
    assert subject.executed(transaction) == subject.booked()


def test_an_outcome_that_nobody_finds_asks_for_a_person_after_a_day_and_keeps_the_amount(
    subject: Subject, wallet_sandbox: SandboxControl, clock: VirtualClock, context: GatewayContext
) -> None:
    wallet_sandbox.fault(subject.name, "drop_before")
    transaction = subject.execute()
    while not transaction.needs_operator:
        clock.advance_to(transaction.next_query_at)
        sweep(context=context)
        transaction.refresh_from_db()

    assert clock.now() - transaction.created_at > timedelta(hours=24)
    assert transaction.absent_count >= 5
    assert transaction.state == S.UNKNOWN
    check_money(subject, transaction)
    assert subject.requests() == 1


def test_a_refusal_that_turns_out_executed_after_all_is_an_anomaly(
    subject: Subject, wallet_sandbox: SandboxControl, clock: VirtualClock, context: GatewayContext
) -> None:
    wallet_sandbox.behaviour(status_lag_seconds=60)
    wallet_sandbox.fault(subject.name, "error_200")
    transaction = subject.execute()
    assert transaction.state == S.REJECTED
    assert subject.reserved() == 0

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()

    assert transaction.state == S.ANOMALY
    assert subject.is_frozen()
    assert transaction.discrepancies.get().kind == "APPROVED_AFTER_END"


# The gateway itself reverses an authorization once at most.
@pytest.mark.parametrize("subject", ["capture", "refund", "detached_refund"], indirect=True)
def test_a_request_executed_twice_on_the_wire_freezes_once_the_second_record_shows(
    subject: Subject, wallet_sandbox: SandboxControl, clock: VirtualClock, context: GatewayContext
) -> None:
    wallet_sandbox.behaviour(duplicates="execute")
    wallet_sandbox.fault(subject.name, "duplicate")
    transaction = subject.execute()
    assert transaction.state == S.APPROVED

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()

    assert transaction.state == S.ANOMALY
    assert transaction.discrepancies.get().kind == "EXECUTED_TWICE"
    assert subject.is_frozen()
    assert subject.booked() == subject.amount
    assert subject.executed(transaction) == 2 * subject.amount
    kinds = set(OutboxEvent.objects.filter(transaction=transaction).values_list("kind", flat=True))
    assert ("ANOMALY" in kinds) is (subject.payment is not None)


def test_every_answer_is_kept_as_evidence_without_secrets(
    subject: Subject, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault(subject.name, "status_after", status=502)
    transaction = subject.execute()

    fault = TransactionEvent.objects.get(transaction=transaction)
    assert (fault.kind, fault.http_status, fault.state_after) == ("FAULT", 502, S.UNKNOWN)
    assert "Gateway" in fault.answer_body
    assert transaction.reference in fault.request_body


# The checkout: the answer is the only copy of the page's address


def is_lost(row: Row) -> bool:
    return row.after == S.UNKNOWN


def is_refused(row: Row) -> bool:
    """A second copy is refused as for any operation. `errored` is about decided pages; here is none yet."""
    return (row.after == S.REJECTED and row.fault != "errored") or row.fault in {"error_200", "duplicate"}


def attempt_of(order: PaymentOrder) -> GatewayTransaction:
    return GatewayTransaction.objects.filter(payment__order=order).order_by("pk")[0]


@pytest.mark.parametrize("row", [row for row in ROWS if is_lost(row)], ids=lambda row: row.name)
def test_a_lost_page_is_abandoned_kept_on_watch_and_another_one_may_be_opened(
    row: Row,
    start: Start,
    make_order: MakeOrder,
    make_context: MakeContext,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    wallet_sandbox.fault("checkout", row.fault, **row.options)
    order = make_order()

    with pytest.raises(GatewayUnreachable):
        start(order, make_context(patience=IMPATIENT) if row.impatient else context)

    first = attempt_of(order)
    assert (first.state, first.redirect_url) == (S.ABANDONED, "")
    assert times_sent(wallet_sandbox, "checkout") == 1
    assert first.expires_at is not None
    assert first.next_query_at is not None
    watched_from = first.expires_at + timedelta(minutes=15)
    assert abs(first.next_query_at - watched_from) <= (watched_from - first.state_changed_at) / 5
    order.refresh_from_db()
    assert (order.state, order.is_payable) == (OrderState.FAILED, True)
    assert not OutboxEvent.objects.exists()

    # A 429 also asks for peace; it has passed before the customer clicks again.
    clock.advance(seconds=40)
    second = start(order, context)
    assert second.reference != first.reference
    assert second.is_open
    assert times_sent(wallet_sandbox, "checkout") == 2


@pytest.mark.parametrize("fault", ["drop_after", "truncated", "not_json"])
def test_a_lost_page_that_is_paid_all_the_same_is_an_anomaly(
    fault: str,
    start: Start,
    make_order: MakeOrder,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    wallet_sandbox.fault("checkout", fault)
    order = make_order()
    with pytest.raises(GatewayUnreachable):
        start(order)
    first = attempt_of(order)
    wallet_sandbox.complete_checkout(first.reference, "success")

    clock.advance_to(first.next_query_at)
    sweep(context=context)

    first.refresh_from_db()
    order.refresh_from_db()
    assert (first.state, order.state) == (S.ANOMALY, OrderState.FROZEN)
    assert first.discrepancies.get().kind == "APPROVED_AFTER_END"
    assert [outbox_event.kind for outbox_event in OutboxEvent.objects.all()] == ["ANOMALY"]


@pytest.mark.parametrize("row", [row for row in ROWS if is_refused(row)], ids=lambda row: row.name)
def test_a_refused_page_ends_the_attempt_at_once_with_the_gateways_words(
    row: Row, start: Start, make_order: MakeOrder, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("checkout", row.fault, **row.options)
    order = make_order()

    with pytest.raises(GatewayRefused) as refusal:
        start(order)

    first = attempt_of(order)
    assert (first.state, first.error_code != "") == (S.REJECTED, True)
    assert first.error_code in explained(first)
    assert first.error_code in str(refusal.value)
    order.refresh_from_db()
    assert (order.state, order.is_payable) == (OrderState.FAILED, True)
    assert times_sent(wallet_sandbox, "checkout") == 1
    assert start(order).reference != first.reference


# The status query: whatever goes wrong with it is no news


def fails_a_query(row: Row) -> bool:
    """A record that is refused and approved is one, and a pause is heard by all queries."""
    return row.after in {S.UNKNOWN, S.REJECTED} and row.fault not in {"mixed", "throttled", "errored"}


@pytest.mark.parametrize("row", [row for row in ROWS if fails_a_query(row)], ids=lambda row: row.name)
def test_a_failed_query_leaves_an_unknown_outcome_as_it_was(
    row: Row,
    pay: Pay,
    make_context: MakeContext,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    subject = make_subject("capture", control=wallet_sandbox, context=context, pay=pay)
    wallet_sandbox.fault("capture", "drop_after")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    wallet_sandbox.fault("status", row.fault, **row.options)

    report = sweep(context=make_context(patience=IMPATIENT) if row.impatient else context)

    transaction.refresh_from_db()
    assert report.queried == asked_about(wallet_sandbox).count(transaction.reference) == 1
    # No answer climbs no rung of the ladder: the same question is asked again.
    assert (transaction.state, transaction.poll_step, transaction.query_count) == (S.UNKNOWN, 0, 1)
    assert subject.reserved() == subject.amount
    assert TransactionEvent.objects.filter(transaction=transaction).count() == 1
    assert transaction.next_query_at is not None
    assert transaction.next_query_at > clock.now()

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert transaction.state == S.APPROVED
    assert subject.booked() == subject.executed(transaction) == subject.amount
    assert subject.requests() == 1
