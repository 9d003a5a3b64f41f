"""Capture, refund and reversal: check what is asked, reserve and commit, send once, record the outcome.

What is about to be sent is committed first, with the exact bytes and the amount reserved. No request is sent
twice; the only exception is one of which certainly no byte left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, NoReturn

from django.db import IntegrityError
from django.db.models import Exists, F, Q
from django.utils.translation import gettext_noop as _

from wallet_gateway.client.errors import NotSent, OutcomeUnknown, Refused
from wallet_gateway.client.redaction import redact_text
from wallet_gateway.context import GatewayContext, check_account_of_payment, check_merchant_account
from wallet_gateway.domain.error_codes import (
    CHANGED_MEANWHILE,
    ITEMS_INVALID,
    KEY_TAKEN,
    OPERATION_OUTSTANDING,
    ErrorCode,
    Refusal,
)
from wallet_gateway.domain.evidence import read_detached_answer, read_follow_up_answer
from wallet_gateway.domain.people import Actor, By
from wallet_gateway.domain.policy import GIVING_BACK
from wallet_gateway.domain.states import Reversal, TransactionKind, TransactionState, available, why_not
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.apply import RESERVED, reread
from wallet_gateway.ledger.transactions import check_outside_transaction, in_transaction
from wallet_gateway.models import (
    Approval,
    GatewayPause,
    GatewayTransaction,
    MigratedDeposit,
    Payment,
    PaymentOrder,
)
from wallet_gateway.models.fields import actor_columns, note_of
from wallet_gateway.operation_errors import (
    IdempotencyConflict,
    InvalidInput,
    InvalidState,
    OperationOutstanding,
    OperationRefused,
)
from wallet_gateway.payments import sending
from wallet_gateway.payments.inputs import (
    actor_of,
    check_reason_code,
    check_row,
    check_storable,
    requested_units,
)
from wallet_gateway.payments.order_creation import in_python_names
from wallet_gateway.payments.second_person import (
    Grant,
    SecondPersonNeeded,
    ask_for,
    check_alone,
    consume_approval,
    limit_for,
    open_allowance,
    outcome_of,
    use_allowance,
    within,
)
from wallet_gateway.payments.sending import body_columns, claim_columns
from wallet_gateway.payments.status import expectation_of
from wallet_gateway.protocol.cart import Discount, Item, Shipping, build_cart
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.errors import FieldError, InvalidMessage, ProtocolError
from wallet_gateway.protocol.follow_ups import DetachedRefundRequest, FollowUpRequest, SentAlong
from wallet_gateway.protocol.money import Money

Message = FollowUpRequest | DetachedRefundRequest
_KEY = re.compile(r"\A[!-~]{1,64}\Z")
_NOT_YET = "made-when-it-is-sent"
"""Placeholder for the reference, which is created together with the transaction."""


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


# A capture, a refund, a reversal


@sensitive_variables()
def capture(
    order: PaymentOrder,
    amount: Decimal | Money | None = None,
    *,
    items: Sequence[Item] = (),
    shipping: Shipping | None = None,
    discounts: Sequence[Discount] = (),
    payment: Payment | None = None,
    idempotency_key: str | None = None,
    by: By = "",
    reason_code: str = "",
    comment: str = "",
) -> GatewayTransaction:
    """Capture all that is authorized, or a part of it; check the `state` of the returned transaction.

    The interface, Follow-up request, `ecom.capture`. What it is for can be named as for `create_order`: it is
    sent along, and its total is the amount.

    :param order: an order with an authorized payment.
    :param amount: `Decimal("10.00")` or a `Money` in the order's currency; all that is left if not given.
    :param items: the lines that are captured, `Item(...)` each.
    :param shipping: shipping costs that are captured.
    :param discounts: discounts on what is captured.
    :param payment: which payment, if several of the order hold money.
    :param idempotency_key: 1 to 64 visible ASCII characters: a repeated one returns the first transaction and
        sends nothing: `"ship-77"`.
    :param by: who does it: a user such as `request.user`, an `Actor`, or a program's name: `"cron"`.
    :param reason_code: empty or one of `ReasonCode` for a capture: `"shipped"`.
    :param comment: for people, cut to 500 characters; no gateway gets it.
    :returns: the transaction: `APPROVED`, `REJECTED`, `UNKNOWN` (its answer was lost: the sweep asks) or
        `NOT_SENT` (the sweep sends it).
    :raises InvalidState: `nothing_left`, `amount_too_high`, `payment_frozen` and `changed_meanwhile`.
    :raises InvalidInput: `amount_invalid`, `fields_invalid`, `several_payments` and `argument_invalid`.
    :raises IdempotencyConflict: `key_taken`, if the key belongs to another operation.
    :raises OperationOutstanding: `operation_outstanding`, while another operation has no outcome.
    :raises SendingStopped: `sending_stopped`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.capture")
    payment = _payment_of(order, payment)
    sends = _sent_along(items, shipping, discounts, payment.currency)
    who = Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment)
    return follow_up(payment, TransactionKind.CAPTURE, amount=amount, sends=sends, who=who)


