"""One operation for many orders or deposits: drafted, confirmed, and then executed by the sweep.

A batch is executed row by row on behalf of the person who created it, as long as their account has the
permission of the operation. `sweep` drives running batches; `step` drives one of them a little further.

Nothing here depends on a page or on one process. A row is claimed by a conditional UPDATE, so any number of
workers may drive the same batch. Each row has its own idempotency key: a row whose worker was killed is taken
over when its lease has ended, and the key finds the operation already begun.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError
from django.db.models import Exists, Q, QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway import gateways
from wallet_gateway.domain.error_codes import ARGUMENT_CHOICE, KEY_TAKEN, PAYMENT_FROZEN, ErrorCode, Refusal
from wallet_gateway.domain.people import NOBODY, By
from wallet_gateway.domain.states import (
    LEFT_TO_PEOPLE,
    OrderState,
    Reversal,
    TransactionKind,
    available,
    why_not_begin,
)
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.transactions import (
    check_outside_transaction,
    in_current_or_new_transaction,
    in_statement,
    log_row_error,
)
from wallet_gateway.models import (
    Approval,
    BatchKind,
    BatchState,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    Payment,
    PaymentOrder,
    ResultCode,
    RowState,
)
from wallet_gateway.models.decisions import OF_KIND, UNENDED_ROWS, account_has
from wallet_gateway.models.fields import actor_columns, actor_in, note_of
from wallet_gateway.operation_errors import (
    AwaitingApproval,
    IdempotencyConflict,
    InvalidInput,
    InvalidState,
    OperationRefused,
)
from wallet_gateway.payments.detached_refunds import refund_deposit
from wallet_gateway.payments.execution import Initiator, follow_up
from wallet_gateway.payments.follow_ups import give_up
from wallet_gateway.payments.inputs import (
    actor_of,
    check_reason_code,
    check_row,
    check_storable,
    minor_units_of,
)
from wallet_gateway.payments.reconciliation import query_all
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote
from wallet_gateway.signals import batch_row_done

__all__ = [
    "MAX_ROWS",
    "draft",
    "drive",
    "pause",
    "resume",
    "start",
    "start_detached_refunds",
    "start_status_queries",
    "step",
    "stop",
]

MAX_ROWS = 400
"""Maximum orders per batch: two form fields for each stay below Django's limit of fields per form."""
STEP_SECONDS = 2.0
"""How long one step executes rows."""
LEASE = timedelta(seconds=120)
"""Time for which a row belongs to the worker that has claimed it."""

_TOKEN = re.compile(r"\A[!-~]{1,32}\Z")
_DRAFTED = (BatchKind.CAPTURE, BatchKind.REFUND, BatchKind.REVERSAL)
_CANDIDATES = 20
"""Number of rows that one claim reads: other workers may claim some of them first."""
_BATCHES = 50
"""Maximum number of batches that one sweep drives."""


@sensitive_variables()
def draft(kind: BatchKind, orders: Sequence[PaymentOrder], *, by: By) -> OperationBatch:
    """Store an unconfirmed batch of captures, refunds or reversals with one row for each order.

    A row's amount is what is left of its order. Nothing is sent before `start`.

    :param kind: `BatchKind.CAPTURE`, `REFUND` or `REVERSAL`.
    :param orders: at most `MAX_ROWS` orders; one with nothing left is a row that is left out.
    :param by: who drafts it: a user such as `request.user`, an `Actor`, or a program's name.
    :returns: the batch, in the state `DRAFT`.
    :raises InvalidInput: `argument_invalid`, also for another kind and more than `MAX_ROWS` orders.
    """
    if kind not in _DRAFTED:
        raise InvalidInput(*ARGUMENT_CHOICE, argument="kind", known=", ".join(_DRAFTED))
    _check_size(orders)
    author = actor_columns(OperationBatch, "created_by", actor_of(by))
    batch = OperationBatch(kind=kind, created_at=gateways.clock().now(), **author)
    payments = defaultdict(list)
    for payment in Payment.objects.filter(order__in=orders, authorized__gt=0).order_by("pk"):
        payments[payment.order_id].append(payment)
    operation = TransactionKind(kind)
    rows = []
    for order in orders:
        row, candidates = OperationBatchRow(batch=batch, order=order), payments[order.pk]
        possible = [payment for payment in candidates if available(operation, payment.totals) > 0]
        if len(possible) == 1 and not _is_left_to_people(operation, order):
            row.payment = possible[0]
            row.amount_minor = available(operation, possible[0].totals)
        else:
            row.state = RowState.LEFT_OUT
            row.result_code, why = _why_left_out(order, operation, possible, candidates)
            if why is not None:
                row.refusal_code, row.refusal_params = why.code, {"sentence": why.sentence}
        rows.append(row)
    _store(batch, rows)
    return batch


