"""Resend on a person's decision a request of which no byte left and which workers no longer retry."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.error_codes import DEPOSIT_FROZEN, PAYMENT_FROZEN, SENDING_PAUSED, ErrorCode
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import OPENING_KINDS, TransactionState
from wallet_gateway.ledger.apply import reread
from wallet_gateway.models import GatewayTransaction, TransactionEvent, TransactionEventKind
from wallet_gateway.models.actors import actor_columns
from wallet_gateway.models.explanations import explanation_columns
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import InvalidState, OperationRefused, SendingStopped
from wallet_gateway.operations.follow_ups import execute as execution
from wallet_gateway.operations.follow_ups.execute import SYSTEM, Initiator


def send_again(
    transaction: GatewayTransaction, *, context: GatewayContext, who: Initiator = SYSTEM
) -> GatewayTransaction:
    """Resend the same bytes of a request of which no byte left; return the transaction.

    Raises `InvalidState`, and `OperationOutstanding` while another operation on the same payment has no
    outcome. Use `resolve` to give up a request instead.
    """
    transaction = reread(transaction)
    _check_is_unsent(transaction)
    sent = execution.resend_unsent(
        transaction, context=context, also=lambda now: _record_decision(transaction, who, now)
    )
    if sent is None:
        raise _why_not(reread(transaction))
    return sent


def _record_decision(transaction: GatewayTransaction, who: Initiator, now: datetime) -> None:
    """Record who wanted it, together with the claim: a refused request leaves no event."""
    TransactionEvent.objects.create(
        transaction=transaction,
        kind=TransactionEventKind.DECISION,
        state_after=TransactionState.SENDING,
        **explanation_columns(explain(ExplanationCode.RESEND_REQUESTED, said=who.comment)),
        **actor_columns(TransactionEvent, "created_by", who.actor),
        occurred_at=now,
    )


def _check_is_unsent(transaction: GatewayTransaction) -> None:
    if transaction.kind in OPENING_KINDS:
        raise InvalidState(_("An attempt to pay is not sent again. The customer starts a new one."))
    if transaction.state != TransactionState.NOT_SENT:
        raise InvalidState(
            _(
                "The transaction has the state “%(state)s”. Only a request that was never sent can "
                "be sent again."
            ),
            state=TransactionState(transaction.state),
        )


def _why_not(transaction: GatewayTransaction) -> OperationRefused:
    parent = transaction.payment or transaction.deposit
    if parent is not None and parent.is_frozen:
        return InvalidState(*(PAYMENT_FROZEN if transaction.payment else DEPOSIT_FROZEN))
    if transaction.state == TransactionState.NOT_SENT:
        return SendingStopped(*SENDING_PAUSED)
    return InvalidState(
        _("This request is already being sent. Reload the page."), ErrorCode.CHANGED_MEANWHILE
    )
