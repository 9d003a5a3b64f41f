"""Execute the rows of running batches, both from the sweep and from a page.

Nothing here depends on a page or on one process. A row is claimed by a conditional UPDATE, so any number of
workers may drive the same batch. Each row has its own idempotency key: a row whose worker was killed is taken
over when its lease has ended, and the key finds the operation already begun.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Exists, Q

from wallet_gateway.ledger.due_rows import log_row_error
from wallet_gateway.ledger.transactions import in_statement
from wallet_gateway.models import (
    Approval,
    BatchKind,
    BatchState,
    GatewayTransaction,
    OperationBatch,
    OperationBatchRow,
    ResultCode,
    RowState,
)
from wallet_gateway.models.actors import actor_in
from wallet_gateway.models.batches import UNENDED_ROWS
from wallet_gateway.operations.approvals.resolve import give_up_unsent
from wallet_gateway.operations.batches.plan import MAX_ROWS, IsPermitted, batches_in
from wallet_gateway.operations.context import Clock, GatewayContext
from wallet_gateway.operations.errors import AwaitingApproval, OperationRefused
from wallet_gateway.operations.follow_ups.capture_refund_reverse import capture, refund, reverse
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.polling.reconciliation import QueryReport, query_all
from wallet_gateway.signals import batch_row_done

LEASE = timedelta(seconds=120)
"""Time for which a row belongs to the worker that has claimed it."""
_CANDIDATES = 20
"""Number of rows that one claim reads: other workers may claim some of them first."""
_BATCHES = 50
"""Maximum number of batches that one sweep drives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """The dependencies needed to execute rows."""

    context_of: Callable[[str], GatewayContext]
    """Raises `ImproperlyConfigured` for a gateway that the settings do not name."""
    is_permitted: IsPermitted
    clock: Clock


def drive(*, seconds: float, driver: Driver) -> Counter[str]:
    """Execute rows of running batches for some seconds, at least one; return their number per gateway.

    Each batch gets an equal share of the time, starting with the one that waited longest.
    """
    _settle_abandoned_rows(driver.clock.now())
    ends_at, done = time.monotonic() + seconds, Counter[str]()
    running = OperationBatch.objects.filter(state=BatchState.RUNNING).order_by("driven_at", "pk")
    batches = list(running[:_BATCHES])
    for number, batch in enumerate(batches):
        left = ends_at - time.monotonic()
        if number and left <= 0:
            break
        rows = step(batch, seconds=left / (len(batches) - number), driver=driver)
        done.update(row.subject.gateway for row in rows)
    return done


def step(batch: OperationBatch, *, seconds: float, driver: Driver) -> list[OperationBatchRow]:
    """Execute rows of one batch, at least one, for about `seconds`; return them.

    Between two rows it waits as long as the gateway's query rate requires.
    """
    ends_at, done = time.monotonic() + seconds, list[OperationBatchRow]()
    running = batches_in(batch, BatchState.RUNNING)
    in_statement(partial(running.update, driven_at=driver.clock.now()))
    while (row := _claim(batch, driver.clock.now())) is not None:
        rest = 0.0
        with log_row_error(f"row {row.pk} of batch {batch.pk}"):
            rest = _carry_out(row, driver)
            batch_row_done.send_robust(sender=OperationBatchRow, batch=row.batch, row=row)
            done.append(row)
        if time.monotonic() >= ends_at:
            break
        driver.clock.sleep(rest)
    _finish(batch, driver.clock.now())
    return done


def _claim(batch: OperationBatch, now: datetime) -> OperationBatchRow | None:
    free = Q(state=RowState.WAITING) | Q(state=RowState.WORKING, leased_until__lt=now)
    running = Exists(batches_in(batch, BatchState.RUNNING))
    waiting = OperationBatchRow.objects.filter(free, batch=batch, batch__state=BatchState.RUNNING)
    while candidates := list(waiting[:_CANDIDATES]):
        for row in candidates:
            mine = OperationBatchRow.objects.filter(
                running, pk=row.pk, state=row.state, leased_until=row.leased_until
            )
            if in_statement(partial(mine.update, state=RowState.WORKING, leased_until=now + LEASE)):
                of = ("batch", "order", "payment__order", "deposit")
                return OperationBatchRow.objects.select_related(*of).get(pk=row.pk)
    return None


def _carry_out(row: OperationBatchRow, driver: Driver) -> float:
    """Execute a claimed row and record the result; return the seconds to wait after its requests."""
    try:
        context = driver.context_of(row.subject.gateway)
    except ImproperlyConfigured:
        # What a dead worker has sent was sent, whatever the settings name now.
        if not _record_begun(row):
            _record(row, RowState.REFUSED, ResultCode.UNKNOWN_GATEWAY)
        return 0.0
    if row.batch.kind == BatchKind.STATUS_QUERY:
        requests = _query(row, context)
    elif _is_begun(row) or driver.is_permitted(actor_in(row.batch, "created_by"), BatchKind(row.batch.kind)):
        requests = _operate(row, context)
    else:
        _record(row, RowState.REFUSED, ResultCode.NO_PERMISSION)
        requests = 0
    return requests / context.policy.query_rate