def _check_size(subjects: Sequence[PaymentOrder | MigratedDeposit] | Mapping[MigratedDeposit, Money]) -> None:
    if len(subjects) > MAX_ROWS:
        raise InvalidInput(_("A batch has at most %(limit)s rows. Choose fewer."), limit=MAX_ROWS)


def _is_left_to_people(kind: TransactionKind, order: PaymentOrder) -> bool:
    """Return whether a person decides for this order alone whether more money of it is taken."""
    return kind is TransactionKind.CAPTURE and order.state in LEFT_TO_PEOPLE


def _why_left_out(
    order: PaymentOrder, kind: TransactionKind, possible: Sequence[Payment], candidates: Sequence[Payment]
) -> tuple[ResultCode, Refusal | None]:
    if len(possible) == 1 and order.state == OrderState.FROZEN:
        return ResultCode.NOT_POSSIBLE, PAYMENT_FROZEN
    if possible:
        return ResultCode.SEVERAL_PAYMENTS, None
    held = [payment for payment in candidates if payment.reversal != Reversal.DONE]
    if not held:
        return ResultCode.NOTHING_AUTHORIZED, None
    latest = held[-1]
    why = why_not_begin(kind, latest.totals, awaits_outcome=latest.awaits_outcome)
    return ResultCode.NOT_POSSIBLE, why


def _store(batch: OperationBatch, rows: Sequence[OperationBatchRow]) -> None:
    def store() -> None:
        # After a conflict it is inserted anew: the keys of the first try may be others' by then.
        batch.pk = None
        batch.save(force_insert=True)
        for row in rows:
            row.pk, row.batch = None, batch
        OperationBatchRow.objects.bulk_create(rows)

    in_current_or_new_transaction(store)


@sensitive_variables()
def start(
    batch: OperationBatch,
    rows: Iterable[OperationBatchRow] = (),
    *,
    reason_code: str = "",
    comment: str = "",
) -> bool:
    """Start a draft; a row that needs a second person becomes a request for one.

    :param batch: a draft, as `draft` returns it; its `state` is then `RUNNING`.
    :param rows: those of its rows whose amount or state was changed.
    :param reason_code: empty or one of `ReasonCode` for the operation: `"shipped"`.
    :param comment: for people, cut to 500 characters.
    :returns: False if it is not a draft (any more).
    :raises InvalidState: `not_permitted`, where the person who drafted it lacks the permission.
    :raises InvalidInput: `argument_invalid`.
    """
    check_row(batch, OperationBatch)
    check_storable(comment=comment)
    check_reason_code(TransactionKind(batch.kind), reason_code)
    _check_author(batch)
    columns = {
        "reason_code": reason_code,
        "comment": note_of(OperationBatch, "comment", comment),
        "driven_at": gateways.clock().now(),
    }
    drafts = OperationBatch.objects.filter(pk=batch.pk, state=BatchState.DRAFT)

    def begin() -> bool:
        # Update the batch first: of two submitted pages only one writes rows, and it locks the other out.
        if not drafts.update(state=BatchState.RUNNING, **columns):
            return False
        OperationBatchRow.objects.bulk_update(rows, ["amount_minor", "state", "result_code"])
        return True

    begins = in_current_or_new_transaction(begin)
    batch.refresh_from_db()
    return begins


def _check_author(batch: OperationBatch) -> None:
    if not _is_permitted(batch):
        raise InvalidState(
            _("%(name)s does not have the permission for this batch. Nothing was started."),
            ErrorCode.NOT_PERMITTED,
            name=batch.created_by,
        )


