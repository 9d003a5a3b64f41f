"""What one person may give back alone, and the requests for a second person. Nothing here moves money.

A request reserves nothing. An approval consumes it in the same database transaction that reserves the amount
and inserts the transaction, so that both are written or neither, and only one of two concurrent approvals.

The limit per person and day is what one account gives back within 24 hours. The row of the account is locked
before its uses are added up, so of two operations at the same moment the second one sees the first. A use
counts from the reservation on, while its outcome is unknown, too; it counts no more once nothing was moved. A
program has no account and no such limit.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import IntegrityError
from django.db.models import F, Q
from django.utils.translation import gettext_noop as _

from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import ExplanationCode, explain
from wallet_gateway.domain.error_codes import APPROVAL_CLOSED, CHANGED_MEANWHILE, KEY_TAKEN, ErrorCode
from wallet_gateway.domain.people import Actor, is_same_person
from wallet_gateway.domain.policy import LIMITED_PERIOD
from wallet_gateway.ledger.transactions import in_statement, in_transaction
from wallet_gateway.models import (
    Allowance,
    AllowanceUse,
    Approval,
    ApprovalState,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.fields import actor_columns, cut_to, explanation_columns, note_of
from wallet_gateway.operation_errors import (
    AwaitingApproval,
    IdempotencyConflict,
    InvalidState,
    OperationError,
    OperationRefused,
)
from wallet_gateway.protocol.follow_ups import SentAlong


class SecondPersonNeeded(OperationRefused):
    """The amount is above what one person may refund alone. Raised under the lock; nothing is reserved."""

    code = ErrorCode.AWAITING_APPROVAL

    def __init__(self) -> None:
        super().__init__(_("This amount needs a second person."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A second person's approval of a request."""

    approval: Approval
    actor: Actor
    reason: str = ""


def limit_for(currency: str, context: GatewayContext, *, is_agreed: bool) -> int | None:
    """Return how much of a payment one person may refund alone; None for any amount."""
    return None if is_agreed else context.policy.approval_policy.limit_for(currency)


def within(alone: int | None, minor: int) -> Q:
    """Return the condition that a payment's or deposit's refunds stay within the one-person limit.

    Completed and outstanding refunds count, because several small refunds add up to a large one.
    """
    return Q() if alone is None else Q(refunded__lte=alone - minor - F("refund_reserved"))


def check_alone(parent: Payment | MigratedDeposit, minor: int, alone: int | None) -> None:
    """Raise `SecondPersonNeeded` if a row that was read is above the limit of `within`."""
    if alone is not None and parent.refunded + parent.refund_reserved + minor > alone:
        raise SecondPersonNeeded


def ask_for(
    draft: GatewayTransaction,
    *,
    context: GatewayContext,
    order_number: str | None = None,
    sends: SentAlong | None = None,
) -> AwaitingApproval:
    """Store a draft as a request for approval and return the exception to raise."""
    return _ask(
        Approval(
            payment=draft.payment,
            deposit=draft.deposit,
            kind=draft.kind,
            currency=draft.currency,
            amount_minor=draft.amount_minor,
            order_number=order_number or "",
            sends=(sends.to_wire() or None) if sends is not None else None,
            idempotency_key=draft.idempotency_key or _new_key(),
            outstanding_key=draft.parent_key,
            created_by=draft.created_by,
            created_by_account=draft.created_by_account,
            reason_code=draft.reason_code,
            comment=draft.comment,
        ),
        context,
    )


def ask_to_decide(
    transaction: GatewayTransaction, *, decision: str, reason: str, actor: Actor, context: GatewayContext
) -> AwaitingApproval:
    """Store a decision on an outcome as a request for approval and return the exception to raise."""
    return _ask(
        Approval(
            payment=transaction.payment,
            deposit=transaction.deposit,
            kind=transaction.kind,
            subject=transaction,
            decision=decision,
            currency=transaction.currency,
            amount_minor=transaction.amount_minor,
            idempotency_key=_new_key(),
            outstanding_key=f"transaction:{transaction.pk}",
            **actor_columns(Approval, "created_by", actor),
            comment=note_of(Approval, "comment", reason),
        ),
        context,
    )


def _new_key() -> str:
    return f"approval-{secrets.token_urlsafe(16)}"


def _ask(approval: Approval, context: GatewayContext) -> AwaitingApproval:
    approval.gateway = context.alias
    approval.created_at = context.clock.now()
    approval.expires_at = approval.created_at + context.policy.approval_policy.waiting_time

    def store() -> None:
        expire_requests(now=approval.created_at, outstanding_key=approval.outstanding_key)
        approval.pk = None
        approval.save(force_insert=True)

    try:
        in_transaction(store)
    except IntegrityError as error:
        first = Approval.objects.filter(idempotency_key=approval.idempotency_key).first()
        if first is None:
            raise InvalidState(
                _("Another request for this payment waits for approval. Decide on that request first."),
                ErrorCode.APPROVAL_PENDING,
            ) from error
        if _asked_for(first) != _asked_for(approval):
            raise IdempotencyConflict(*KEY_TAKEN, key=approval.idempotency_key) from error
        return AwaitingApproval(first)
    return AwaitingApproval(approval)


