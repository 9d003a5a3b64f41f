"""Record that a person has seen a refusal that no call returned to anybody."""

from __future__ import annotations

from wallet_gateway.domain.actors import By
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.ledger.apply import reread
from wallet_gateway.ledger.transactions import in_current_or_new_transaction
from wallet_gateway.models import GatewayTransaction, TransactionEvent, TransactionEventKind
from wallet_gateway.models.actors import actor_columns
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.operations.context import Clock
from wallet_gateway.operations.inputs import check_decider


def mark_seen(transaction: GatewayTransaction, *, by: By, clock: Clock) -> GatewayTransaction:
    """Store who has seen a refusal, once; return the transaction. Nothing changes without an unseen one."""
    actor, now = check_decider(by=by, reason=""), clock.now()

    def mark() -> None:
        current = reread(transaction)
        unseen = GatewayTransaction.objects.filter(
            pk=current.pk, state=current.state, refusal_unseen_since__isnull=False
        )
        seen_by = actor_columns(GatewayTransaction, "refusal_seen_by", actor)
        if not unseen.update(refusal_unseen_since=None, refusal_seen_at=now, **seen_by):
            return
        TransactionEvent.objects.create(
            transaction=current,
            kind=TransactionEventKind.DECISION,
            state_after=current.state,
            **explanation_columns(explain(ExplanationCode.REFUSAL_SEEN)),
            **actor_columns(TransactionEvent, "created_by", actor),
            occurred_at=now,
        )

    in_current_or_new_transaction(mark)
    return reread(transaction)