@sensitive_variables()
def refund(
    order: PaymentOrder,
    amount: Decimal | Money | None = None,
    *,
    items: Sequence[Item] = (),
    shipping: Shipping | None = None,
    discounts: Sequence[Discount] = (),
    payment: Payment | None = None,
    idempotency_key: str | None = None,
    by: By = "",
    reason_code: str = "",
    comment: str = "",
) -> GatewayTransaction:
    """Refund all that is captured, or a part of it; check the `state` of the returned transaction.

    The interface, Follow-up request, `ecom.refund`. What it is for can be named as for `create_order`: it is
    sent along, and its total is the amount.

    :param order: an order with a captured payment.
    :param amount: `Decimal("4.00")` or a `Money` in the order's currency; all that is left if not given.
    :param items: the lines that are given back, `Item(...)` each.
    :param shipping: shipping costs that are given back.
    :param discounts: discounts on what is given back.
    :param payment: which payment, if several of the order hold money.
    :param idempotency_key: 1 to 64 visible ASCII characters: a repeated one returns the first transaction and
        sends nothing: `"return-77"`.
    :param by: who does it: a user such as `request.user`, an `Actor`, or a program's name: `"cron"`.
    :param reason_code: empty or one of `ReasonCode` for a refund: `"returned"`.
    :param comment: for people, cut to 500 characters; no gateway gets it.
    :returns: the transaction, in a state as that of `capture`; `approved_amount` is what was given back.
    :raises InvalidState: `nothing_left`, `amount_too_high`, `payment_frozen`, `changed_meanwhile` and
        `approval_pending`.
    :raises AwaitingApproval: `awaiting_approval`, where the settings demand a second person; its `approval`
        waits for `approvals.approve`.
    :raises InvalidInput: `amount_invalid`, `fields_invalid`, `several_payments` and `argument_invalid`.
    :raises IdempotencyConflict: `key_taken`, if the key belongs to another operation or to a request that was
        not approved.
    :raises OperationOutstanding: `operation_outstanding`, while another operation has no outcome.
    :raises SendingStopped: `sending_stopped`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.refund")
    payment = _payment_of(order, payment)
    sends = _sent_along(items, shipping, discounts, payment.currency)
    who = Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment)
    return follow_up(payment, TransactionKind.REFUND, amount=amount, sends=sends, who=who)


@sensitive_variables()
def reverse(
    order: PaymentOrder,
    *,
    payment: Payment | None = None,
    idempotency_key: str | None = None,
    by: By = "",
    reason_code: str = "",
    comment: str = "",
) -> GatewayTransaction:
    """Reverse the whole authorization, while nothing of it is captured; check the `state` of the result.

    The interface, Follow-up request, `ecom.reversalPreauthorization`; there is no partial reversal.

    :param order: an order with an authorized payment.
    :param payment: which payment, if several of the order hold money.
    :param idempotency_key: 1 to 64 visible ASCII characters: a repeated one returns the first transaction and
        sends nothing: `"unavailable-77"`.
    :param by: who does it: a user such as `request.user`, an `Actor`, or a program's name: `"cron"`.
    :param reason_code: empty or one of `ReasonCode` for a reversal: `"unavailable"`.
    :param comment: for people, cut to 500 characters; no gateway gets it.
    :returns: the transaction, in a state as that of `capture`.
    :raises InvalidState: `nothing_left`, `refund_needed`, `payment_frozen` and `changed_meanwhile`.
    :raises InvalidInput: `several_payments` and `argument_invalid`.
    :raises IdempotencyConflict: `key_taken`, if the key belongs to another operation.
    :raises OperationOutstanding: `operation_outstanding`, while another operation has no outcome.
    :raises SendingStopped: `sending_stopped`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.reverse")
    payment = _payment_of(order, payment)
    who = Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment)
    return follow_up(payment, TransactionKind.REVERSAL, who=who)


