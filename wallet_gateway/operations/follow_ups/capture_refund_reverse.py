"""Capture, refund and reverse a payment: each reserves its amount under the lock before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import NoReturn

from django.db.models import F, QuerySet
from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.error_codes import OPERATION_OUTSTANDING, ErrorCode, Refusal
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.domain.limits import (
    NOTHING_TO_CAPTURE,
    NOTHING_TO_REFUND,
    NOTHING_TO_REVERSE,
    capturable,
    refundable,
    reversible,
    why_not_capture,
    why_not_refund,
    why_not_reverse,
)
from wallet_gateway.domain.totals import PaymentTotals, Reversal
from wallet_gateway.models import GatewayPause, GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.approvals.requests import check_alone, limit_for, within
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.errors import (
    InvalidInput,
    InvalidState,
    OperationOutstanding,
    OperationRefused,
)
from wallet_gateway.operations.follow_ups.execute import (
    SYSTEM,
    Initiator,
    draft_transaction,
    execute,
    find_by_idempotency_key,
    refuse_reservation,
)
from wallet_gateway.operations.inputs import check_reason_code, check_row, requested_units
from wallet_gateway.operations.merchant_accounts import check_account_of_payment
from wallet_gateway.protocol.cart import ShoppingCart
from wallet_gateway.protocol.endpoints import wire_type
from wallet_gateway.protocol.follow_ups import FollowUpRequest
from wallet_gateway.protocol.money import Money


def capture(
    *,
    payment: Payment,
    context: GatewayContext,
    amount: Decimal | Money | None = None,
    cart: ShoppingCart | None = None,
    who: Initiator = SYSTEM,
) -> GatewayTransaction:
    """Capture all or a part of the remaining authorized amount; return the transaction in any state.

    With a `cart`, which is sent along, its total is the amount. Raises `InvalidState` if the amount is not
    available to capture, and `InvalidInput` if it is not what the cart comes to.
    """
    check_reason_code(TransactionKind.CAPTURE, who.reason_code)
    payment = _as_it_stands(payment)
    asked = requested_units(amount, cart, currency=payment.currency)
    first = find_by_idempotency_key(who, kind=TransactionKind.CAPTURE, payment=payment, amount=asked)
    if first is not None:
        return first
    totals = payment.totals
    minor = capturable(totals) if asked is None else asked

    def reserve(now: datetime) -> None:
        taken = _payable(payment, context, now).filter(
            authorized__gte=F("captured") + F("capture_reserved") + minor, reversal=Reversal.NONE
        )
        if not taken.update(capture_reserved=F("capture_reserved") + minor):
            _refuse(payment, context, now, partial(why_not_capture, wanted=minor))

    if minor <= 0:
        raise _refused(payment, why_not_capture(totals, 1) or NOTHING_TO_CAPTURE)
    return _carry_out(payment, TransactionKind.CAPTURE, minor, reserve, context, who, cart=cart)


def refund(
    *,
    payment: Payment,
    context: GatewayContext,
    amount: Decimal | Money | None = None,
    cart: ShoppingCart | None = None,
    who: Initiator = SYSTEM,
) -> GatewayTransaction:
    """Refund all or a part of the remaining captured amount; return the transaction in any state.

    With a `cart`, which is sent along, its total is the amount. Raises `InvalidState` if the amount is not
    available to refund, `InvalidInput` if it is not what the cart comes to, and `AwaitingApproval` if it
    needs a second person.
    """
    check_reason_code(TransactionKind.REFUND, who.reason_code)
    payment = _as_it_stands(payment)
    asked = requested_units(amount, cart, currency=payment.currency)
    first = find_by_idempotency_key(who, kind=TransactionKind.REFUND, payment=payment, amount=asked)
    if first is not None:
        return first
    totals = payment.totals
    minor = refundable(totals) if asked is None else asked
    alone = limit_for(payment.currency, context, is_agreed=who.is_agreed)

    def reserve(now: datetime) -> None:
        taken = _payable(payment, context, now).filter(
            within(alone, minor), captured__gte=F("refunded") + F("refund_reserved") + minor
        )
        if not taken.update(refund_reserved=F("refund_reserved") + minor):
            why = partial(why_not_refund, wanted=minor)
            _refuse(payment, context, now, why, lambda: check_alone(payment, minor, alone))

    if minor <= 0:
        raise _refused(payment, why_not_refund(totals, 1) or NOTHING_TO_REFUND)
    return _carry_out(payment, TransactionKind.REFUND, minor, reserve, context, who, cart=cart)


def reverse(*, payment: Payment, context: GatewayContext, who: Initiator = SYSTEM) -> GatewayTransaction:
    """Reverse the whole authorization; possible only while nothing is captured.

    Raises `InvalidState` otherwise.
    """

    def reserve(now: datetime) -> None:
        taken = _payable(payment, context, now).filter(
            authorized__gt=0, captured=0, capture_reserved=0, reversal=Reversal.NONE
        )
        if not taken.update(reversal=Reversal.RESERVED):
            _refuse(payment, context, now, why_not_reverse)

    check_reason_code(TransactionKind.REVERSAL, who.reason_code)
    payment = _as_it_stands(payment)
    first = find_by_idempotency_key(who, kind=TransactionKind.REVERSAL, payment=payment)
    if first is not None:
        return first
    minor = reversible(payment.totals)
    if minor <= 0:
        raise _refused(payment, why_not_reverse(payment.totals) or NOTHING_TO_REVERSE)
    return _carry_out(payment, TransactionKind.REVERSAL, minor, reserve, context, who)


def payment_of(order: PaymentOrder, payment: Payment | None) -> Payment:
    """Return the payment that a follow-up of an order is for: the given one, or the only one with money.

    Raises `InvalidInput` for a payment of another order or where several payments are possible, and
    `InvalidState` for an order without a payment that has money.
    """
    if payment is None:
        return _only_authorized_payment(order)
    check_row(payment, Payment)
    if payment.order_id != order.pk:
        raise InvalidInput(
            _("Payment %(payment)s does not belong to order %(order)s."),
            payment=payment.reference,
            order=order.reference,
        )
    return payment


def _only_authorized_payment(order: PaymentOrder) -> Payment:
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


def _as_it_stands(payment: Payment) -> Payment:
    """Return the payment and its order, read in one statement: the caller's may be from different times."""
    return Payment.objects.select_related("order").get(pk=payment.pk)


