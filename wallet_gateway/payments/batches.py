"""One operation for many orders or deposits: drafted, confirmed, and then executed by the sweep.

A batch is executed row by row on behalf of the person who created it, as long as their account has the
permission of the operation. `sweep` drives running batches; `step` drives one of them a little further.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from wallet_gateway import conf, gateways
from wallet_gateway.domain.actors import Actor, By
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.models import (
    BatchKind,
    MigratedDeposit,
    OperationBatch,
    OperationBatchRow,
    PaymentOrder,
)
from wallet_gateway.operations.argument_types import check_list, check_type
from wallet_gateway.operations.batches import approve as approving
from wallet_gateway.operations.batches import drive as driving
from wallet_gateway.operations.batches import plan
from wallet_gateway.operations.batches.drive import Driver
from wallet_gateway.operations.batches.plan import MAX_ROWS
from wallet_gateway.operations.errors import InvalidInput
from wallet_gateway.operations.inputs import actor_of
from wallet_gateway.operations.settlement.db_transactions import check_outside_transaction
from wallet_gateway.payments.approvals import check_permitted
from wallet_gateway.protocol.money import Money
from wallet_gateway.queries.batches import waiting_batches
from wallet_gateway.queries.permissions import OF_KIND, account_has

__all__ = [
    "MAX_ROWS",
    "approve",
    "decline",
    "draft",
    "drive",
    "pause",
    "resume",
    "start",
    "start_detached_refunds",
    "start_status_queries",
    "step",
    "stop",
    "sums",
    "waiting",
]

STEP_SECONDS = 2.0
"""How long one step executes rows."""


@sensitive_variables()
def draft(kind: BatchKind, orders: Sequence[PaymentOrder], *, by: By) -> OperationBatch:
    """Store an unconfirmed batch of captures, refunds or reversals with one row for each order.

    A row's amount is what is left of its order. Raises `InvalidInput` for more than `MAX_ROWS` orders.
    """
    _check_kind(kind)
    check_list("orders", orders, PaymentOrder)
    return plan.draft(kind, orders, by=by, clock=gateways.clock())


def _check_kind(kind: object) -> None:
    known = (BatchKind.CAPTURE, BatchKind.REFUND, BatchKind.REVERSAL)
    if kind not in known:
        raise InvalidInput(ErrorCode.ARGUMENT_CHOICE, argument="kind", known=", ".join(known))


@sensitive_variables()
def start(
    batch: OperationBatch,
    rows: Iterable[OperationBatchRow] = (),
    *,
    reason_code: str = "",
    comment: str = "",
) -> bool:
    """Start a draft with the `rows` whose amount or state was changed; return False if it is not a draft.

    Refunds above `APPROVAL_BATCH_LIMITS` wait for a second person: `batch.state` is then
    `AWAITING_APPROVAL`. Raises `InvalidState` where the person who drafted it lacks the permission.
    """
    check_type("batch", batch, OperationBatch)
    why = {"reason_code": reason_code, "comment": comment}
    return plan.start(
        batch, rows, is_permitted=_is_permitted, policy_of=conf.approval_policy, clock=gateways.clock(), **why
    )


@sensitive_variables()
def start_detached_refunds(
    amounts: Mapping[MigratedDeposit, Money],
    *,
    token: str,
    by: By,
    reason_code: str = "",
    comment: str = "",
) -> OperationBatch:
    """Start a batch that refunds deposits of an earlier provider; a repeated token returns the first batch.

    Above `APPROVAL_BATCH_LIMITS` it waits for a second person. Raises `InvalidState` where the person lacks
    the permission.
    """
    check_list("amounts", list(amounts), MigratedDeposit)
    check_list("amounts", list(amounts.values()), Money)
    return plan.start_detached_refunds(
        amounts,
        token=token,
        by=by,
        reason_code=reason_code,
        comment=comment,
        is_permitted=_is_permitted,
        policy_of=conf.approval_policy,
        clock=gateways.clock(),
    )


@sensitive_variables()
def start_status_queries(subjects: Sequence[PaymentOrder | MigratedDeposit], *, by: By) -> OperationBatch:
    """Start a batch that asks the gateway about orders and deposits; nothing that moves money is sent."""
    check_list("subjects", subjects, PaymentOrder, MigratedDeposit)
    return plan.start_status_queries(subjects, by=by, clock=gateways.clock())


@sensitive_variables()
def pause(batch: OperationBatch, *, by: By) -> bool:
    """Start no further row until `resume`; return whether the batch was running."""
    check_type("batch", batch, OperationBatch)
    return plan.pause(batch, by=by, clock=gateways.clock())


@sensitive_variables()
def resume(batch: OperationBatch) -> bool:
    """Continue a paused batch; return whether it was paused."""
    check_type("batch", batch, OperationBatch)
    return plan.resume(batch, clock=gateways.clock())


@sensitive_variables()
def stop(batch: OperationBatch, *, by: By) -> bool:
    """Stop a batch permanently and leave out the rows not started; return whether it was not finished."""
    check_type("batch", batch, OperationBatch)
    return plan.stop(batch, by=by, clock=gateways.clock())


@sensitive_variables()
def waiting() -> tuple[OperationBatch, ...]:
    """Return the batches that wait for a second person, the oldest first."""
    return tuple(waiting_batches(gateways.clock().now()))


@sensitive_variables()
def sums(batch: OperationBatch) -> tuple[Money, ...]:
    """Return what the rows that are still to be executed come to, in each currency."""
    check_type("batch", batch, OperationBatch)
    by_currency = Counter[str]()
    for (_, currency), minor in plan.sums_of(batch).items():
        by_currency[currency] += minor
    return tuple(Money.from_minor_units(minor, code) for code, minor in sorted(by_currency.items()))


@sensitive_variables()
def approve(batch: OperationBatch, *, by: By, reason: str = "") -> OperationBatch:
    """Let a batch run that another person has started.

    `by` is a user, or an `Actor` with an account that exists, is active and has `approve_operation` and the
    permission of the operation. Its rows then need no further second person. Raises `InvalidState`, for
    instance for the person who started it.
    """
    check_type("batch", batch, OperationBatch)
    check_permitted(actor_of(by), OF_KIND[TransactionKind(batch.kind)])
    return approving.approve(batch, by=by, reason=reason, clock=gateways.clock())


@sensitive_variables()
def decline(batch: OperationBatch, *, by: By, reason: str) -> OperationBatch:
    """End a batch that waits for a second person, without executing any row. Raises `InvalidState`."""
    check_type("batch", batch, OperationBatch)
    return approving.decline(batch, by=by, reason=reason, clock=gateways.clock())


@sensitive_variables()
def step(batch: OperationBatch, *, seconds: float = STEP_SECONDS) -> list[OperationBatchRow]:
    """Execute rows of a running batch for some seconds; return the executed rows."""
    check_outside_transaction("payments.batches.step")
    check_type("batch", batch, OperationBatch)
    return driving.step(batch, seconds=seconds, driver=_driver())


@sensitive_variables()
def drive(*, seconds: float) -> Counter[str]:
    """Execute rows of all running batches for some seconds; return their number by gateway."""
    check_outside_transaction("payments.batches.drive")
    return driving.drive(seconds=seconds, driver=_driver())


def _driver() -> Driver:
    return Driver(
        context_of=gateways.context_of,
        is_permitted=_is_permitted,
        clock=gateways.clock(),
        sleep=time.sleep,
    )


def _is_permitted(actor: Actor, kind: BatchKind) -> bool:
    return bool(account_has(actor, OF_KIND[TransactionKind(kind)]))