def _payment_of(order: PaymentOrder, payment: Payment | None) -> Payment:
    """Return the payment that a follow-up of an order is for: the given one, or the only one with money.

    Raises `InvalidInput` for a payment of another order or where several payments are possible, and
    `InvalidState` for an order without a payment that has money.
    """
    if payment is not None:
        check_row(payment, Payment)
        if payment.order_id != order.pk:
            raise InvalidInput(
                _("Payment %(payment)s does not belong to order %(order)s."),
                payment=payment.reference,
                order=order.reference,
            )
        return payment
    payments = list(order.payments.select_related("order").filter(authorized__gt=0))
    if len(payments) > 1:
        # A reversed payment no longer holds money, so it cannot be the one.
        payments = [payment for payment in payments if payment.reversal != Reversal.DONE]
    if not payments:
        raise InvalidState(
            _("Order %(order)s has no authorized payment."), ErrorCode.NOTHING_LEFT, order=order.reference
        )
    if len(payments) > 1:
        raise InvalidInput(
            _("Order %(order)s has %(count)s payments. Name one of them."),
            ErrorCode.SEVERAL_PAYMENTS,
            order=order.reference,
            count=len(payments),
        )
    return payments[0]


def _sent_along(
    items: Sequence[Item], shipping: Shipping | None, discounts: Sequence[Discount], currency: str
) -> SentAlong:
    """Return what is sent along; raises `InvalidInput` that names each fault."""
    try:
        cart = None
        if items or shipping or discounts:
            cart = build_cart(currency=currency, items=items, shipping=shipping, discounts=discounts)
        sends = SentAlong.build(shopping_cart_details=cart)
    except InvalidMessage as error:
        raise InvalidInput(*ITEMS_INVALID, errors=in_python_names(error.errors)) from error
    if b"\\u0000" in sends.to_json():
        # It may wait in a row for a second person, and some databases cannot store this character.
        fault = FieldError(path="items", message="a text contains the character NUL")
        raise InvalidInput(*ITEMS_INVALID, errors=[fault])
    return sends


