"""Capture, refund and reversal of a payment that the gateway has authorized."""

from __future__ import annotations

from decimal import Decimal

from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.totals import Reversal
from wallet_gateway.gateways import context_of
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.errors import InvalidInput, InvalidState
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.protocol.money import Money


def capture(
    order: PaymentOrder,
    amount: Decimal | Money | None = None,
    *,
    payment: Payment | None = None,
    idempotency_key: str | None = None,
    by: str = "",
    reason_code: str = "",
    comment: str = "",
) -> GatewayTransaction:
    """Take reserved money, all of it or `amount`; look at the returned transaction's `state`.

    A repeated `idempotency_key` returns the first transaction and sends nothing. `reason_code` is empty or
    one of `ReasonCode`. Raises `InvalidState`.
    """
    return follow_ups.capture(
        payment=_payment_meant(order, payment),
        context=context_of(order.gateway),
        amount=amount,
        who=Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment),
    )


def refund(
    order: PaymentOrder,
    amount: Decimal | Money | None = None,
    *,
    payment: Payment | None = None,
    idempotency_key: str | None = None,
    by: str = "",
    reason_code: str = "",
    comment: str = "",
) -> GatewayTransaction:
    """Give captured money back, all of it or `amount`; look at the returned transaction's `state`.

    A repeated `idempotency_key` returns the first transaction and sends nothing. `reason_code` is empty or
    one of `ReasonCode`. Raises `InvalidState`, and `AwaitingApproval` where the settings demand a second
    person: its `approval` waits for `approve`.
    """
    return follow_ups.refund(
        payment=_payment_meant(order, payment),
        context=context_of(order.gateway),
        amount=amount,
        who=Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment),
    )


def reverse(
    order: PaymentOrder,
    *,
    payment: Payment | None = None,
    idempotency_key: str | None = None,
    by: str = "",
    reason_code: str = "",
    comment: str = "",
) -> GatewayTransaction:
    """Give the whole authorization back, while nothing of it is captured. Raises `InvalidState`."""
    return follow_ups.reverse(
        payment=_payment_meant(order, payment),
        context=context_of(order.gateway),
        who=Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment),
    )


def _payment_meant(order: PaymentOrder, payment: Payment | None) -> Payment:
    if payment is not None and payment.order_id != order.pk:
        raise InvalidInput(ErrorCode.PAYMENT_OF_OTHER_ORDER, payment=payment.reference, order=order.reference)
    return payment or _payment_with_money(order)


def _payment_with_money(order: PaymentOrder) -> Payment:
    payments = list(order.payments.select_related("order").filter(authorized__gt=0))
    if len(payments) > 1:
        # One that was reversed holds nothing any more, so another one is meant.
        payments = [payment for payment in payments if payment.reversal != Reversal.DONE]
    if not payments:
        raise InvalidState(ErrorCode.NO_AUTHORIZED_PAYMENT, order=order.reference)
    if len(payments) > 1:
        raise InvalidInput(ErrorCode.SEVERAL_PAYMENTS, order=order.reference, count=len(payments))
    return payments[0]
