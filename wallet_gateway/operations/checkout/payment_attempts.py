"""The first step of a checkout: lock the order, then return its open page or insert and commit an attempt."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from wallet_gateway.domain.lifecycle import OPENING_KINDS, OrderState, TransactionKind, TransactionState
from wallet_gateway.domain.polling_schedule import offered_until
from wallet_gateway.domain.totals import PaymentTotals, payment_state
from wallet_gateway.ledger.transactions import in_transaction
from wallet_gateway.models import GatewayTransaction, Payment, PaymentOrder
from wallet_gateway.models.orders import PAYABLE_STATES
from wallet_gateway.models.single_rows import Columns, insert_row, update_row
from wallet_gateway.operations.checkout.page_request import PageRequest, stored_request
from wallet_gateway.operations.checkout.payability import not_payable
from wallet_gateway.operations.context import GatewayContext
from wallet_gateway.operations.merchant_accounts import foreign_merchant_account, is_left_alone
from wallet_gateway.operations.sending.send import body_columns, claim_columns


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedAttempt:
    """The result of the first step: a page to show again, or a request to send."""

    transaction: GatewayTransaction
    request: PageRequest | None = None


def begin(
    order: PaymentOrder, request: PageRequest | None, context: GatewayContext
) -> PreparedAttempt | None:
    """Prepare an attempt, or find the page that is open; return None while another request is sending.

    What is returned is committed. `request` is None if too little time is left for a further page; a page
    that is open is still given. Raises `OrderNotPayable`.
    """
    # The database transaction may be repeated, so every run starts from the order as passed in.
    return in_transaction(lambda: _begin_locked(copy(order), request, context))


def _begin_locked(
    order: PaymentOrder, request: PageRequest | None, context: GatewayContext
) -> PreparedAttempt | None:
    now = context.clock.now()
    if request is not None and _lock_untouched(order, now):
        return _new_attempt(order, request, context, now, number=1)
    _lock(order, now, state=OrderState.OPEN)
    attempts = list(
        GatewayTransaction.objects.filter(payment__order=order, kind__in=OPENING_KINDS)
        .select_related("payment")
        .order_by("-pk")
    )
    latest = next((attempt for attempt in attempts if attempt.kind == TransactionKind.CHECKOUT), None)
    if latest is not None and latest.payment is not None:
        latest.payment.order = order
        state = TransactionState(latest.state)
        if state is TransactionState.SENDING and latest.leased_until and latest.leased_until > now:
            return None
        is_offered = state is TransactionState.OPEN and not is_left_alone(latest, context)
        if is_offered and latest.expires_at:
            until = offered_until(opened_at=latest.created_at, expires_at=latest.expires_at)
            if until > now:
                return PreparedAttempt(transaction=latest)
        if state is TransactionState.NOT_SENT and not foreign_merchant_account(latest, context):
            # The same reference requires the same bytes, even if the settings have changed.
            written = stored_request(latest.request_body.encode())
            ends_at = None if written is None else now + written.lifetime
            if ends_at is not None and (order.payable_until is None or ends_at <= order.payable_until):
                is_ours = _claim_again(latest, ends_at, now)
                return PreparedAttempt(transaction=latest, request=written) if is_ours else None
    return _new_attempt(order, request, context, now, number=len(attempts) + 1)


def lock_payable(order: PaymentOrder, now: datetime) -> None:
    """Lock an order for a further attempt, as the first statement of a transaction; raise `OrderNotPayable`.

    The order keeps its state: an attempt that is only offered does not change it.
    """
    if not _lock_untouched(order, now):
        _lock(order, now)


def _lock_untouched(order: PaymentOrder, now: datetime) -> bool:
    """Lock an order that was never changed: it has no attempts, so there is nothing to read."""
    if order.version != 0 or order.is_time_over(now):
        return False
    untouched = {"id": order.pk, "version": 0, "state": OrderState.OPEN}
    if not update_row(PaymentOrder, where=untouched, columns={"version": 1}):
        return False
    order.version = 1
    return True


def _lock(order: PaymentOrder, now: datetime, **columns: OrderState) -> None:
    """Lock the order's row by an UPDATE, which works on every database, check it, and write `columns`.

    A cancellation changes the state. The end of the time to pay never changes, so it needs no condition.
    """
    payable = PaymentOrder.objects.filter(pk=order.pk, state__in=PAYABLE_STATES)
    if not order.is_time_over(now) and payable.update(version=F("version") + 1, **columns):
        order.version, order.state = order.version + 1, columns.get("state", order.state)
        return
    order.refresh_from_db()
    raise not_payable(order)


def _new_attempt(
    order: PaymentOrder,
    request: PageRequest | None,
    context: GatewayContext,
    now: datetime,
    *,
    number: int,
) -> PreparedAttempt:
    if request is None:
        raise not_payable(order)
    transaction = _insert(order, *_columns_of_new(order, request, context, now, number=number))
    return PreparedAttempt(transaction=transaction, request=request)


def _columns_of_new(
    order: PaymentOrder, request: PageRequest, context: GatewayContext, now: datetime, *, number: int
) -> tuple[Columns, Columns]:
    return _columns_of_attempt(
        order,
        TransactionKind.CHECKOUT,
        number=number,
        reference=request.reference,
        context=context,
        created_at=now,
        # The latest possible end of the page, until an answer gives the exact one.
        **claim_columns(now=now, expires_at=now + request.lifetime),
        **body_columns(request.body, context.gateway.account),
    )


def insert_attempt(order: PaymentOrder, kind: TransactionKind, **columns: Any) -> GatewayTransaction:
    """Insert a further payment of an order and its opening transaction.

    `columns` are those of the transaction, the payment's `number`, and the `context`.
    """
    return _insert(order, *_columns_of_attempt(order, kind, **columns))


def _columns_of_attempt(
    order: PaymentOrder,
    kind: TransactionKind,
    *,
    number: int,
    reference: str,
    context: GatewayContext,
    created_at: datetime,
    state: TransactionState,
    **columns: Any,
) -> tuple[Columns, Columns]:
    """Return the columns of a payment and of its opening transaction, but for their keys."""
    amount = order.amount_minor
    shared = {
        "reference": reference,
        "amount_minor": amount,
        "currency": order.currency,
        "exponent": order.exponent,
        "created_at": created_at,
    }
    stands = payment_state(PaymentTotals(amount=amount), state, kind)
    payment = {
        "number": number,
        "type": order.type,
        "state": stands,
        "is_test": context.is_test,
        **shared,
    }
    transaction = {
        "payment_type": order.type,
        "gateway": context.alias,
        "kind": kind,
        "state": state,
        **shared,
        **columns,
    }
    return payment, transaction


def _insert(order: PaymentOrder, payment: Columns, transaction: Columns) -> GatewayTransaction:
    opened = Payment(order=order, **payment)
    insert_row(opened)
    opening = GatewayTransaction(payment=opened, **transaction)
    insert_row(opening)
    return opening


def _claim_again(transaction: GatewayTransaction, expires_at: datetime, now: datetime) -> bool:
    """Claim a request of which no byte left, unless another process has: it may be sent again as it is."""
    claim = claim_columns(now=now, attempt_no=transaction.attempt_no, expires_at=expires_at)
    unsent = {"state": TransactionState.NOT_SENT, "attempt_no": transaction.attempt_no}
    if not GatewayTransaction.objects.filter(pk=transaction.pk, **unsent).update(**claim):
        return False
    for name, value in claim.items():
        setattr(transaction, name, value)
    return True
