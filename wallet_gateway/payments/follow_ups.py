"""Capture, refund and reversal of a payment, and refunds of payments made through an earlier provider."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from wallet_gateway.domain.actors import By
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.argument_types import check_order, check_type
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.follow_ups import detached_refunds
from wallet_gateway.operations.follow_ups import preview as previews
from wallet_gateway.operations.follow_ups import resend as resending
from wallet_gateway.operations.follow_ups.cart import cart_of
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.follow_ups.preview import shown_body
from wallet_gateway.operations.settlement.db_transactions import check_outside_transaction
from wallet_gateway.protocol.cart import Discount, Shipping
from wallet_gateway.protocol.cart_lines import Item
from wallet_gateway.protocol.cart_messages import ShoppingCart
from wallet_gateway.protocol.faults import RefundLimit
from wallet_gateway.protocol.money import Money

__all__ = [
    "RefundLimit",
    "capture",
    "give_up_unsent",
    "preview",
    "refund",
    "refund_migrated",
    "reverse",
    "send_again",
    "shown_body",
]


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
    """Capture all that is authorized, or `amount`; check the `state` of the returned transaction.

    What the capture is for can be named as for `create_order`; it is sent along, and its total is the amount.
    A repeated `idempotency_key` returns the first transaction and sends nothing. `reason_code` is empty or
    one of `ReasonCode`. Raises `InvalidInput` and `InvalidState`.
    """
    check_outside_transaction("payments.capture")
    check_order(order)
    _check_payment(payment)
    payment = follow_ups.payment_of(order, payment)
    return follow_ups.capture(
        payment=payment,
        context=context_of(order.gateway),
        amount=amount,
        cart=_cart_of(items, shipping, discounts, payment),
        who=Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment),
    )


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
    """Refund all that is captured, or `amount`; check the `state` of the returned transaction.

    What the refund is for can be named as for `create_order`; it is sent along, and its total is the amount.
    A repeated `idempotency_key` returns the first transaction and sends nothing. `reason_code` is empty or
    one of `ReasonCode`. Raises `InvalidInput`, `InvalidState`, and `AwaitingApproval` where the settings
    require a second person: its `approval` waits for `approve`.
    """
    check_outside_transaction("payments.refund")
    check_order(order)
    _check_payment(payment)
    payment = follow_ups.payment_of(order, payment)
    return follow_ups.refund(
        payment=payment,
        context=context_of(order.gateway),
        amount=amount,
        cart=_cart_of(items, shipping, discounts, payment),
        who=Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment),
    )


def _check_payment(payment: object) -> None:
    if payment is not None:
        check_type("payment", payment, Payment)


def _cart_of(
    items: Sequence[Item], shipping: Shipping | None, discounts: Sequence[Discount], payment: Payment
) -> ShoppingCart | None:
    if not (items or shipping or discounts):
        return None
    return cart_of(items=items, shipping=shipping, discounts=discounts, currency=payment.currency)


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
    """Reverse the whole authorization, while nothing of it is captured. Raises `InvalidState`."""
    check_outside_transaction("payments.reverse")
    check_order(order)
    _check_payment(payment)
    return follow_ups.reverse(
        payment=follow_ups.payment_of(order, payment),
        context=context_of(order.gateway),
        who=Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment),
    )


@sensitive_variables()
def refund_migrated(
    parent_transaction_id: str,
    amount: Decimal | Money,
    currency: str,
    *,
    gateway: str = "default",
    order_number: str | None = None,
    idempotency_key: str | None = None,
    by: By = "",
    reason_code: str = "",
    comment: str = "",
) -> GatewayTransaction:
    """Refund a payment made through another provider; `approved_amount` of the result may be less.

    Raises `InvalidState` when more is requested than a known deposit has left, and `AwaitingApproval`
    where the settings require a second person.
    """
    check_outside_transaction("payments.refund_migrated")
    return detached_refunds.refund_migrated(
        parent_transaction_id=parent_transaction_id,
        amount=amount,
        currency=currency,
        context=context_of(gateway),
        who=Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment),
        order_number=order_number,
    )


@sensitive_variables()
def send_again(transaction: GatewayTransaction, *, by: By = "", comment: str = "") -> GatewayTransaction:
    """Send a `NOT_SENT` capture, refund or reversal again now, with the same reference and the same bytes.

    For transactions that the sweep has tried several times and no longer sends; `resolve` abandons one
    instead and frees its amount. Raises `InvalidState`.
    """
    check_outside_transaction("payments.follow_ups.send_again")
    check_type("transaction", transaction, GatewayTransaction)
    return resending.send_again(
        transaction, context=context_of(transaction.gateway), who=Initiator(by=by, comment=comment)
    )


@sensitive_variables()
def give_up_unsent(transaction: GatewayTransaction, *, by: By) -> bool:
    """Abandon a request that could not be sent, so that its amount is free again at once.

    For callers that report this to a person. Return False if it was sent in the meantime, or is not unsent.
    """
    check_outside_transaction("payments.follow_ups.give_up_unsent")
    check_type("transaction", transaction, GatewayTransaction)
    return resolutions.give_up_unsent(transaction, by=by, context=context_of(transaction.gateway))


@sensitive_variables()
def preview(
    payment: Payment, kind: TransactionKind, amount: Money, *, cart: ShoppingCart | None = None
) -> str:
    """Return the body that a capture, refund or reversal of `amount` would send, without its secrets.

    `cart` is the `shopping_cart` of an approval that waits. Nothing is sent or stored. Raises
    `ImproperlyConfigured` where the settings do not have the gateway.
    """
    check_type("payment", payment, Payment)
    check_type("amount", amount, Money)
    context = context_of(payment.order.gateway)
    return previews.preview(payment, kind, amount.minor_units, context=context, cart=cart)
