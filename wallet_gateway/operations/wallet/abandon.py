"""Close a wallet attempt whose result has not come, so that none that comes later is charged."""

from __future__ import annotations

from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import IllegalTransition, LifecycleEvent, TransactionState
from wallet_gateway.ledger.apply import Change, apply, reread
from wallet_gateway.models import Payment, TransactionEventKind
from wallet_gateway.operations.context import GatewayContext


def abandon(payment: Payment, *, context: GatewayContext) -> Payment:
    """Abandon an attempt that waits for the wallet's result; return the payment as it is then.

    Of this and the claim of a result that comes at the same moment, the first one to commit wins: each
    changes the attempt only in the state AWAITING_RESULT.
    """
    transaction = payment.opening
    if transaction.state != TransactionState.AWAITING_RESULT:
        return payment
    change = Change(
        kind=TransactionEventKind.FAULT,
        event=LifecycleEvent.ABANDONED,
        explanation=explain(ExplanationCode.RESULT_NOT_RECEIVED),
        decided_on=TransactionState.AWAITING_RESULT,
    )
    try:
        transaction = apply(transaction, change, context=context)
    except IllegalTransition:
        # A result has claimed it in the meantime, or the sweep has expired it.
        transaction = reread(transaction)
    return transaction.opened_payment