def _is_permitted(batch: OperationBatch) -> bool:
    """Return whether the account of the batch's author has the permission for its operation now."""
    return bool(account_has(actor_in(batch, "created_by"), OF_KIND[TransactionKind(batch.kind)]))


@sensitive_variables()
def start_detached_refunds(
    amounts: Mapping[MigratedDeposit, Money],
    *,
    token: str,
    by: By,
    reason_code: str = "",
    comment: str = "",
) -> OperationBatch:
    """Start a batch that refunds deposits of an earlier provider.

    A row that needs a second person becomes a request for one.

    :param amounts: how much of each `MigratedDeposit`, as `Money` in its currency; at most `MAX_ROWS`.
    :param token: 1 to 32 visible ASCII characters for this batch; a repeated one returns the first batch.
    :param by: who starts it: a user such as `request.user`, an `Actor`, or a program's name.
    :param reason_code: empty or one of `ReasonCode` for a refund: `"returned"`.
    :param comment: for people, cut to 500 characters.
    :returns: the batch, `RUNNING`.
    :raises InvalidState: `not_permitted`, where the person lacks the permission.
    :raises InvalidInput: `amount_invalid` and `argument_invalid`.
    :raises IdempotencyConflict: `key_taken`, if the token belongs to a batch of other refunds.
    """
    _check_size(amounts)
    if not _TOKEN.match(token):
        # The idempotency keys of the rows begin with it.
        sentence = _("%(argument)s must be %(expected)s, not %(given)s.")
        expected, given = "1 to 32 visible ASCII characters without spaces", quote(token)
        raise InvalidInput(sentence, argument="token", expected=expected, given=given)
    check_storable(comment=comment)
    check_reason_code(TransactionKind.DETACHED_REFUND, reason_code)
    batch = _running(BatchKind.DETACHED_REFUND, by)
    batch.token, batch.reason_code = token, reason_code
    batch.comment = note_of(OperationBatch, "comment", comment)
    _check_author(batch)
    rows = []
    for deposit, amount in amounts.items():
        # A row stores no currency: minor units of another one would be read as those of the deposit.
        minor = minor_units_of(amount, currency=deposit.currency)
        rows.append(OperationBatchRow(batch=batch, deposit=deposit, amount_minor=minor))
    try:
        _store(batch, rows)
    except IntegrityError as error:
        first = OperationBatch.objects.get(token=token)
        if set(first.rows.values_list("deposit", "amount_minor")) != {
            (row.deposit_id, row.amount_minor) for row in rows
        }:
            raise IdempotencyConflict(*KEY_TAKEN, key=token) from error
        return first
    return batch


@sensitive_variables()
def start_status_queries(subjects: Sequence[PaymentOrder | MigratedDeposit], *, by: By) -> OperationBatch:
    """Start a batch that asks the gateway about orders and deposits; nothing that moves money is sent.

    :param subjects: at most `MAX_ROWS` orders and migrated deposits.
    :param by: who starts it: a user such as `request.user`, an `Actor`, or a program's name.
    :returns: the batch, `RUNNING`.
    :raises InvalidInput: `argument_invalid`.
    """
    _check_size(subjects)
    batch = _running(BatchKind.STATUS_QUERY, by)
    rows = []
    for subject in subjects:
        parent = "deposit" if isinstance(subject, MigratedDeposit) else "order"
        rows.append(OperationBatchRow(batch=batch, **{parent: subject}))
    _store(batch, rows)
    return batch


def _running(kind: BatchKind, by: By) -> OperationBatch:
    now = gateways.clock().now()
    author = actor_columns(OperationBatch, "created_by", actor_of(by))
    return OperationBatch(kind=kind, state=BatchState.RUNNING, created_at=now, driven_at=now, **author)


@sensitive_variables()
def pause(batch: OperationBatch, *, by: By) -> bool:
    """Start no further row until `resume`.

    :param batch: a running batch.
    :param by: who pauses it: a user such as `request.user`, an `Actor`, or a program's name.
    :returns: whether the batch was running.
    :raises InvalidInput: `argument_invalid`.
    """
    check_row(batch, OperationBatch)
    who = actor_columns(OperationBatch, "paused_by", actor_of(by))
    columns = {"state": BatchState.PAUSED, "paused_at": gateways.clock().now(), **who}
    return bool(_in_state(batch, BatchState.RUNNING).update(**columns))


