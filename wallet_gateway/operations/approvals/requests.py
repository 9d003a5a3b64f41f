"""Create, consume, decline and expire requests for a second person. Only `approve` moves money.

A request reserves nothing. An approval consumes it in the same database transaction that reserves the amount
and inserts the transaction, so that both are written or neither, and only one of two concurrent approvals.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import IntegrityError
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.actors import Actor, By, is_same_person
from wallet_gateway.domain.error_codes import APPROVAL_CLOSED, CHANGED_MEANWHILE, ErrorCode
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.ledger.transactions import in_statement, in_transaction
from wallet_gateway.models import (
    Approval,
    ApprovalState,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.actors import actor_columns, actor_in
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.models.fields import cut_to, note_of
from wallet_gateway.operations.context import Clock, GatewayContext
from wallet_gateway.operations.errors import (
    AwaitingApproval,
    IdempotencyConflict,
    InvalidState,
    OperationError,
    OperationRefused,
)
from wallet_gateway.operations.inputs import check_decision
from wallet_gateway.protocol.cart import ShoppingCart


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
    cart: ShoppingCart | None = None,
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
            cart=cart.to_wire() if cart else None,
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
        return AwaitingApproval(first)
    return AwaitingApproval(approval)


def find_request_by_key(idempotency_key: str) -> Approval | None:
    """Return the request with an idempotency key, or None."""
    return (
        Approval.objects.select_related("payment", "deposit").filter(idempotency_key=idempotency_key).first()
    )


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
    waiting = _waiting(now).filter(pk=grant.approval.pk)
    if not waiting.update(**_word(ApprovalState.AGREED, grant.actor, grant.reason, now)):
        raise InvalidState(*APPROVAL_CLOSED)
    TransactionEvent.objects.create(
        transaction=transaction,
        kind=TransactionEventKind.APPROVAL,
        approval=grant.approval,
        state_after=transaction.state,
        **explanation_columns(explain(ExplanationCode.COMMENT, said=grant.reason)),
        **actor_columns(TransactionEvent, "created_by", grant.actor),
        occurred_at=now,
    )


def decline(approval: Approval, *, by: By, reason: str, clock: Clock) -> Approval:
    """Decline a request, or withdraw it if the requester declines it.

    Raises `InvalidInput` without a name or a reason, and `InvalidState` if it does not wait any more.
    """
    actor = check_decision(by=by, reason=reason)
    now = clock.now()
    own = is_author(actor, actor_in(approval, "created_by"))
    state = ApprovalState.WITHDRAWN if own else ApprovalState.DECLINED
    if not _waiting(now).filter(pk=approval.pk).update(**_word(state, actor, reason, now)):
        raise InvalidState(*APPROVAL_CLOSED)
    approval.refresh_from_db()
    return approval


def expire_requests(*, now: datetime, **which: object) -> int:
    """Expire the requests that were not decided in time; return how many."""
    late = Approval.objects.filter(state=ApprovalState.WAITING, expires_at__lte=now, **which)
    columns = {"state": ApprovalState.EXPIRED, "decided_at": now, "outstanding_key": None, "cart": None}
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


def _waiting(now: datetime) -> QuerySet[Approval]:
    return Approval.objects.filter(state=ApprovalState.WAITING, expires_at__gt=now)


def _word(state: ApprovalState, actor: Actor, reason: str, now: datetime) -> dict[str, object]:
    return {
        "state": state,
        "decided_at": now,
        **actor_columns(Approval, "decided_by", actor),
        "reason": note_of(Approval, "reason", reason.strip()),
        "outstanding_key": None,
        "cart": None,
    }