def _payable(payment: Payment, context: GatewayContext, now: datetime) -> QuerySet[Payment]:
    return Payment.objects.filter(
        ~GatewayPause.sending_is_paused(context.alias, now), pk=payment.pk, is_frozen=False
    )


def _refuse(
    payment: Payment,
    context: GatewayContext,
    now: datetime,
    why_not: Callable[[PaymentTotals], Refusal | None],
    check_limit: Callable[[], None] | None = None,
) -> NoReturn:
    """Raise the reason why the reserving UPDATE found no row; the rows are read again for this."""
    payment.refresh_from_db()
    why = why_not(payment.totals)
    if why is not None:
        raise _refused(payment, why)
    refuse_reservation(context, now, check_limit=check_limit)


def _refused(payment: Payment, why: Refusal) -> OperationRefused:
    """Name an operation without an outcome before what is left: it holds the amount that is missing."""
    if payment.awaits_outcome and not payment.is_frozen:
        return OperationOutstanding(*OPERATION_OUTSTANDING)
    return InvalidState(*why)


def _carry_out(
    payment: Payment,
    kind: TransactionKind,
    minor: int,
    reserve: Callable[[datetime], None],
    context: GatewayContext,
    who: Initiator,
    *,
    cart: ShoppingCart | None = None,
) -> GatewayTransaction:
    draft = draft_transaction(
        who, kind=kind, currency=payment.currency, minor=minor, context=context, payment=payment
    )
    message = request_of(payment, kind, minor, reference=draft.reference, context=context, cart=cart)
    return execute(draft=draft, message=message, reserve=reserve, context=context, who=who)


def request_of(
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
