"""Capture, refund and reversal of a payment, and refunds of payments made through an earlier provider."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from wallet_gateway import gateways
from wallet_gateway.domain.actors import By
from wallet_gateway.domain.lifecycle import TransactionKind
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import context_of
from wallet_gateway.ledger.transactions import check_outside_transaction
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.operations.approvals import resolve as resolutions
from wallet_gateway.operations.follow_ups import capture_refund_reverse as follow_ups
from wallet_gateway.operations.follow_ups import detached_refunds, refusals
from wallet_gateway.operations.follow_ups import preview as previews
from wallet_gateway.operations.follow_ups import resend as resending
from wallet_gateway.operations.follow_ups.cart import cart_of
from wallet_gateway.operations.follow_ups.execute import Initiator
from wallet_gateway.operations.follow_ups.preview import shown_body
from wallet_gateway.operations.inputs import check_row
from wallet_gateway.protocol.cart import Discount, Item, Shipping, ShoppingCart
from wallet_gateway.protocol.faults import RefundLimit
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
    payment = follow_ups.payment_of(order, payment)
    return follow_ups.refund(
        payment=payment,
        context=context_of(order.gateway),
        amount=amount,
        cart=_cart_of(items, shipping, discounts, payment),
        who=Initiator(idempotency_key=idempotency_key, by=by, reason_code=reason_code, comment=comment),
    )


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

    The interface, Detached refund request, `detached.refund`.

    :param parent_transaction_id: the payment's id as in the migration file: 1 to 128 visible ASCII characters
        without blanks, and no card number: `"OLD-4711"`.
    :param amount: `Decimal("4.00")` or a `Money` in `currency`.
    :param currency: ISO 4217: `"EUR"`; that of the deposit, if it is known.
    :param gateway: alias of a gateway in the settings.
    :param order_number: what the customer knows the order by, at most 127 characters
        (providerDiscretionaryData).
    :param idempotency_key: 1 to 64 visible ASCII characters: a repeated one returns the first transaction and
        sends nothing.
    :param by: who does it: a user such as `request.user`, an `Actor`, or a program's name: `"cron"`.
    :param reason_code: empty or one of `ReasonCode` for a refund: `"goodwill"`.
    :param comment: for people, cut to 500 characters; no gateway gets it.
    :returns: the transaction, in a state as that of `capture`.
    :raises InvalidState: `amount_too_high`, `wrong_state`, `payment_frozen`, `changed_meanwhile` and
        `approval_pending`.
    :raises AwaitingApproval: `awaiting_approval`, where the settings demand a second person; its `approval`
        waits for `approvals.approve`.
    :raises InvalidInput: `argument_invalid` and `amount_invalid`.
    :raises IdempotencyConflict: `key_taken`, as for `refund`.
    :raises OperationOutstanding: `operation_outstanding`, while another refund of it has no outcome.
    :raises SendingStopped: `sending_stopped`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    :raises ImproperlyConfigured: for a gateway that is not in the settings.
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
    return resending.send_again(
        transaction, context=context_of(transaction.gateway), who=Initiator(by=by, comment=comment)
    )


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
    return resolutions.give_up_unsent(transaction, by=by, context=context_of(transaction.gateway))


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
    return refusals.mark_seen(transaction, by=by, clock=gateways.clock())


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
    return previews.preview(payment, kind, amount.minor_units, context=context, cart=cart)
