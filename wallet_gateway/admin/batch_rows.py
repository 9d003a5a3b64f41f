"""A batch from draft to end: what it holds, how much of each, and the carrying out, row by row.

No page here. The rows are claimed one by one by conditional UPDATE, so that any number of pages, processes
and people may go on with the same batch; the key of each row keeps what was begun twice one operation.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta

from django.db import IntegrityError
from django.db import transaction as db_transaction
from django.db.models import Exists, Q
from django.utils.translation import gettext as _

from wallet_gateway import gateways
from wallet_gateway.admin import bulk_status_query
from wallet_gateway.admin.approval_messages import sentence_of_request
from wallet_gateway.admin.operation_registry import BY_KIND, DETACHED_REFUND, NotDone, Operation, execute
from wallet_gateway.admin.permissions import user_still_has
from wallet_gateway.admin.visible_text import visible
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.models import (
    BatchKind,
    BatchState,
    GatewayTransaction,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    Payment,
    PaymentOrder,
    RowState,
)
from wallet_gateway.payments import AwaitingApproval
from wallet_gateway.protocol.money import Money

MOST_ORDERS = 400
"""Orders of one batch: two fields for each fit into what Django takes of a form."""
CLAIM = timedelta(seconds=120)
STEP_SECONDS = 2.0
"""How long one page carries out rows before it shows how far they are."""


def draft(operation: Operation, orders: Sequence[PaymentOrder], *, by: str) -> OperationBatch:
    """Store a batch that nobody has confirmed, with all that is left of each order."""
    batch = OperationBatch.objects.create(
        kind=operation.kind, created_by=by[:150], created_at=gateways.clock().now()
    )
    of_order = defaultdict(list)
    for payment in Payment.objects.filter(order__in=orders, authorized__gt=0).order_by("pk"):
        of_order[payment.order_id].append(payment)
    rows = [_row(batch, order, of_order[order.pk], operation) for order in orders]
    OperationBatchRow.objects.bulk_create(rows)
    return batch


def _row(
    batch: OperationBatch, order: PaymentOrder, candidates: Sequence[Payment], operation: Operation
) -> OperationBatchRow:
    row = OperationBatchRow(batch=batch, order=order)
    possible = [payment for payment in candidates if operation.available_of(payment).minor_units]
    if len(possible) == 1:
        row.payment = possible[0]
        row.amount_minor = operation.available_of(possible[0]).minor_units
    else:
        row.state = RowState.LEFT_OUT
        row.result = _why_left_out(possible, candidates, operation)[:500]
    return row


def _why_left_out(possible: Sequence[Payment], candidates: Sequence[Payment], operation: Operation) -> str:
    if possible:
        return _("It has several payments; open the order and choose one.")
    held = [payment for payment in candidates if payment.reversal != Reversal.DONE]
    if held:
        return operation.why_not_of(held[-1])
    return _("Nothing is authorized.")


def begin_refunds(
    amounts: Mapping[MigratedDeposit, Money], *, token: str, by: str, comment: str
) -> OperationBatch:
    """Store a batch of detached refunds that is confirmed already; the same one again for the same token."""
    batch = OperationBatch(
        kind=DETACHED_REFUND.kind,
        state=BatchState.RUNNING,
        token=token,
        created_by=by[:150],
        comment=comment[:500],
        created_at=gateways.clock().now(),
    )
    rows = [
        OperationBatchRow(batch=batch, deposit=deposit, amount_minor=amount.minor_units)
        for deposit, amount in amounts.items()
    ]
    try:
        with db_transaction.atomic():
            batch.save()
            OperationBatchRow.objects.bulk_create(rows)
    except IntegrityError:
        return OperationBatch.objects.get(token=token)
    return batch


def operation_of(batch: OperationBatch) -> Operation:
    """Return the operation of a batch; one that only asks has none."""
    return BY_KIND[TransactionKind(batch.kind)]


def rows_of(batch: OperationBatch) -> list[OperationBatchRow]:
    """Return the rows with what a page shows of them, in one statement."""
    rows = batch.rows.select_related("order", "payment", "deposit", "transaction")
    found = list(rows)
    for row in found:
        row.batch = batch
    return found


def start(batch: OperationBatch, rows: Iterable[OperationBatchRow], *, comment: str) -> bool:
    """Set a draft going with the amounts of its rows; False where somebody already has."""
    drafts = OperationBatch.objects.filter(pk=batch.pk, state=BatchState.DRAFT)
    with db_transaction.atomic():
        # The batch first: of two pages that are submitted only one writes rows, and it locks the other out.
        if not drafts.update(state=BatchState.RUNNING, comment=comment[:500]):
            return False
        OperationBatchRow.objects.bulk_update(rows, ["amount_minor", "state", "result"])
    return True


def stop(batch: OperationBatch) -> bool:
    """Let no further row begin; what is under way ends by itself."""
    running = OperationBatch.objects.filter(pk=batch.pk, state=BatchState.RUNNING)
    return bool(running.update(state=BatchState.STOPPED))


def go_on(batch: OperationBatch) -> bool:
    """Take up a stopped batch again."""
    stopped = OperationBatch.objects.filter(pk=batch.pk, state=BatchState.STOPPED)
    return bool(stopped.update(state=BatchState.RUNNING))


def step(
    batch: OperationBatch,
    *,
    seconds: float = STEP_SECONDS,
    comment: Callable[[OperationBatchRow], None] = lambda _row: None,
) -> list[OperationBatchRow]:
    """Carry out rows for about as long as a page may take; return those that were carried out.

    Each is given to `note` before the next one begins, which may fail in a way that nobody foresaw.
    """
    ends_at, done = time.monotonic() + seconds, []
    while (row := _claim(batch)) is not None:
        _carry_out(row)
        comment(row)
        done.append(row)
        if time.monotonic() >= ends_at:
            break
    _finish(batch)
    return done


def _claim(batch: OperationBatch) -> OperationBatchRow | None:
    now = gateways.clock().now()
    free = Q(state=RowState.WAITING) | Q(state=RowState.WORKING, leased_until__lt=now)
    running = Exists(OperationBatch.objects.filter(pk=batch.pk, state=BatchState.RUNNING))
    for row in OperationBatchRow.objects.filter(free, batch=batch)[:20]:
        as_read = Q(leased_until=row.leased_until) if row.leased_until else Q(leased_until=None)
        mine = OperationBatchRow.objects.filter(running, as_read, pk=row.pk, state=row.state)
        if mine.update(state=RowState.WORKING, leased_until=now + CLAIM):
            of = ("batch", "order", "payment__order", "deposit")
            return OperationBatchRow.objects.select_related(*of).get(pk=row.pk)
    return None


def _carry_out(row: OperationBatchRow) -> None:
    if row.batch.kind == BatchKind.ASK:
        bulk_status_query.ask(row)
        return
    batch, of = row.batch, row.deposit or row.payment
    assert of is not None  # noqa: S101 - an order's row without a payment is left out from the start
    try:
        _check_author(row)
        row.transaction = execute(
            operation_of(batch),
            of,
            row.amount,
            key=row.key,
            by=batch.created_by,
            comment=batch.comment,
        )
        row.state = RowState.CARRIED_OUT
    except AwaitingApproval as waiting:
        row.state, row.result = RowState.HANDED_ON, sentence_of_request(waiting.approval)[:500]
    except NotDone as error:
        row.state, row.result = RowState.REFUSED, str(error)[:500]
    row.save(update_fields=["transaction", "state", "result"])


def _check_author(row: OperationBatchRow) -> None:
    """Refuse what whoever confirmed it may not do any more: their word was for all rows, some time ago."""
    batch = row.batch
    # What a process that died has begun is looked up, whoever has left since.
    begun = GatewayTransaction.objects.filter(idempotency_key=row.key).exists()
    if not begun and not user_still_has(batch.created_by, operation_of(batch).permission):
        words = _("%(author)s, who confirmed it, has no longer the permission for it. Nothing was sent.")
        raise NotDone(words % {"author": visible(batch.created_by)})


def _finish(batch: OperationBatch) -> None:
    left = OperationBatchRow.objects.filter(batch=batch, state__in=[RowState.WAITING, RowState.WORKING])
    running = OperationBatch.objects.filter(~Exists(left), pk=batch.pk, state=BatchState.RUNNING)
    running.update(state=BatchState.FINISHED, finished_at=gateways.clock().now())
