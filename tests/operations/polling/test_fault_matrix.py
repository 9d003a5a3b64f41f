"""The fault matrix of the status query: whatever goes wrong with it is no news."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from tests.operations.conftest import IMPATIENT, MakeContext, Pay, VirtualClock
from tests.operations.subjects import Subject, make_subject
from wallet_gateway.domain.lifecycle import OrderState, TransactionState
from wallet_gateway.models import Discrepancy, GatewayPause, GatewayTransaction, OutboxEvent, TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance.sweep import sweep
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.testing.control import SandboxControl

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Row:
    """One fault of a status query."""

    fault: str
    options: dict[str, Any] = field(default_factory=dict)
    impatient: bool = False

    @property
    def name(self) -> str:
        given = "-".join(str(value) for value in self.options.values())
        return f"{self.fault}-{given}" if given else self.fault


ROWS = (
    *(Row(fault) for fault in ("drop_before", "drop_after", "truncated", "reset", "bad_gzip")),
    *(Row(fault) for fault in ("bad_status_line", "not_json", "empty", "wrong_shape", "late")),
    *(Row(fault) for fault in ("redirected", "error_200")),
    Row("delay_after", {"seconds": 0.6}, impatient=True),
    Row("drip", {"seconds": 0.04}, impatient=True),
    *(Row("status_before", {"status": status}) for status in (302, 403, 404, 408, 425, 429, 500, 502, 503)),
    *(Row("error_body", {"status": status}) for status in (200, 400, 403, 404, 500)),
    *(Row("bare_error", {"status": status}) for status in (200, 400, 404)),
)


@pytest.fixture
def subject(wallet_sandbox: SandboxControl, context: GatewayContext, pay: Pay) -> Subject:
    return make_subject("capture", control=wallet_sandbox, context=context, pay=pay)


@pytest.fixture
def unknown(subject: Subject, wallet_sandbox: SandboxControl, clock: VirtualClock) -> GatewayTransaction:
    """A capture that was executed and whose answer was lost; the moment of its first question has come."""
    wallet_sandbox.fault("capture", "drop_after")
    transaction = subject.execute()
    clock.advance_to(transaction.next_query_at)
    return transaction


def queries(control: SandboxControl, reference: str) -> int:
    return sum(entry["operation"] == "status" and reference in entry["path"] for entry in control.journal())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_failed_query_leaves_an_unknown_outcome_as_it_was(
    row: Row,
    subject: Subject,
    unknown: GatewayTransaction,
    make_context: MakeContext,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    wallet_sandbox.fault("status", row.fault, **row.options)
    asker = make_context(patience=IMPATIENT) if row.impatient else context

    report = sweep(context=asker)

    transaction = GatewayTransaction.objects.get(pk=unknown.pk)
    assert report.queried == 1
    assert queries(wallet_sandbox, transaction.reference) == 1
    # No answer climbs no rung of the ladder: the same question is asked again.
    assert (transaction.state, transaction.poll_step, transaction.query_count) == (
        TransactionState.UNKNOWN,
        0,
        1,
    )
    assert subject.reserved() == subject.amount
    assert TransactionEvent.objects.filter(transaction=transaction).count() == 1
    assert transaction.next_query_at is not None
    assert transaction.next_query_at > clock.now()

    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert transaction.state == TransactionState.APPROVED
    assert subject.booked() == subject.executed(transaction) == subject.amount
    assert subject.requests() == 1


def test_a_gateway_that_limits_our_rate_is_left_alone_by_everybody_until_then(
    subject: Subject,
    unknown: GatewayTransaction,
    context: GatewayContext,
    pay: Pay,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    page = pay("return")
    clock.advance(seconds=5)
    wallet_sandbox.fault("status", "throttled", seconds=300)
    sweep(context=context)
    assert GatewayPause.objects.get().queries_until is not None
    before = len(wallet_sandbox.journal())

    clock.advance(seconds=200)
    assert sweep(context=context).queried == 0
    reconciliation.reconcile_attempt(reference=page.reference, context=context)
    assert len(wallet_sandbox.journal()) == before

    clock.advance(seconds=101)
    assert sweep(context=context).queried >= 1
    unknown.refresh_from_db()
    assert unknown.state == TransactionState.APPROVED


def test_a_pause_of_questions_does_not_stop_sending(
    unknown: GatewayTransaction, context: GatewayContext, open_page: Pay, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("status", "throttled", seconds=300)
    sweep(context=context)

    assert open_page().is_open


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refused_query_is_no_rejection_of_what_was_asked_about(
    status: int, open_page: Pay, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    payment = open_page()
    wallet_sandbox.complete_checkout(payment.reference, "success")
    wallet_sandbox.fault("status", "error_body", status=status)

    payment = reconciliation.reconcile_attempt(reference=payment.reference, context=context)

    assert payment.is_open
    assert payment.order.state == OrderState.OPEN
    assert not OutboxEvent.objects.exists()


def test_a_question_asked_twice_is_harmless(
    subject: Subject, unknown: GatewayTransaction, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("status", "duplicate")
    sweep(context=context)

    unknown.refresh_from_db()
    assert unknown.state == TransactionState.APPROVED
    assert subject.booked() == subject.amount


def test_an_answer_in_a_state_that_nobody_knows_holds_and_reaches_a_person(
    subject: Subject, unknown: GatewayTransaction, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("status", "undocumented_state")
    sweep(context=context)

    unknown.refresh_from_db()
    assert (unknown.state, unknown.needs_operator) == (TransactionState.PENDING, True)
    assert (unknown.undocumented_state, unknown.next_query_at is not None) == ("Quarantined", True)
    assert subject.reserved() == subject.amount
    assert Discrepancy.objects.get().kind == "UNKNOWN_STATE"


def test_records_that_carry_an_error_decide_nothing_and_are_told(
    subject: Subject, unknown: GatewayTransaction, context: GatewayContext, wallet_sandbox: SandboxControl
) -> None:
    wallet_sandbox.fault("status", "mixed")
    sweep(context=context)

    unknown.refresh_from_db()
    assert (unknown.state, unknown.absent_count, unknown.needs_operator) == (
        TransactionState.PENDING,
        0,
        True,
    )
    assert unknown.next_query_at is not None
    assert subject.reserved() == subject.amount
    assert Discrepancy.objects.get().kind == "RECORD_UNREADABLE"


def test_a_gateway_that_is_away_for_a_week_costs_no_question_and_no_amount(
    subject: Subject,
    unknown: GatewayTransaction,
    context: GatewayContext,
    wallet_sandbox: SandboxControl,
    clock: VirtualClock,
) -> None:
    wallet_sandbox.fault("status", "status_before", status=503, times=0)
    transaction = unknown

    def waits_of_a_day() -> list[timedelta]:
        began, waits = clock.now(), []
        while clock.now() - began < timedelta(days=1):
            before = clock.now()
            clock.advance_to(transaction.next_query_at)
            waits.append(clock.now() - before)
            sweep(context=context)
            transaction.refresh_from_db()
        return waits

    # Question by question on the first day and on the last; between them one that comes late each day.
    first = waits_of_a_day()
    for _ in range(5):
        clock.advance(days=1)
        sweep(context=context)
        transaction.refresh_from_db()
    last = waits_of_a_day()

    assert (transaction.state, transaction.poll_step, transaction.absent_count) == (
        TransactionState.UNKNOWN,
        0,
        0,
    )
    assert max(first + last) <= timedelta(hours=1, seconds=1)
    assert len(first) + 6 * len(last) < 250
    assert subject.reserved() == subject.amount

    wallet_sandbox.clear_faults()
    clock.advance_to(transaction.next_query_at)
    sweep(context=context)
    transaction.refresh_from_db()
    assert transaction.state == TransactionState.APPROVED
