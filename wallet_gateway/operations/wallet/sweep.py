"""Periodic tasks of the wallet button: expire buttons, erase secrets and old keys."""

from __future__ import annotations

from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import LifecycleEvent, TransactionKind, TransactionState
from wallet_gateway.domain.polling_schedule import LEASE, SECRETS_LIVE
from wallet_gateway.ledger.apply import Change, apply
from wallet_gateway.ledger.due_rows import log_row_error, read_due
from wallet_gateway.ledger.transactions import in_statement
from wallet_gateway.models import GatewayTransaction, TransactionEventKind
from wallet_gateway.models.transactions import STATES_WITH_SECRETS
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.wallet.authorize import abandon_unsent
from wallet_gateway.operations.wallet.keys import erase_old_keys


def sweep_wallet(*, context: GatewayContext, limit: int) -> int:
    """Process everything that is due for one gateway's buttons once; return how many have ended."""
    erase_secrets(context=context)
    erase_old_keys(context=context)
    give_up_unsent_authorizations(context=context, limit=limit)
    return expire_buttons(context=context, limit=limit)


def erase_secrets(*, context: GatewayContext) -> int:
    """Erase every cryptogram older than 15 minutes, for whatever reason it was kept; return how many."""
    # For all gateways: one that is no longer in the settings has no sweep of its own.
    old = GatewayTransaction.objects.filter(
        kind=TransactionKind.AUTHORIZATION,
        state__in=sorted(STATES_WITH_SECRETS),
        state_changed_at__lte=context.clock.now() - SECRETS_LIVE,
        wallet_secrets__isnull=False,
    )
    return in_statement(lambda: old.update(wallet_secrets=None))


def give_up_unsent_authorizations(*, context: GatewayContext, limit: int) -> int:
    """Abandon authorizations of which no byte left and whose sender died before it could abandon them."""
    unsent = GatewayTransaction.objects.filter(
        gateway=context.alias,
        kind=TransactionKind.AUTHORIZATION,
        state=TransactionState.NOT_SENT,
        state_changed_at__lte=context.clock.now() - LEASE,
    )
    rows = read_due(unsent.select_related("payment__order"), limit=limit)
    for transaction in rows:
        with log_row_error(transaction.reference):
            abandon_unsent(transaction, context=context)
    return len(rows)


def expire_buttons(*, context: GatewayContext, limit: int) -> int:
    """Expire attempts whose result did not come in time; return how many."""
    waiting = GatewayTransaction.objects.filter(
        gateway=context.alias,
        kind=TransactionKind.AUTHORIZATION,
        state=TransactionState.AWAITING_RESULT,
        expires_at__lte=context.clock.now(),
    )
    rows = read_due(waiting.select_related("payment__order"), limit=limit)
    for transaction in rows:
        change = Change(
            kind=TransactionEventKind.LEASE_ENDED,
            event=LifecycleEvent.EXPIRED,
            explanation=explain(ExplanationCode.RESULT_NOT_RECEIVED),
            # A result that came in the last second has claimed the attempt and is still processed.
            attempt_no=transaction.attempt_no,
        )
        with log_row_error(transaction.reference):
            apply(transaction, change, context=context)
    return len(rows)