def follow_up(
    payment: Payment,
    kind: TransactionKind,
    *,
    amount: Decimal | Money | None = None,
    sends: SentAlong | None = None,
    who: Initiator,
) -> GatewayTransaction:
    """Capture, refund or reverse in the name of `who`: for a batch, the sweep and a second person, too.

    Raises `InvalidState` if the amount is not available, `InvalidInput` if it is not what the cart comes to,
    and `AwaitingApproval` for a refund that needs a second person.
    """
    check_reason_code(kind, who.reason_code)
    # In one statement: the caller's payment and order may be from different times.
    payment = Payment.objects.select_related("order").get(pk=payment.pk)
    context = context_of(payment.order.gateway)
    sends = sends or SentAlong()
    asked = requested_units(amount, sends.shopping_cart_details, currency=payment.currency)
    first = find_by_key(who, kind=kind, payment=payment, amount=asked)
    if first is not None:
        return first
    minor = available(kind, payment.totals) if asked is None else asked
    if minor <= 0 and (why := why_not(kind, payment.totals, 1)) is not None:
        raise _refused(payment, why)
    alone = None
    if kind is TransactionKind.REFUND:
        alone = limit_for(payment.currency, context, is_agreed=who.is_agreed)
    # The limits of `domain.states`, as the condition of the reserving UPDATE. No kind is left to chance: one
    # that is not here must never move money as another.
    is_left = {
        TransactionKind.CAPTURE: Q(
            authorized__gte=F("captured") + F("capture_reserved") + minor, reversal=Reversal.NONE
        ),
        TransactionKind.REFUND: Q(captured__gte=F("refunded") + F("refund_reserved") + minor),
        TransactionKind.REVERSAL: Q(authorized__gt=0, captured=0, capture_reserved=0, reversal=Reversal.NONE),
    }[kind]
    reserved: dict[str, Any] = {"reversal": Reversal.RESERVED}
    if kind is not TransactionKind.REVERSAL:
        reserved = {RESERVED[kind]: F(RESERVED[kind]) + minor}

    def reserve(now: datetime) -> None:
        reservable = Payment.objects.filter(
            is_left,
            within(alone, minor),
            ~GatewayPause.sending_is_paused(context.alias, now),
            pk=payment.pk,
            is_frozen=False,
        )
        if reservable.update(**reserved):
            return
        payment.refresh_from_db()
        if (why := why_not(kind, payment.totals, minor)) is not None:
            raise _refused(payment, why)
        refuse_reservation(payment, minor, alone, context)

    draft = draft_transaction(
        who, kind=kind, currency=payment.currency, minor=minor, context=context, payment=payment
    )
    message = _request_of(payment, kind, minor, reference=draft.reference, context=context, sends=sends)
    return execute(draft, message, reserve, context, who, asked=asked)


def _refused(payment: Payment, why: Refusal) -> OperationRefused:
    """Name an operation without an outcome before what is left: it holds the amount that is missing."""
    if payment.awaits_outcome and not payment.is_frozen:
        return OperationOutstanding(*OPERATION_OUTSTANDING)
    return InvalidState(*why)


@sensitive_variables()
def preview(payment: Payment, kind: TransactionKind, amount: Money, *, sends: SentAlong | None = None) -> str:
    """Return the body that a capture, refund or reversal would send, without its secrets.

    Nothing is sent or stored.

    :param payment: the payment it would be for: `order.payments.get(number=1)`.
    :param kind: `TransactionKind.CAPTURE`, `REFUND` or `REVERSAL`.
    :param amount: how much: `Money(Decimal("4.00"), "EUR")`.
    :param sends: the `sent_along` of an approval that waits; None without one.
    :returns: JSON as text, with the placeholder of a reference.
    :raises ImproperlyConfigured: where the settings do not have the gateway.
    :raises InvalidState: `merchant_account_changed` where the gateway has another merchant account than the
        payment was made with.
    """
    context = context_of(payment.order.gateway)
    minor = amount.minor_units
    message = _request_of(
        payment, kind, minor, reference=_NOT_YET, context=context, sends=sends or SentAlong()
    )
    return redact_text(message.to_json())


def _request_of(
    payment: Payment,
    kind: TransactionKind,
    minor: int,
    *,
    reference: str,
    context: GatewayContext,
    sends: SentAlong,
) -> FollowUpRequest:
    """Build the request of a capture, refund or reversal of `minor` units, with a new reference.

    Raises `InvalidState` if the payment was made with another merchant account than the gateway has now.
    """
    check_account_of_payment(payment, context)
    account = context.gateway.account
    return FollowUpRequest.build(
        merchant_id=account.merchant_id,
        store_id=account.store_id,
        user_id=account.user_id,
        type=wire_type(kind),
        amount=Money.from_minor_units(minor, payment.currency).to_wire(),
        currency_code=payment.currency,
        client_system_transaction_id=reference,
        client_system_invoice_id=payment.reference,
        provider_discretionary_data=payment.order.order_number or None,
        apm_details={"apm_provider": account.provider},
        **{name: getattr(sends, name) for name in SentAlong.model_fields},
    )