def _asked_for(approval: Approval) -> tuple[str, int | None, int | None, int]:
    return approval.kind, approval.payment_id, approval.deposit_id, approval.amount_minor


def outcome_of(approval: Approval) -> OperationError:
    """Return the exception to raise for a repeated request with the same key."""
    if approval.state == ApprovalState.WAITING:
        return AwaitingApproval(approval)
    if approval.state == ApprovalState.AGREED:
        return InvalidState(*CHANGED_MEANWHILE)
    return IdempotencyConflict(
        _("A request under this idempotency key was not approved. A new request needs a new key.")
    )


def consume_approval(grant: Grant, transaction: GatewayTransaction, *, now: datetime) -> None:
    """Mark a request as approved, once, and record by whom. Runs in the caller's database transaction."""
    close_request(grant.approval, ApprovalState.AGREED, actor=grant.actor, reason=grant.reason, now=now)
    TransactionEvent.objects.create(
        transaction=transaction,
        kind=TransactionEventKind.APPROVAL,
        approval=grant.approval,
        state_after=transaction.state,
        **explanation_columns(explain(ExplanationCode.COMMENT, said=grant.reason)),
        **actor_columns(TransactionEvent, "created_by", grant.actor),
        occurred_at=now,
    )


def close_request(
    approval: Approval, state: ApprovalState, *, actor: Actor, reason: str, now: datetime
) -> None:
    """End a waiting request, once. Raises `InvalidState` if it does not wait any more."""
    waiting = Approval.objects.filter(pk=approval.pk, state=ApprovalState.WAITING, expires_at__gt=now)
    closed = {
        "state": state,
        "decided_at": now,
        **actor_columns(Approval, "decided_by", actor),
        "reason": note_of(Approval, "reason", reason.strip()),
        "outstanding_key": None,
        "sends": None,
    }
    if not waiting.update(**closed):
        raise InvalidState(*APPROVAL_CLOSED)


def expire_requests(*, now: datetime, **which: object) -> int:
    """Expire the requests that were not decided in time; return how many."""
    late = Approval.objects.filter(state=ApprovalState.WAITING, expires_at__lte=now, **which)
    columns = {"state": ApprovalState.EXPIRED, "decided_at": now, "outstanding_key": None, "sends": None}
    return in_statement(lambda: late.update(**columns))


def check_second_person(actor: Actor, author: Actor) -> None:
    """Raise `InvalidState` for a program, and for an actor who may be the person who asked."""
    if actor.is_program:
        raise InvalidState(
            _("“%(name)s” is a name without an account. Only a person with an account can agree to this."),
            ErrorCode.NOT_PERMITTED,
            name=actor.name,
        )
    if is_author(actor, author):
        raise InvalidState(
            _("This is your own request. Another person must approve it."), ErrorCode.NOT_PERMITTED
        )


def is_author(actor: Actor, author: Actor) -> bool:
    """Return whether an actor may be the person who asked, as a row names them.

    Of a name only as many characters are compared as the row stores.
    """
    return is_same_person(replace(actor, name=cut_to(Approval, "created_by", actor.name)), author)


# The limit per person and day


def open_allowance(actor: Actor, currency: str, context: GatewayContext) -> Allowance | None:
    """Return the row of an account, created if missing; None for a program, and without a limit.

    Call this before the database transaction in which it is used: what it reads would fix the snapshot of all
    later reads there.
    """
    if actor.is_program or context.policy.approval_policy.day_limit_for(currency) is None:
        return None
    of: dict[str, Any] = {"gateway": context.alias, "account": actor.account, "currency": currency}
    return in_statement(lambda: Allowance.objects.get_or_create(**of)[0])


def use_allowance(
    allowance: Allowance | None,
    transaction: GatewayTransaction,
    *,
    is_agreed: bool,
    is_decision: bool = False,
    now: datetime,
    context: GatewayContext,
) -> None:
    """Record a use; raise `SecondPersonNeeded` if it passes the limit and no second person has agreed."""
    if allowance is None:
        return
    limit = context.policy.approval_policy.day_limit_for(allowance.currency)
    assert limit is not None  # noqa: S101 - there is no allowance without a limit
    allowance.lock()
    minor, since = transaction.amount_minor, now - LIMITED_PERIOD
    if not is_agreed and not allowance.has_left(minor, limit=limit, since=since):
        raise SecondPersonNeeded
    AllowanceUse.objects.create(
        allowance=allowance,
        transaction=transaction,
        amount_minor=minor,
        is_decision=is_decision,
        occurred_at=now,
    )
