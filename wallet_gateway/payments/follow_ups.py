"""Capture, refund and reversal of a payment, and refunds of payments made through an earlier provider.

All of them are one story: check what is asked, reserve the amount and commit it with the exact bytes of the
request, send them once, record the outcome. The last three are in `execution`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import F, Q
from django.utils.translation import gettext_noop as _

from wallet_gateway import gateways
from wallet_gateway.client.redaction import redact_text
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.actors import Actor, By
from wallet_gateway.domain.error_codes import (
    DEPOSIT_FROZEN,
    ITEMS_INVALID,
    OPERATION_OUTSTANDING,
    PAYMENT_FROZEN,
    SENDING_PAUSED,
    ErrorCode,
    Refusal,
)
from wallet_gateway.domain.explanations import ExplanationCode, explain
from wallet_gateway.domain.states import (
    OPENING_KINDS,
    LifecycleEvent,
    Reversal,
    TransactionKind,
    TransactionState,
    available,
    why_not,
)
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.apply import RESERVED, reread
from wallet_gateway.ledger.repair import record_decision
from wallet_gateway.ledger.transactions import check_outside_transaction, in_current_or_new_transaction
from wallet_gateway.merchant_accounts import check_account_of_payment
from wallet_gateway.models import (
    GatewayPause,
    GatewayTransaction,
    Payment,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
)
from wallet_gateway.models.fields import actor_columns, explanation_columns
from wallet_gateway.operation_errors import (
    InvalidInput,
    InvalidState,
    OperationOutstanding,
    OperationRefused,
    SendingStopped,
)
from wallet_gateway.payments.detached_refunds import refund_migrated
from wallet_gateway.payments.execution import (
    Initiator,
    draft_transaction,
    execute,
    find_by_key,
    refuse_reservation,
    resend_unsent,
)
from wallet_gateway.payments.inputs import (
    actor_of,
    check_decider,
    check_reason_code,
    check_row,
    requested_units,
)
from wallet_gateway.payments.order_fields import in_python_names
from wallet_gateway.payments.second_person import limit_for, within
from wallet_gateway.protocol.cart import Discount, Item, Shipping, ShoppingCart, build_cart
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.errors import FieldError, InvalidMessage
from wallet_gateway.protocol.faults import RefundLimit
from wallet_gateway.protocol.follow_ups import FollowUpRequest
from wallet_gateway.protocol.money import Money

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

_NOT_YET = "made-when-it-is-sent"
"""Placeholder for the reference, which is created together with the transaction."""


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
    cart = _cart_of(items, shipping, discounts, payment.currency)
    who = Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment)
    return follow_up(payment, TransactionKind.CAPTURE, amount=amount, cart=cart, who=who)


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
    cart = _cart_of(items, shipping, discounts, payment.currency)
    who = Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment)
    return follow_up(payment, TransactionKind.REFUND, amount=amount, cart=cart, who=who)


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


def _cart_of(
    items: Sequence[Item], shipping: Shipping | None, discounts: Sequence[Discount], currency: str
) -> ShoppingCart | None:
    """Return the cart that is sent along, None without lines; raises `InvalidInput` that names each fault."""
    if not (items or shipping or discounts):
        return None
    try:
        cart = build_cart(currency=currency, items=items, shipping=shipping, discounts=discounts)
    except InvalidMessage as error:
        raise InvalidInput(*ITEMS_INVALID, errors=in_python_names(error.errors)) from error
    if b"\\u0000" in cart.to_json():
        # It may wait in a row for a second person, and some databases cannot store this character.
        fault = FieldError(path="items", message="a text contains the character NUL")
        raise InvalidInput(*ITEMS_INVALID, errors=[fault])
    return cart


def follow_up(
    payment: Payment,
    kind: TransactionKind,
    *,
    amount: Decimal | Money | None = None,
    cart: ShoppingCart | None = None,
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
    asked = requested_units(amount, cart, currency=payment.currency)
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
        refuse_reservation(payment, minor, alone, context, now)

    draft = draft_transaction(
        who, kind=kind, currency=payment.currency, minor=minor, context=context, payment=payment
    )
    message = _request_of(payment, kind, minor, reference=draft.reference, context=context, cart=cart)
    return execute(draft, message, reserve, context, who)


def _refused(payment: Payment, why: Refusal) -> OperationRefused:
    """Name an operation without an outcome before what is left: it holds the amount that is missing."""
    if payment.awaits_outcome and not payment.is_frozen:
        return OperationOutstanding(*OPERATION_OUTSTANDING)
    return InvalidState(*why)


def _request_of(
    payment: Payment,
    kind: TransactionKind,
    minor: int,
    *,
    reference: str,
    context: GatewayContext,
    cart: ShoppingCart | None = None,
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
        shopping_cart_details=cart,
    )


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
def preview(
    payment: Payment, kind: TransactionKind, amount: Money, *, cart: ShoppingCart | None = None
) -> str:
    """Return the body that a capture, refund or reversal would send, without its secrets.

    Nothing is sent or stored.

    :param payment: the payment it would be for: `order.payments.get(number=1)`.
    :param kind: `TransactionKind.CAPTURE`, `REFUND` or `REVERSAL`.
    :param amount: how much: `Money(Decimal("4.00"), "EUR")`.
    :param cart: the `shopping_cart` of an approval that waits; None without lines.
    :returns: JSON as text, with the placeholder of a reference.
    :raises ImproperlyConfigured: where the settings do not have the gateway.
    :raises InvalidState: `merchant_account_changed` where the gateway has another merchant account than the
        payment was made with.
    """
    context = context_of(payment.order.gateway)
    minor = amount.minor_units
    message = _request_of(payment, kind, minor, reference=_NOT_YET, context=context, cart=cart)
    return redact_text(message.to_json())


@sensitive_variables()
def shown_body(body: str) -> str:
    """Return a stored body redacted for display: one that may still be sent is stored unredacted.

    :param body: JSON as text, such as `transaction.request_body`; may be empty.
    :returns: the same without its secrets.
    """
    return redact_text(body) if body else ""
