"""Record and send what moves money after a payment: the last steps of every capture, refund and reversal.

What is about to be sent is committed first, with the exact bytes and the amount reserved. No request is sent
twice; the only exception is one of which certainly no byte left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NoReturn

from django.db import IntegrityError
from django.db.models import Exists
from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import NotSent, OutcomeUnknown, Refused
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.error_codes import (
    CHANGED_MEANWHILE,
    KEY_TAKEN,
    OPERATION_OUTSTANDING,
    SENDING_PAUSED,
    ErrorCode,
)
from wallet_gateway.domain.evidence import read_detached_answer, read_follow_up_answer
from wallet_gateway.domain.people import Actor, By
from wallet_gateway.domain.policy import GIVING_BACK
from wallet_gateway.domain.states import TransactionKind, TransactionState
from wallet_gateway.ledger.apply import reread
from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.merchant_accounts import check_merchant_account
from wallet_gateway.models import Approval, GatewayPause, GatewayTransaction, MigratedDeposit, Payment
from wallet_gateway.models.fields import actor_columns, note_of
from wallet_gateway.operation_errors import (
    IdempotencyConflict,
    InvalidInput,
    InvalidState,
    OperationOutstanding,
    OperationRefused,
    SendingStopped,
)
from wallet_gateway.payments import sending
from wallet_gateway.payments.inputs import actor_of, check_storable
from wallet_gateway.payments.second_person import (
    Grant,
    SecondPersonNeeded,
    ask_for,
    check_alone,
    consume_approval,
    find_request_by_key,
    open_allowance,
    outcome_of,
    use_allowance,
)
from wallet_gateway.payments.sending import body_columns, claim_columns
from wallet_gateway.payments.status_query import expectation_of
from wallet_gateway.protocol.errors import ProtocolError
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest

Message = FollowUpRequest | DetachedRefundRequest
_KEY = re.compile(r"\A[!-~]{1,64}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Initiator:
    """The author of an operation, its idempotency key, and its reason."""

    idempotency_key: str | None = None
    by: By = ""
    """A user, an `Actor`, or the name of a program."""
    reason_code: str = ""
    """One of `REASON_CODES` of the operation, or empty."""
    comment: str = ""
    grant: Grant | None = None
    """A second person's approval, if the operation needed one."""
    is_awaited: bool = True
    """Whether who asked for it reads the result; not for a batch, the sweep or another person's request."""

    actor: Actor = field(init=False)
    """The same as the rows store it."""

    def __post_init__(self) -> None:
        check_storable(comment=self.comment)
        object.__setattr__(self, "actor", actor_of(self.by))

    @property
    def is_agreed(self) -> bool:
        """Return whether a second person has agreed, so that no limit of one person applies."""
        return self.grant is not None


def draft_transaction(
    who: Initiator,
    *,
    kind: TransactionKind,
    currency: str,
    minor: int,
    context: GatewayContext,
    payment: Payment | None = None,
    deposit: MigratedDeposit | None = None,
) -> GatewayTransaction:
    """Return a transaction of `minor` units with a new reference; it is not saved."""
    return GatewayTransaction(
        payment=payment,
        deposit=deposit,
        gateway=context.alias,
        kind=kind,
        reference=context.new_reference(),
        currency=currency,
        amount_minor=minor,
        idempotency_key=who.idempotency_key,
        **actor_columns(GatewayTransaction, "created_by", who.actor),
        reason_code=who.reason_code,
        comment=note_of(GatewayTransaction, "comment", who.comment),
    )


