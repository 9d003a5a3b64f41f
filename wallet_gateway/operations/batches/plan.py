"""Plan, start, pause, resume and stop a batch. Its rows are executed by `drive`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError
from django.db.models import QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.actors import NOBODY, Actor, By
from wallet_gateway.domain.error_codes import ErrorCode, Refusal
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.limits import available, why_not_begin
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.ledger.transactions import in_current_or_new_transaction
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    Payment,
    PaymentOrder,
    ResultCode,
    RowState,
)
from wallet_gateway.models.actors import actor_columns, actor_in
from wallet_gateway.models.fields import note_of
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.operations.inputs import actor_of, check_reason_code, check_storable, minor_units_of
from wallet_gateway.protocol.money import Money
from wallet_gateway.protocol.text import quote

MAX_ROWS = 400
"""Maximum orders per batch: two form fields for each stay below Django's limit of fields per form."""

_TOKEN = re.compile(r"\A[!-~]{1,32}\Z")

IsPermitted = Callable[[Actor, BatchKind], bool]
"""Return whether an actor's account currently has the permission for batches of this kind."""


def draft(kind: BatchKind, orders: Sequence[PaymentOrder], *, by: By, clock: Clock) -> OperationBatch:
    """Store an unconfirmed batch with the remaining amount of each order."""
    _check_size(orders)
    author = actor_columns(OperationBatch, "created_by", actor_of(by))
    batch = OperationBatch(kind=kind, created_at=clock.now(), **author)
    payments = defaultdict(list)
    for payment in Payment.objects.filter(order__in=orders, authorized__gt=0).order_by("pk"):
        payments[payment.order_id].append(payment)
    _store(batch, [_draft_row(batch, order, payments[order.pk]) for order in orders])
    return batch


def _check_size(subjects: Sequence[PaymentOrder | MigratedDeposit] | Mapping[MigratedDeposit, Money]) -> None:
    if len(subjects) > MAX_ROWS:
        raise InvalidInput(_("A batch has at most %(limit)s rows. Choose fewer."), limit=MAX_ROWS)


def _draft_row(
    batch: OperationBatch, order: PaymentOrder, candidates: Sequence[Payment]
) -> OperationBatchRow:
    row, kind = OperationBatchRow(batch=batch, order=order), TransactionKind(batch.kind)
    possible = [payment for payment in candidates if available(kind, payment.totals) > 0]
    if len(possible) == 1:
        row.payment = possible[0]
        row.amount_minor = available(kind, possible[0].totals)
        return row
    row.state = RowState.LEFT_OUT
    row.result_code, why = _why_left_out(kind, possible, candidates)
    if why is not None:
        row.refusal_code, row.refusal_params = why.code, {"sentence": why.sentence}
    return row


def _why_left_out(
    kind: TransactionKind, possible: Sequence[Payment], candidates: Sequence[Payment]
) -> tuple[ResultCode, Refusal | None]:
    if possible:
        return ResultCode.SEVERAL_PAYMENTS, None
    held = [payment for payment in candidates if payment.reversal != Reversal.DONE]
    if not held:
        return ResultCode.NOTHING_AUTHORIZED, None
    latest = held[-1]
    why = why_not_begin(kind, latest.totals, awaits_outcome=latest.awaits_outcome)
    return ResultCode.NOT_POSSIBLE, why


def _store(batch: OperationBatch, rows: Iterable[OperationBatchRow]) -> None:
    def store() -> None:
        batch.save(force_insert=True)
        OperationBatchRow.objects.bulk_create(rows)

    in_current_or_new_transaction(store)


# Start, pause, resume, stop


