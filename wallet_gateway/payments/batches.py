"""One operation for many orders or deposits: drafted, confirmed, and then executed by the sweep.

A batch is executed row by row on behalf of the person who created it, as long as their account has the
permission of the operation. `sweep` drives running batches; `step` drives one of them a little further.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from wallet_gateway import gateways
from wallet_gateway.domain.actors import Actor, By
from wallet_gateway.domain.error_codes import ARGUMENT_CHOICE
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.ledger.transactions import check_outside_transaction
from wallet_gateway.models import (
    BatchKind,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
)
from wallet_gateway.models.permissions import OF_KIND, account_has
from wallet_gateway.operations.batches import drive as driving
from wallet_gateway.operations.batches import plan
from wallet_gateway.operations.batches.drive import Driver
from wallet_gateway.operations.batches.plan import MAX_ROWS
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.inputs import check_row
from wallet_gateway.protocol.money import Money

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

STEP_SECONDS = 2.0
"""How long one step executes rows."""


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
    _check_kind(kind)
    return plan.draft(kind, orders, by=by, clock=gateways.clock())


def _check_kind(kind: object) -> None:
    known = (BatchKind.CAPTURE, BatchKind.REFUND, BatchKind.REVERSAL)
    if kind not in known:
        raise InvalidInput(*ARGUMENT_CHOICE, argument="kind", known=", ".join(known))


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
    why = {"reason_code": reason_code, "comment": comment}
    return plan.start(batch, rows, is_permitted=_is_permitted, clock=gateways.clock(), **why)


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
    """
    return plan.start_detached_refunds(
        amounts,
        token=token,
        by=by,
        reason_code=reason_code,
        comment=comment,
        is_permitted=_is_permitted,
        clock=gateways.clock(),
    )


@sensitive_variables()
def start_status_queries(subjects: Sequence[PaymentOrder | MigratedDeposit], *, by: By) -> OperationBatch:
    """Start a batch that asks the gateway about orders and deposits; nothing that moves money is sent.

    :param subjects: at most `MAX_ROWS` orders and migrated deposits.
    :param by: who starts it: a user such as `request.user`, an `Actor`, or a program's name.
    :returns: the batch, `RUNNING`.
    :raises InvalidInput: `argument_invalid`.
    """
    return plan.start_status_queries(subjects, by=by, clock=gateways.clock())


@sensitive_variables()
def pause(batch: OperationBatch, *, by: By) -> bool:
    """Start no further row until `resume`.

    :param batch: a running batch.
    :param by: who pauses it: a user such as `request.user`, an `Actor`, or a program's name.
    :returns: whether the batch was running.
    :raises InvalidInput: `argument_invalid`.
    """
    check_row(batch, OperationBatch)
    return plan.pause(batch, by=by, clock=gateways.clock())


@sensitive_variables()
def resume(batch: OperationBatch) -> bool:
    """Continue a paused batch.

    :param batch: a paused batch.
    :returns: whether it was paused.
    """
    check_row(batch, OperationBatch)
    return plan.resume(batch, clock=gateways.clock())


@sensitive_variables()
def stop(batch: OperationBatch, *, by: By) -> bool:
    """Stop a batch permanently and leave out the rows not started; rows in progress are finished.

    :param batch: a batch that runs or is paused.
    :param by: who stops it: a user such as `request.user`, an `Actor`, or a program's name.
    :returns: whether it was not finished.
    :raises InvalidInput: `argument_invalid`.
    """
    check_row(batch, OperationBatch)
    return plan.stop(batch, by=by, clock=gateways.clock())


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
    return driving.step(batch, seconds=seconds, driver=_driver())


@sensitive_variables()
def drive(*, seconds: float) -> Counter[str]:
    """Execute rows of all running batches for some time, as the sweep does.

    :param seconds: no further row begins after this time: `10.0`.
    :returns: the number of executed rows by alias of the gateway.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.batches.drive")
    return driving.drive(seconds=seconds, driver=_driver())


def _driver() -> Driver:
    return Driver(context_of=gateways.context_of, is_permitted=_is_permitted, clock=gateways.clock())


def _is_permitted(actor: Actor, kind: BatchKind) -> bool:
    return bool(account_has(actor, OF_KIND[TransactionKind(kind)]))