def execute(
    draft: GatewayTransaction,
    message: Message,
    reserve: Callable[[datetime], None],
    context: GatewayContext,
    who: Initiator,
) -> GatewayTransaction:
    """Reserve, commit, send and record an operation; return the transaction in its resulting state.

    `draft` is not saved yet; `reserve` reserves the amount under the lock or raises. An operation that needs
    a second person and has none is stored as a waiting request: raises `AwaitingApproval`.
    """
    context.check_sending_enabled()
    body, allowance = message.to_json(), None
    if draft.kind in GIVING_BACK:
        allowance = open_allowance(who.actor, draft.currency, context)

    def record() -> None:
        now = context.clock.now()
        reserve(now)
        draft.pk, draft.created_at = None, now
        draft.outstanding_key, draft.holds_reservation = draft.parent_key, True
        columns = claim_columns(now=now) | body_columns(body, context.gateway.account)
        for name, value in columns.items():
            setattr(draft, name, value)
        draft.save(force_insert=True)
        use_allowance(allowance, draft, is_agreed=who.is_agreed, now=now, context=context)
        if who.grant is not None:
            consume_approval(who.grant, draft, now=now)

    try:
        in_transaction(record)
    except IntegrityError as error:
        # Another process has won a race for the same key, or for the payment.
        first = _same_click(draft)
        if first is None or first.reference == draft.reference:
            raise OperationOutstanding(*OPERATION_OUTSTANDING) from error
        return first
    except OperationRefused as refused:
        # An earlier request with the same key may have used up the amount or the one-person limit.
        first = _same_click(draft)
        if first is not None:
            return first
        if not isinstance(refused, SecondPersonNeeded):
            raise
        # What its message has and neither the draft nor its payment is kept with the request.
        if isinstance(message, DetachedRefundRequest):
            order_number = message.provider_discretionary_data
            raise ask_for(draft, context=context, order_number=order_number) from refused
        raise ask_for(draft, context=context, cart=message.shopping_cart_details) from refused
    return _send(draft, message, context, is_awaited=who.is_awaited)


def _send(
    transaction: GatewayTransaction, message: Message, context: GatewayContext, *, is_awaited: bool
) -> GatewayTransaction:
    """Send a committed transaction once and record the outcome; `is_awaited` as for `record_finding`."""
    expected, not_after = expectation_of(transaction), context.not_after()
    try:
        if isinstance(message, DetachedRefundRequest):
            refunded = context.gateway.detached_refund(message, not_after=not_after)
            finding, exchange = read_detached_answer(refunded.message, expected), refunded.exchange
        else:
            answer = context.gateway.follow_up(message, not_after=not_after)
            finding, exchange = read_follow_up_answer(answer.message, expected), answer.exchange
    except NotSent as error:
        return sending.record_not_sent(transaction, error, context=context)
    except Refused as error:
        return sending.record_refusal(transaction, error, context=context, is_awaited=is_awaited)
    except OutcomeUnknown as error:
        return sending.record_unknown(transaction, error, context=context)
    return sending.record_finding(transaction, finding, exchange, context, is_awaited=is_awaited)


def refuse_reservation(
    parent: Payment | MigratedDeposit, minor: int, alone: int | None, context: GatewayContext, now: datetime
) -> NoReturn:
    """Raise why no row could be reserved although the totals, read again, allow it."""
    if GatewayPause.that_hold(now).filter(gateway=context.alias).exists():
        raise SendingStopped(*SENDING_PAUSED)
    check_alone(parent, minor, alone)
    raise InvalidState(*CHANGED_MEANWHILE)


# One click is one operation


def find_by_key(
    who: Initiator,
    *,
    kind: TransactionKind,
    payment: Payment | None = None,
    deposit: MigratedDeposit | None = None,
    amount: int | None = None,
) -> GatewayTransaction | None:
    """Return the transaction that already has this key, or None.

    `amount` is the caller's amount in minor units; None for all that remains. Raises `InvalidInput` for an
    invalid key, `IdempotencyConflict` if the key belongs to another operation or a declined request, and
    `AwaitingApproval` if a request with this key already waits.
    """
    if who.idempotency_key is None:
        return None
    if not _KEY.match(who.idempotency_key):
        raise InvalidInput(_("An idempotency key has 1 to 64 visible ASCII characters and no spaces."))
    found = _done_under(who.idempotency_key)
    asked = find_request_by_key(who.idempotency_key) if found is None and who.grant is None else None
    first = found or asked
    if first is None:
        return None
    if _subject(first) != (kind, payment, deposit) or amount not in {None, first.amount_minor}:
        raise IdempotencyConflict(*KEY_TAKEN, key=who.idempotency_key)
    if asked is not None:
        raise outcome_of(asked)
    return found


