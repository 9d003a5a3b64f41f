"""The two steps of sending an authorization: claim it under the order's lock, then send it once.

The order is blocked from the claim on, so that no other attempt of it can be paid. No request is sent twice,
except one of which certainly no byte left.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from wallet_gateway.client.errors import NotSent, OutcomeUnknown, Refused
from wallet_gateway.client.redaction import redact
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.lifecycle import LifecycleEvent, OrderState, PaymentState, TransactionState
from wallet_gateway.ledger.apply import Change, apply
from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.models import (
    GatewayPause,
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEventKind,
)
from wallet_gateway.models.orders import PAYABLE_STATES, KnownPayments
from wallet_gateway.models.single_rows import update_row
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.sending import answers
from wallet_gateway.operations.sending.send import body_columns, claim_columns, retry_unsent
from wallet_gateway.operations.wallet.attempts import OrderAttempts
from wallet_gateway.operations.wallet.keys import PublicKey, note_if_refused
from wallet_gateway.protocol.authorizations import AuthorizationRequest


class _Lost(Exception):
    """Another process settled or claimed something of the order; nothing was written."""


def claim(
    tried: OrderAttempts,
    transaction: GatewayTransaction,
    request: AuthorizationRequest,
    secrets: bytes | None,
    about_card: Mapping[str, str],
    context: GatewayContext,
) -> bool:
    """Commit that the authorization is about to be sent; if it may not be, write nothing and return False.

    It may not be sent if the order changed since `tried` was read, the attempt is claimed, or sending is
    paused.
    """
    now = context.clock.now()
    columns = claim_columns(
        now=now,
        attempt_no=transaction.attempt_no,
        outstanding_key=transaction.parent_key,
        amount_minor=request.money.minor_units,
        wallet_secrets=secrets,
        **body_columns(request.to_json(), context.gateway.account),
    )
    # It is never sent from the row, so the row must not contain its secrets.
    columns["request_body"] = redact(request.to_wire())
    paid = {
        "state": PaymentState.PENDING,
        "amount_minor": columns["amount_minor"],
        # The account that is charged decides it, whichever the page with the button was made for.
        "is_test": context.is_test,
        **about_card,
    }
    try:
        in_transaction(lambda: _claim(tried.order, transaction, columns, paid, now))
    except _Lost:
        return False
    _note_claim(tried, transaction, columns, paid)
    return True


def _claim(
    order: PaymentOrder,
    transaction: GatewayTransaction,
    columns: Mapping[str, object],
    paid: Mapping[str, object],
    now: datetime,
) -> None:
    if order.is_time_over(now):
        raise _Lost
    # Lock the order first: locks are taken in the same sequence everywhere.
    payable = PaymentOrder.objects.filter(pk=order.pk, version=order.version, state__in=PAYABLE_STATES)
    if not payable.update(version=order.version + 1, state=OrderState.PENDING, updated_at=now):
        raise _Lost
    waiting = GatewayTransaction.objects.filter(
        ~GatewayPause.sending_is_paused(transaction.gateway, now),
        pk=transaction.pk,
        state=TransactionState.AWAITING_RESULT,
        attempt_no=transaction.attempt_no,
    )
    if not waiting.update(**columns):
        raise _Lost
    if not update_row(
        Payment, where={"id": transaction.payment_id, "state": PaymentState.OFFERED}, columns=paid
    ):
        raise _Lost


def _note_claim(
    tried: OrderAttempts,
    transaction: GatewayTransaction,
    columns: Mapping[str, object],
    paid: Mapping[str, object],
) -> None:
    """Update the rows in memory to the committed values, so that they need not be read again."""
    order, payment = tried.order, transaction.payment
    assert payment is not None  # noqa: S101 - an authorization belongs to a payment
    order.version, order.state = order.version + 1, OrderState.PENDING
    for name, value in columns.items():
        setattr(transaction, name, value)
    for name, value in paid.items():
        setattr(payment, name, value)
    payment.order = order
    payments = [opening.payment for opening in tried.openings if opening.payment is not None]
    order.known_payments = KnownPayments(version=order.version, payments=payments)


def send(
    transaction: GatewayTransaction,
    request: AuthorizationRequest,
    *,
    key: PublicKey,
    context: GatewayContext,
) -> GatewayTransaction:
    """Send a claimed authorization once and record the outcome, and then whether it refuses the key."""
    not_after = context.not_after()
    try:
        answer = retry_unsent(
            lambda: context.gateway.authorize(request, api_key=key.api_key, not_after=not_after)
        )
    except NotSent as error:
        return _give_up(transaction, error, context)
    except Refused as error:
        recorded = answers.record_refusal(transaction, error, context=context)
        note_if_refused(key.row, error, context=context)
        return recorded
    except OutcomeUnknown as error:
        recorded = answers.record_unknown(transaction, error, context=context)
        note_if_refused(key.row, error, context=context)
        return recorded
    return answers.record_authorization_answer(transaction, answer, context=context)


def _give_up(transaction: GatewayTransaction, error: NotSent, context: GatewayContext) -> GatewayTransaction:
    """End an attempt of which no byte left: the customer will press again, so it must never be sent."""
    nothing_left = Change(
        kind=TransactionEventKind.FAULT,
        event=LifecycleEvent.NOTHING_LEFT,
        exchange=error.exchange,
        explanation=answers.explanation_of(error),
        attempt_no=transaction.attempt_no,
    )
    return abandon_unsent(apply(transaction, nothing_left, context=context), context=context)


def abandon_unsent(transaction: GatewayTransaction, *, context: GatewayContext) -> GatewayTransaction:
    """Abandon an authorization of which no byte left, and erase its stored secrets."""
    given_up = Change(
        kind=TransactionEventKind.FAULT,
        event=LifecycleEvent.ABANDONED,
        explanation=explain(ExplanationCode.PRESSED_AGAIN),
        attempt_no=transaction.attempt_no,
    )
    return apply(transaction, given_up, context=context)