@sensitive_variables()
def resume(batch: OperationBatch) -> bool:
    """Continue a paused batch.

    :param batch: a paused batch.
    :returns: whether it was paused.
    """
    check_row(batch, OperationBatch)
    nobody = actor_columns(OperationBatch, "paused_by", NOBODY)
    columns = {"paused_at": None, "driven_at": gateways.clock().now(), **nobody}
    return bool(_in_state(batch, BatchState.PAUSED).update(state=BatchState.RUNNING, **columns))


@sensitive_variables()
def stop(batch: OperationBatch, *, by: By) -> bool:
    """Stop a batch permanently and leave out the rows not started; rows in progress are finished.

    :param batch: a batch that runs or is paused.
    :param by: who stops it: a user such as `request.user`, an `Actor`, or a program's name.
    :returns: whether it was not finished.
    :raises InvalidInput: `argument_invalid`.
    """
    check_row(batch, OperationBatch)
    who = actor_columns(OperationBatch, "stopped_by", actor_of(by))
    columns = {"state": BatchState.STOPPED, "stopped_at": gateways.clock().now(), **who}

    def end() -> bool:
        if not _in_state(batch, BatchState.RUNNING, BatchState.PAUSED).update(**columns):
            return False
        not_begun = OperationBatchRow.objects.filter(batch=batch, state=RowState.WAITING)
        not_begun.update(state=RowState.LEFT_OUT, result_code=ResultCode.BATCH_STOPPED)
        return True

    return in_current_or_new_transaction(end)


def _in_state(batch: OperationBatch, *states: BatchState) -> QuerySet[OperationBatch]:
    """Return a queryset of the batch, empty if it is in none of the given states."""
    return OperationBatch.objects.filter(pk=batch.pk, state__in=states)


# Its rows, one after another


@sensitive_variables()
def drive(*, seconds: float) -> Counter[str]:
    """Execute rows of all running batches for some time, as the sweep does.

    :param seconds: no further row begins after this time: `10.0`.
    :returns: the number of executed rows by alias of the gateway.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.batches.drive")
    abandoned = OperationBatchRow.objects.filter(
        state=RowState.WORKING,
        leased_until__lt=gateways.clock().now(),
        batch__state__in=[BatchState.PAUSED, BatchState.STOPPED],
    )
    for row in abandoned.select_related("batch")[:MAX_ROWS]:
        # Its worker died, and its batch was paused or stopped since.
        if _record_begun(row):
            continue
        if row.batch.state == BatchState.PAUSED:
            _record(row, RowState.WAITING)
        else:
            _record(row, RowState.LEFT_OUT, ResultCode.BATCH_STOPPED)
    ends_at, done = time.monotonic() + seconds, Counter[str]()
    running = OperationBatch.objects.filter(state=BatchState.RUNNING).order_by("driven_at", "pk")
    # Each gets an equal share of the time, beginning with the one that waited longest; the first always some.
    batches = list(running[:_BATCHES])
    for number, batch in enumerate(batches):
        left = ends_at - time.monotonic()
        if number and left <= 0:
            break
        rows = step(batch, seconds=left / (len(batches) - number))
        done.update(row.subject.gateway for row in rows)
    return done


@sensitive_variables()
def step(batch: OperationBatch, *, seconds: float = STEP_SECONDS) -> list[OperationBatchRow]:
    """Execute rows of a running batch for some time; a row that is refused says so in its `refusal_code`.

    :param batch: a running batch; one in another state executes nothing.
    :param seconds: no further row begins after this time: `2.0`.
    :returns: the executed rows.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.batches.step")
    check_row(batch, OperationBatch)
    clock, ends_at, done = gateways.clock(), time.monotonic() + seconds, list[OperationBatchRow]()
    running = _in_state(batch, BatchState.RUNNING)
    in_statement(partial(running.update, driven_at=clock.now()))
    while (row := _claim(batch, clock.now())) is not None:
        rest = 0.0
        with log_row_error(f"row {row.pk} of batch {batch.pk}") as failures:
            rest = _carry_out(row)
        if failures and not _record_begun(row):
            # A row that always fails must not be tried for ever, and nothing of this one was begun.
            _record(row, RowState.REFUSED, ResultCode.FAILED)
        batch_row_done.send_robust(sender=OperationBatchRow, batch=row.batch, row=row)
        done.append(row)
        if time.monotonic() >= ends_at:
            break
        clock.sleep(rest)
    left = OperationBatchRow.objects.filter(batch=batch, state__in=UNENDED_ROWS)
    ended = running.filter(~Exists(left))
    in_statement(partial(ended.update, state=BatchState.FINISHED, finished_at=clock.now()))
    return done


