"""The fault matrix of the status query: whatever goes wrong with it is no news."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.operations.conftest import IMPATIENT, MakeContext, Pay, VirtualClock
from tests.operations.subjects import Subject, make_subject
from wallet_gateway.domain.lifecycle import TransactionState
from wallet_gateway.models import GatewayTransaction, TransactionEvent
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.maintenance.sweep import sweep
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