def _query(row: OperationBatchRow, context: GatewayContext) -> int:
    report = query_all(row.subject, context=context)
    row.changed.add(*report.changed)
    _record(row, RowState.CARRIED_OUT, _result_of(report))
    return report.queries


def _result_of(report: QueryReport) -> ResultCode:
    if report.unanswered:
        return ResultCode.UNANSWERED
    if not report.queries:
        return ResultCode.NEVER_SENT
    return ResultCode.CHANGED if report.changed else ResultCode.UNCHANGED


def _is_begun(row: OperationBatchRow) -> bool:
    """Return whether a dead worker has begun the row: it is then looked up without a permission check."""
    transactions = GatewayTransaction.objects.filter(idempotency_key=row.key)
    return transactions.exists() or Approval.objects.filter(idempotency_key=row.key).exists()


def _operate(row: OperationBatchRow, context: GatewayContext) -> int:
    try:
        row.transaction = _execute(row, context)
    except AwaitingApproval as waiting:
        row.approval = waiting.approval
        _record(row, RowState.AWAITING_APPROVAL)
        return 0
    except OperationRefused as refused:
        _record(row, RowState.REFUSED, ResultCode.REFUSED, refused)
        return 0
    author = actor_in(row.batch, "created_by")
    if give_up_unsent(row.transaction, by=author, context=context, is_awaited=False):
        _record(row, RowState.REFUSED, ResultCode.UNREACHABLE)
    else:
        _record(row, RowState.CARRIED_OUT)
    return 1


def _execute(row: OperationBatchRow, context: GatewayContext) -> GatewayTransaction:
    batch, payment = row.batch, row.payment
    who = Initiator(
        idempotency_key=row.key,
        by=actor_in(batch, "created_by"),
        reason_code=batch.reason_code,
        comment=batch.comment,
        is_awaited=False,
    )
    if row.deposit is not None:
        return refund_migrated(
            parent_transaction_id=row.deposit.parent_transaction_id,
            amount=row.amount,
            currency=row.deposit.currency,
            context=context,
            who=who,
        )
    assert payment is not None  # noqa: S101 - an order's row without a payment is left out by `plan`
    if batch.kind == BatchKind.REVERSAL:
        return reverse(payment=payment, context=context, who=who)
    # No kind is left to chance: one that is not here must never move money as another.
    verb = {BatchKind.CAPTURE: capture, BatchKind.REFUND: refund}[BatchKind(batch.kind)]
    return verb(payment=payment, amount=row.amount, context=context, who=who)


def _record(
    row: OperationBatchRow,
    state: RowState,
    result_code: ResultCode | str = "",
    refused: OperationRefused | None = None,
) -> None:
    """Record a row's result, in the database and in the given row."""
    mine = OperationBatchRow.objects.filter(pk=row.pk)
    if row.transaction is None and row.approval is None:
        # A worker whose lease has ended must not overwrite the result of the worker that took the row over.
        mine = mine.filter(state=RowState.WORKING, leased_until=row.leased_until)
    row.state, row.result_code = state, result_code
    row.refusal_code = refused.code if refused is not None else ""
    row.refusal_params = {name: str(value) for name, value in refused.params.items()} if refused else {}
    columns = {
        "state": row.state,
        "transaction": row.transaction,
        "approval": row.approval,
        "result_code": row.result_code,
        "refusal_code": row.refusal_code,
        "refusal_params": row.refusal_params,
    }
    in_statement(lambda: mine.update(**columns))


def _finish(batch: OperationBatch, now: datetime) -> None:
    left = OperationBatchRow.objects.filter(batch=batch, state__in=UNENDED_ROWS)
    running = batches_in(batch, BatchState.RUNNING).filter(~Exists(left))
    in_statement(lambda: running.update(state=BatchState.FINISHED, finished_at=now))


def _settle_abandoned_rows(now: datetime) -> None:
    """Record the results of rows whose worker died and whose batch was paused or stopped since."""
    rows = OperationBatchRow.objects.filter(
        state=RowState.WORKING,
        leased_until__lt=now,
        batch__state__in=[BatchState.PAUSED, BatchState.STOPPED],
    )
    for row in rows.select_related("batch")[:MAX_ROWS]:
        if _record_begun(row):
            continue
        if row.batch.state == BatchState.PAUSED:
            _record(row, RowState.WAITING)
        else:
            _record(row, RowState.LEFT_OUT, ResultCode.BATCH_STOPPED)


def _record_begun(row: OperationBatchRow) -> bool:
    """Record what a dead worker has made of a row; return False if it has made nothing of it."""
    row.transaction = GatewayTransaction.objects.filter(idempotency_key=row.key).first()
    row.approval = Approval.objects.filter(idempotency_key=row.key).first()
    if row.transaction is not None:
        _record(row, RowState.CARRIED_OUT)
    elif row.approval is not None:
        _record(row, RowState.AWAITING_APPROVAL)
    return row.transaction is not None or row.approval is not None