def _done_under(idempotency_key: str) -> GatewayTransaction | None:
    rows = GatewayTransaction.objects.select_related("payment__order", "deposit")
    return rows.filter(idempotency_key=idempotency_key).first()


def _same_click(draft: GatewayTransaction) -> GatewayTransaction | None:
    first = None if draft.idempotency_key is None else _done_under(draft.idempotency_key)
    if first is not None and _subject(first) != _subject(draft):
        raise IdempotencyConflict(*KEY_TAKEN, key=draft.idempotency_key)
    return first


def _subject(
    transaction: GatewayTransaction | Approval,
) -> tuple[str, Payment | None, MigratedDeposit | None]:
    return (transaction.kind, transaction.payment, transaction.deposit)


# Requests of which no byte left


def resend_unsent(
    transaction: GatewayTransaction,
    *,
    context: GatewayContext,
    also: Callable[[datetime], object] | None = None,
) -> GatewayTransaction | None:
    """Resend a request of which no byte left: same reference, same bytes.

    Returns None and sends nothing if it is not in that state, if another worker claimed it first, or while
    its payment is frozen or sending is paused. `also` is a further write with the claim. Raises
    `InvalidState` if the bytes cannot be read any more, or if the gateway has another merchant account now
    than they name.
    """
    context.check_sending_enabled()
    if transaction.state != TransactionState.NOT_SENT:
        return None
    check_merchant_account(transaction, context)
    message = _stored_message(transaction)
    try:
        claimed = in_transaction(lambda: _claim(transaction, context, also))
    except IntegrityError as error:
        raise OperationOutstanding(*OPERATION_OUTSTANDING) from error
    if not claimed:
        return None
    # Who made it has gone on: also a person who sends it again does so in another call.
    return _send(reread(transaction), message, context, is_awaited=False)


def _stored_message(transaction: GatewayTransaction) -> Message:
    """Read the stored request, before the claim: once claimed, it would count as perhaps sent."""
    detached = transaction.kind == TransactionKind.DETACHED_REFUND
    model: type[Message] = DetachedRefundRequest if detached else FollowUpRequest
    try:
        return model.from_json(transaction.request_body.encode())
    except ProtocolError as error:
        raise InvalidState(
            _(
                "The stored request of %(reference)s can no longer be read, so it cannot be sent. "
                "Nothing was sent. Give it up and begin a new one."
            ),
            ErrorCode.REQUEST_UNREADABLE,
            reference=transaction.reference,
        ) from error


def _claim(
    transaction: GatewayTransaction, context: GatewayContext, also: Callable[[datetime], object] | None
) -> bool:
    now = context.clock.now()
    unsent = GatewayTransaction.objects.filter(
        ~GatewayPause.sending_is_paused(context.alias, now),
        ~_is_frozen(transaction),
        pk=transaction.pk,
        state=TransactionState.NOT_SENT,
        attempt_no=transaction.attempt_no,
    )
    held = {"outstanding_key": transaction.parent_key, "next_send_at": None}
    if not unsent.update(**claim_columns(now=now, attempt_no=transaction.attempt_no, **held)):
        return False
    if also is not None:
        also(now)
    return True


def _is_frozen(transaction: GatewayTransaction) -> Exists:
    if transaction.payment_id is not None:
        return Exists(Payment.objects.filter(pk=transaction.payment_id, is_frozen=True))
    return Exists(MigratedDeposit.objects.filter(pk=transaction.deposit_id or 0, is_frozen=True))