def start(
    batch: OperationBatch,
    rows: Iterable[OperationBatchRow],
    *,
    reason_code: str = "",
    comment: str = "",
    is_permitted: IsPermitted,
    clock: Clock,
) -> bool:
    """Start a draft with the amounts and states of its rows; return False if it was already started.

    Raises `InvalidState` when the person who drafted it lacks the permission.
    """
    check_storable(comment=comment)
    check_reason_code(TransactionKind(batch.kind), reason_code)
    _check_author(batch, is_permitted)
    columns = {
        "reason_code": reason_code,
        "comment": note_of(OperationBatch, "comment", comment),
        "driven_at": clock.now(),
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


def start_detached_refunds(
    amounts: Mapping[MigratedDeposit, Money],
    *,
    token: str,
    by: By,
    reason_code: str = "",
    comment: str = "",
    is_permitted: IsPermitted,
    clock: Clock,
) -> OperationBatch:
    """Store and start a batch of detached refunds; return the first one for a repeated token.

    Raises `InvalidInput` for an amount in another currency than its deposit, and `InvalidState` when the
    person who drafted it lacks the permission.
    """
    _check_size(amounts)
    _check_token(token)
    check_storable(comment=comment)
    check_reason_code(TransactionKind.DETACHED_REFUND, reason_code)
    batch = _running(BatchKind.DETACHED_REFUND, by, clock.now())
    batch.token, batch.reason_code = token, reason_code
    batch.comment = note_of(OperationBatch, "comment", comment)
    _check_author(batch, is_permitted)
    rows = [_refund_row(batch, deposit, amount) for deposit, amount in amounts.items()]
    try:
        _store(batch, rows)
    except IntegrityError:
        return OperationBatch.objects.get(token=token)
    return batch


def _check_token(token: str) -> None:
    """Raise `InvalidInput` for a token that the idempotency keys of the rows cannot begin with."""
    if not _TOKEN.match(token):
        sentence = _("%(argument)s must be %(expected)s, not %(given)s.")
        expected, given = "1 to 32 visible ASCII characters without spaces", quote(token)
        raise InvalidInput(sentence, argument="token", expected=expected, given=given)


def _refund_row(batch: OperationBatch, deposit: MigratedDeposit, amount: Money) -> OperationBatchRow:
    # A row stores no currency: minor units of another one would be read as those of the deposit.
    minor = minor_units_of(amount, currency=deposit.currency)
    return OperationBatchRow(batch=batch, deposit=deposit, amount_minor=minor)


def start_status_queries(
    subjects: Sequence[PaymentOrder | MigratedDeposit], *, by: By, clock: Clock
) -> OperationBatch:
    """Store and start a batch of status queries, which move no money and need no confirmation."""
    _check_size(subjects)
    batch = _running(BatchKind.STATUS_QUERY, by, clock.now())
    _store(batch, [_query_row(batch, subject) for subject in subjects])
    return batch


def _running(kind: BatchKind, by: By, now: datetime) -> OperationBatch:
    return OperationBatch(
        kind=kind,
        state=BatchState.RUNNING,
        **actor_columns(OperationBatch, "created_by", actor_of(by)),
        created_at=now,
        driven_at=now,
    )


def _query_row(batch: OperationBatch, subject: PaymentOrder | MigratedDeposit) -> OperationBatchRow:
    if isinstance(subject, MigratedDeposit):
        return OperationBatchRow(batch=batch, deposit=subject)
    return OperationBatchRow(batch=batch, order=subject)


def _check_author(batch: OperationBatch, is_permitted: IsPermitted) -> None:
    if not is_permitted(actor_in(batch, "created_by"), BatchKind(batch.kind)):
        raise InvalidState(
            _("%(name)s does not have the permission for this batch. Nothing was started."),
            ErrorCode.NOT_PERMITTED,
            name=batch.created_by,
        )


def pause(batch: OperationBatch, *, by: By, clock: Clock) -> bool:
    """Pause a batch: no further row begins until a user resumes it; return whether it was running."""
    who = actor_columns(OperationBatch, "paused_by", actor_of(by))
    columns = {"state": BatchState.PAUSED, "paused_at": clock.now(), **who}
    return bool(batches_in(batch, BatchState.RUNNING).update(**columns))


def resume(batch: OperationBatch, *, clock: Clock) -> bool:
    """Resume a paused batch; return whether it was paused."""
    nobody = actor_columns(OperationBatch, "paused_by", NOBODY)
    columns = {"state": BatchState.RUNNING, "paused_at": None, "driven_at": clock.now(), **nobody}
    return bool(batches_in(batch, BatchState.PAUSED).update(**columns))


def stop(batch: OperationBatch, *, by: By, clock: Clock) -> bool:
    """Stop a batch permanently: rows not begun are left out, rows in progress are finished."""
    who = actor_columns(OperationBatch, "stopped_by", actor_of(by))
    columns = {"state": BatchState.STOPPED, "stopped_at": clock.now(), **who}

    def end() -> bool:
        if not batches_in(batch, *_STOPPABLE).update(**columns):
            return False
        not_begun = OperationBatchRow.objects.filter(batch=batch, state=RowState.WAITING)
        not_begun.update(state=RowState.LEFT_OUT, result_code=ResultCode.BATCH_STOPPED)
        return True

    return in_current_or_new_transaction(end)


_STOPPABLE = (BatchState.RUNNING, BatchState.PAUSED)


def batches_in(batch: OperationBatch, *states: BatchState) -> QuerySet[OperationBatch]:
    """Return a queryset of the batch, empty if it is in none of the given states."""
    return OperationBatch.objects.filter(pk=batch.pk, state__in=states)
