"""Execute a request once, by its normal operation, after a second person has approved it.

Everything is checked again now, under the lock: that the amount is available, that nothing is frozen, that
sending is on. If a check fails, nothing is sent and the request keeps waiting.
"""

from __future__ import annotations

from wallet_gateway.domain.actors import By
from wallet_gateway.domain.error_codes import APPROVAL_CLOSED
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.models import Approval, ApprovalState, GatewayTransaction, MigratedDeposit
from wallet_gateway.models.actors import actor_in
from wallet_gateway.operations.approvals.requests import Grant, check_second_person
from wallet_gateway.operations.approvals.resolve import Decision, resolve
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState
from wallet_gateway.operations.follow_ups.capture_refund_reverse import refund
from wallet_gateway.operations.follow_ups.detached_refunds import refund_migrated
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.inputs import check_decider


def approve(approval: Approval, *, by: By, context: GatewayContext, reason: str = "") -> GatewayTransaction:
    """Approve and execute another person's request; return the transaction in its resulting state.

    Raises `InvalidState` for the requester, for a program, for a request that no longer waits and for the
    later of two approvers. Also raises the operation's own refusals; the request then keeps waiting.
    """
    actor = check_decider(by=by, reason=reason)
    approval = Approval.objects.select_related("payment__order", "deposit", "subject").get(pk=approval.pk)
    check_second_person(actor, actor_in(approval, "created_by"))
    if not approval.is_waiting(context.clock.now()):
        raise InvalidState(*APPROVAL_CLOSED)
    transaction = _carry_out(approval, Grant(approval=approval, actor=actor, reason=reason.strip()), context)
    approval.refresh_from_db()
    decided_by = (approval.state, approval.decided_by_account)
    if decided_by != (ApprovalState.AGREED, actor.account):
        # Two approvers found the transaction of the same key; the log must not name both.
        raise InvalidState(*APPROVAL_CLOSED)
    return transaction


def _carry_out(approval: Approval, grant: Grant, context: GatewayContext) -> GatewayTransaction:
    if approval.subject is not None:
        return resolve(
            approval.subject,
            decision=Decision(approval.decision),
            reason=approval.comment,
            by=actor_in(approval, "created_by"),
            context=context,
            grant=grant,
        )
    who = Initiator(
        idempotency_key=approval.idempotency_key,
        by=actor_in(approval, "created_by"),
        reason_code=approval.reason_code,
        comment=approval.comment,
        grant=grant,
        # Who asked for it is not there.
        is_awaited=False,
    )
    if approval.payment is None:
        return _refund_migrated(approval, who, context)
    verb = {TransactionKind.REFUND: refund}[TransactionKind(approval.kind)]
    return verb(
        payment=approval.payment,
        amount=approval.amount,
        cart=approval.shopping_cart,
        context=context,
        who=who,
    )


def _refund_migrated(approval: Approval, who: Initiator, context: GatewayContext) -> GatewayTransaction:
    deposit = approval.parent
    assert isinstance(deposit, MigratedDeposit)  # noqa: S101 - the only other parent there is
    return refund_migrated(
        parent_transaction_id=deposit.parent_transaction_id,
        amount=approval.amount,
        currency=approval.currency,
        context=context,
        who=who,
        order_number=approval.order_number or None,
    )
