"""What is done about a capture, refund or reversal that was not sent, or was refused.

For a shop, the names of these operations are gathered here: they are in `execution`, and the refund of a
payment made through an earlier provider in `detached_refunds`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext_noop as _

from wallet_gateway import gateways
from wallet_gateway.client.redaction import redact_text
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.actors import Actor, By
from wallet_gateway.domain.error_codes import DEPOSIT_FROZEN, PAYMENT_FROZEN, SENDING_PAUSED, ErrorCode
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.states import OPENING_KINDS, LifecycleEvent, TransactionState
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.apply import reread
from wallet_gateway.ledger.repair import record_decision
from wallet_gateway.ledger.transactions import check_outside_transaction, in_current_or_new_transaction
from wallet_gateway.models import GatewayTransaction, TransactionEvent, TransactionEventKind
from wallet_gateway.models.fields import actor_columns, explanation_columns
from wallet_gateway.operation_errors import InvalidState, SendingStopped
from wallet_gateway.payments.detached_refunds import refund_migrated
from wallet_gateway.payments.execution import Initiator, capture, preview, refund, resend_unsent, reverse
from wallet_gateway.payments.inputs import actor_of, check_decider, check_row
from wallet_gateway.protocol.faults import RefundLimit

__all__ = [
    "RefundLimit",
    "capture",
    "give_up_unsent",
    "mark_refusal_seen",
    "preview",
    "refund",
    "refund_migrated",
    "reverse",
    "send_again",
    "shown_body",
]

# Requests of which no byte left


@sensitive_variables()
def send_again(transaction: GatewayTransaction, *, by: By = "", comment: str = "") -> GatewayTransaction:
    """Send a `NOT_SENT` capture, refund or reversal again now, with the same reference and the same bytes.

    For transactions that the sweep has tried several times and no longer sends; `resolve` abandons one
    instead and frees its amount.

    :param transaction: one in the state `NOT_SENT`.
    :param by: who does it: a user such as `request.user`, an `Actor`, or a program's name.
    :param comment: why, for the timeline; cut to 500 characters.
    :returns: the transaction as it is now.
    :raises InvalidState: `wrong_state`, `changed_meanwhile`, `request_unreadable` and `payment_frozen`.
    :raises OperationOutstanding: `operation_outstanding`, while another operation has no outcome.
    :raises SendingStopped: `sending_stopped`.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.follow_ups.send_again")
    context, who = context_of(transaction.gateway), Initiator(by=by, comment=comment)
    transaction = reread(transaction)
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

    def note_decision(now: datetime) -> None:
        # Together with the claim: a request that is refused leaves no event.
        TransactionEvent.objects.create(
            transaction=transaction,
            kind=TransactionEventKind.DECISION,
            state_after=TransactionState.SENDING,
            **explanation_columns(explain(ExplanationCode.RESEND_REQUESTED, said=who.comment)),
            **actor_columns(TransactionEvent, "created_by", who.actor),
            occurred_at=now,
        )

    sent = resend_unsent(transaction, context=context, also=note_decision)
    if sent is not None:
        return sent
    transaction = reread(transaction)
    parent = transaction.payment or transaction.deposit
    if parent is not None and parent.is_frozen:
        raise InvalidState(*(PAYMENT_FROZEN if transaction.payment else DEPOSIT_FROZEN))
    if transaction.state == TransactionState.NOT_SENT:
        raise SendingStopped(*SENDING_PAUSED)
    raise InvalidState(_("This request is already being sent. Reload the page."), ErrorCode.CHANGED_MEANWHILE)


@sensitive_variables()
def give_up_unsent(transaction: GatewayTransaction, *, by: By) -> bool:
    """Abandon a request that could not be sent, so that its amount is free again at once.

    For callers that report this to a person: `operation_refused` is not sent.

    :param transaction: one in the state `NOT_SENT`.
    :param by: who does it: a user such as `request.user`, an `Actor`, or a program's name.
    :returns: False if it was sent in the meantime, or is not unsent.
    :raises InvalidInput: `argument_invalid`, also for a user who is not logged in.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.follow_ups.give_up_unsent")
    return give_up(transaction, actor=actor_of(by), context=context_of(transaction.gateway))


def give_up(
    transaction: GatewayTransaction, *, actor: Actor, context: GatewayContext, is_awaited: bool = True
) -> bool:
    """Give up a request that was just not sent: the sweep would send it when nobody expects it any more.

    `is_awaited` means that the caller tells the person who asked for it: no event is written for the shop.
    Returns False if it was sent in the meantime, or is not unsent.
    """
    if transaction.state != TransactionState.NOT_SENT:
        return False
    try:
        record_decision(
            transaction,
            LifecycleEvent.ABANDONED,
            explain(ExplanationCode.UNREACHABLE_GIVEN_UP),
            actor=replace(actor, name=actor.name or "-"),
            is_awaited=is_awaited,
            context=context,
        )
    except InvalidState:
        # A worker has just sent it: its outcome is the result.
        transaction.refresh_from_db()
        return False
    return True


# What a person sees


@sensitive_variables()
def mark_refusal_seen(transaction: GatewayTransaction, *, by: By) -> GatewayTransaction:
    """Store that a person has seen an operation that was refused after the call that made it had returned.

    Until then the dashboard, the health view and the metrics name it. Nothing happens if another person has
    marked it before, or if there is nothing to mark.

    :param transaction: a capture, refund, reversal or detached refund.
    :param by: the person: a user such as `request.user`, an `Actor`, or a name.
    :returns: the transaction as it is now: `refusal_seen_by` and `refusal_seen_at` say who and when.
    :raises InvalidInput: `argument_invalid`.
    """
    check_row(transaction, GatewayTransaction)
    actor, now = check_decider(by=by, reason=""), gateways.clock().now()

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


@sensitive_variables()
def shown_body(body: str) -> str:
    """Return a stored body redacted for display: one that may still be sent is stored unredacted.

    :param body: JSON as text, such as `transaction.request_body`; may be empty.
    :returns: the same without its secrets.
    """
    return redact_text(body) if body else ""