# What they share with the refund of an earlier provider's payment


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
    *,
    asked: int | None,
) -> GatewayTransaction:
    """Reserve, commit, send and record an operation; return the transaction in its resulting state.

    `draft` is not saved yet; `reserve` reserves the amount under the lock or raises; `asked` is the caller's
    amount, as for `find_by_key`. An operation that needs a second person and has none is stored as a waiting
    request: raises `AwaitingApproval`.
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

    def same_click() -> GatewayTransaction | None:
        kind, payment, deposit = TransactionKind(draft.kind), draft.payment, draft.deposit
        return find_by_key(who, kind=kind, payment=payment, deposit=deposit, amount=asked)

    try:
        in_transaction(record)
    except IntegrityError as error:
        # Another process has won a race for the same key, or for the payment.
        first = same_click()
        if first is None or first.reference == draft.reference:
            raise OperationOutstanding(*OPERATION_OUTSTANDING) from error
        return first
    except OperationRefused as refused:
        # An earlier request with the same key may have used up the amount or the one-person limit.
        first = same_click()
        if first is not None:
            return first
        if not isinstance(refused, SecondPersonNeeded):
            raise
        # What its message has and neither the draft nor its payment is kept with the request.
        if isinstance(message, DetachedRefundRequest):
            order_number = message.provider_discretionary_data
            raise ask_for(draft, context=context, order_number=order_number) from refused
        raise ask_for(draft, context=context, sends=message.sent_along) from refused
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
    parent: Payment | MigratedDeposit, minor: int, alone: int | None, context: GatewayContext
) -> NoReturn:
    """Raise why no row could be reserved although the totals, read again, allow it."""
    sending.check_sending_not_paused(context)
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
    rows = GatewayTransaction.objects.select_related("payment__order", "deposit")
    found, asked = rows.filter(idempotency_key=who.idempotency_key).first(), None
    if found is None and who.grant is None:
        waiting = Approval.objects.select_related("payment", "deposit")
        asked = waiting.filter(idempotency_key=who.idempotency_key).first()
    first = found or asked
    if first is None:
        return None
    is_same = (first.kind, first.payment, first.deposit) == (kind, payment, deposit)
    if not is_same or amount not in {None, first.amount_minor}:
        raise IdempotencyConflict(*KEY_TAKEN, key=who.idempotency_key)
    if asked is not None:
        raise outcome_of(asked)
    return found


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
    detached = transaction.kind == TransactionKind.DETACHED_REFUND
    model: type[Message] = DetachedRefundRequest if detached else FollowUpRequest
    try:
        # Read before the claim: once claimed, it would count as perhaps sent.
        message = model.from_json(transaction.request_body.encode())
    except ProtocolError as error:
        raise InvalidState(
            _(
                "The stored request of %(reference)s can no longer be read, so it cannot be sent. "
                "Nothing was sent. Give it up and begin a new one."
            ),
            ErrorCode.REQUEST_UNREADABLE,
            reference=transaction.reference,
        ) from error
    if transaction.payment_id is not None:
        frozen = Exists(Payment.objects.filter(pk=transaction.payment_id, is_frozen=True))
    else:
        frozen = Exists(MigratedDeposit.objects.filter(pk=transaction.deposit_id or 0, is_frozen=True))
    held = {"outstanding_key": transaction.parent_key, "next_send_at": None}

    def claim() -> bool:
        now = context.clock.now()
        unsent = GatewayTransaction.objects.filter(
            ~GatewayPause.sending_is_paused(context.alias, now),
            ~frozen,
            pk=transaction.pk,
            state=TransactionState.NOT_SENT,
            attempt_no=transaction.attempt_no,
        )
        if not unsent.update(**claim_columns(now=now, attempt_no=transaction.attempt_no, **held)):
            return False
        if also is not None:
            also(now)
        return True

    try:
        claimed = in_transaction(claim)
    except IntegrityError as error:
        raise OperationOutstanding(*OPERATION_OUTSTANDING) from error
    if not claimed:
        return None
    # Who made it has gone on: also a person who sends it again does so in another call.
    return _send(reread(transaction), message, context, is_awaited=False)