def _claim(batch: OperationBatch, now: datetime) -> OperationBatchRow | None:
    free = Q(state=RowState.WAITING) | Q(state=RowState.WORKING, leased_until__lt=now)
    running = Exists(_in_state(batch, BatchState.RUNNING))
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


def _carry_out(row: OperationBatchRow) -> float:
    """Execute a claimed row and record the result; return the seconds to wait after its requests."""
    batch = row.batch
    try:
        context = context_of(row.subject.gateway)
    except ImproperlyConfigured:
        # What a dead worker has sent was sent, whatever the settings name now.
        if not _record_begun(row):
            _record(row, RowState.REFUSED, ResultCode.UNKNOWN_GATEWAY)
        return 0.0
    if batch.kind == BatchKind.STATUS_QUERY:
        report = query_all(row.subject, context=context)
        row.changed.add(*report.changed)
        result = ResultCode.CHANGED if report.changed else ResultCode.UNCHANGED
        if report.unanswered:
            result = ResultCode.UNANSWERED
        elif not report.queries:
            result = ResultCode.NEVER_SENT
        _record(row, RowState.CARRIED_OUT, result)
        return report.queries / context.policy.query_rate
    # What a dead worker has begun is looked up without a permission check.
    is_begun = (
        GatewayTransaction.objects.filter(idempotency_key=row.key).exists()
        or Approval.objects.filter(idempotency_key=row.key).exists()
    )
    if not is_begun and not _is_permitted(batch):
        _record(row, RowState.REFUSED, ResultCode.NO_PERMISSION)
        return 0.0
    author = actor_in(batch, "created_by")
    try:
        who = Initiator(
            idempotency_key=row.key,
            by=author,
            reason_code=batch.reason_code,
            comment=batch.comment,
            is_awaited=False,
        )
        if row.deposit is not None:
            minor = row.amount.minor_units
            row.transaction = refund_deposit(row.deposit, minor, context=context, who=who)
        else:
            assert row.payment is not None  # noqa: S101 - an order's row without a payment is left out
            kind = TransactionKind(batch.kind)
            if not is_begun and _is_left_to_people(kind, row.payment.order):
                raise InvalidState(*PAYMENT_FROZEN)
            amount = None if kind is TransactionKind.REVERSAL else row.amount
            row.transaction = follow_up(row.payment, kind, amount=amount, who=who)
    except AwaitingApproval as waiting:
        row.approval = waiting.approval
        _record(row, RowState.AWAITING_APPROVAL)
        return 0.0
    except OperationRefused as refused:
        _record(row, RowState.REFUSED, ResultCode.REFUSED, refused)
        return 0.0
    if give_up(row.transaction, actor=author, context=context, is_awaited=False):
        _record(row, RowState.REFUSED, ResultCode.UNREACHABLE)
    else:
        _record(row, RowState.CARRIED_OUT)
    return 1 / context.policy.query_rate


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


def _record_begun(row: OperationBatchRow) -> bool:
    """Record what a dead worker has made of a row; return False if it has made nothing of it."""
    row.transaction = GatewayTransaction.objects.filter(idempotency_key=row.key).first()
    row.approval = Approval.objects.filter(idempotency_key=row.key).first()
    if row.transaction is not None:
        _record(row, RowState.CARRIED_OUT)
    elif row.approval is not None:
        _record(row, RowState.AWAITING_APPROVAL)
    return row.transaction is not None or row.approval is not None
