"""A second person agrees to a batch as a whole, or declines it. Its rows are executed by `drive`."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.db.models import QuerySet

from wallet_gateway.domain.actors import Actor, By
from wallet_gateway.domain.error_codes import APPROVAL_CLOSED
from wallet_gateway.models import BatchState, OperationBatch, ResultCode
from wallet_gateway.models.actors import actor_columns, actor_in
from wallet_gateway.models.fields import note_of
from wallet_gateway.operations.approvals.requests import check_second_person, is_author
from wallet_gateway.operations.batches.plan import batches_in, leave_out_rows, stop
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.inputs import check_decider, check_decision
from wallet_gateway.operations.settlement.db_transactions import in_current_or_new_transaction


def approve(batch: OperationBatch, *, by: By, reason: str = "", clock: Clock) -> OperationBatch:
    """Let a batch run that another person has started; its rows then need no further second person.

    Raises `InvalidState` for the person who started it, for a program, and if it does not wait any more.
    """
    actor = check_decider(by=by, reason=reason)
    batch.refresh_from_db()
    check_second_person(actor, actor_in(batch, "created_by"))
    now = clock.now()
    columns = {"state": BatchState.RUNNING, "driven_at": now, **_decision(actor, reason, now)}
    if not _waiting(batch, now).update(**columns):
        raise InvalidState(*APPROVAL_CLOSED)
    batch.refresh_from_db()
    return batch


def decline(batch: OperationBatch, *, by: By, reason: str, clock: Clock) -> OperationBatch:
    """End a batch that waits: nothing of it is executed. Who has started it stops it this way.

    Raises `InvalidInput` without a name or a reason, and `InvalidState` if it does not wait any more.
    """
    actor = check_decision(by=by, reason=reason)
    now = clock.now()
    own = is_author(actor, actor_in(batch, "created_by"))
    columns = {"state": BatchState.DECLINED, **_decision(actor, reason, now)}

    def end() -> bool:
        if not _waiting(batch, now).update(**columns):
            return False
        leave_out_rows(batch, ResultCode.BATCH_DECLINED)
        return True

    waits = _waiting(batch, now).exists()
    if not (waits and (stop(batch, by=actor, clock=clock) if own else in_current_or_new_transaction(end))):
        raise InvalidState(*APPROVAL_CLOSED)
    batch.refresh_from_db()
    return batch


def expire_waiting_batches(*, clock: Clock) -> int:
    """End the batches to which nobody agreed in time; return how many."""
    now = clock.now()
    late = OperationBatch.objects.filter(state=BatchState.AWAITING_APPROVAL, expires_at__lte=now)
    return sum(in_current_or_new_transaction(partial(_expire, batch, now)) for batch in late)


def _expire(batch: OperationBatch, now: datetime) -> bool:
    columns = {"state": BatchState.EXPIRED, "decided_at": now}
    if not batches_in(batch, BatchState.AWAITING_APPROVAL).update(**columns):
        return False
    leave_out_rows(batch, ResultCode.BATCH_EXPIRED)
    return True


def _waiting(batch: OperationBatch, now: datetime) -> QuerySet[OperationBatch]:
    return batches_in(batch, BatchState.AWAITING_APPROVAL).filter(expires_at__gt=now)


def _decision(actor: Actor, reason: str, now: datetime) -> dict[str, object]:
    return {
        "decided_at": now,
        "decision_reason": note_of(OperationBatch, "decision_reason", reason.strip()),
        **actor_columns(OperationBatch, "decided_by", actor),
    }
