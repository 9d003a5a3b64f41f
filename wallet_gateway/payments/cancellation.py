"""Cancel an order that is not paid, and release it once nothing that was begun for it can pay it any more.

From the cancellation on no attempt to pay begins: starting one writes the order's row only in a payable
state, and so does the cancellation. What was begun before is queried to its end by the usual schedule.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import F
from django.utils.translation import gettext_noop as _

from wallet_gateway import gateways
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import DiscrepancyKind
from wallet_gateway.domain.error_codes import PAYMENT_FROZEN, ErrorCode
from wallet_gateway.domain.people import NOBODY, Actor, By
from wallet_gateway.domain.polling_schedule import LATEST_CHECK, may_still_pay, next_release_check
from wallet_gateway.domain.states import CANCELLABLE_STATES, OPENING_KINDS, LatePayment, OrderState
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.ledger.apply import state_of
from wallet_gateway.ledger.outbox import add_order_events, deliver
from wallet_gateway.ledger.repair import release_freeze
from wallet_gateway.ledger.transactions import (
    check_outside_transaction,
    in_transaction,
    log_row_error,
    read_due,
)
from wallet_gateway.models import Discrepancy, GatewayTransaction, OutboxEvent, OutboxEventKind, PaymentOrder
from wallet_gateway.models.fields import actor_columns, note_of
from wallet_gateway.operation_errors import InvalidState
from wallet_gateway.payments.inputs import check_decider, check_row

_Events = tuple[OutboxEvent, ...]


@sensitive_variables()
def cancel(order: PaymentOrder, *, by: By, note: str = "") -> PaymentOrder:
    """Take no new payment for an order that is not paid; a second call changes nothing.

    What the customer has begun may still pay it: its goods are free when `order.is_released`, which the
    signal `order_released` tells. A cancelled order stays cancelled: create a new one.

    :param order: an order that holds no money.
    :param by: who cancels: a user such as `request.user`, an `Actor`, or a program's name: `"cron"`.
    :param note: why, for the timeline; cut to 500 characters: `"out of stock"`.
    :returns: the order as it is now, with `is_cancelled` and `is_released`.
    :raises InvalidState: `refund_needed`, `reversal_needed`, `order_refunded` and `payment_frozen`; the code
        says what to do instead.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.cancel")
    check_row(order, PaymentOrder)
    actor, clock = check_decider(by=by, reason=note), gateways.clock()

    def write() -> _Events:
        now = clock.now()
        # Lock the row before anything is read: an attempt that begins now waits, and then finds it cancelled.
        PaymentOrder.objects.filter(pk=order.pk).update(version=F("version") + 1)
        current = PaymentOrder.objects.get(pk=order.pk)
        if current.is_cancelled:
            return ()
        _check_cancellable(current)
        return _write_cancelled(current, _begun(current), actor, note.strip(), now)

    deliver(in_transaction(write), clock=clock)
    order.refresh_from_db()
    return order


def _check_cancellable(order: PaymentOrder) -> None:
    """Raise `InvalidState` whose code says what to do instead."""
    state = OrderState(order.state)
    if state is OrderState.FROZEN:
        raise InvalidState(*PAYMENT_FROZEN)
    if state is OrderState.REFUNDED:
        raise InvalidState(
            _("Order %(order)s was paid and refunded. There is nothing to cancel."),
            ErrorCode.ORDER_REFUNDED,
            order=order.reference,
        )
    if state is OrderState.AUTHORIZED:
        raise InvalidState(
            _(
                "Order %(order)s has the state “%(state)s”: an amount is reserved. Reverse the "
                "authorization instead of cancelling the order."
            ),
            ErrorCode.REVERSAL_NEEDED,
            order=order.reference,
            state=state,
        )
    if state not in CANCELLABLE_STATES:
        raise InvalidState(
            _(
                "Order %(order)s has the state “%(state)s” and holds money. Refund it instead of "
                "cancelling it."
            ),
            ErrorCode.REFUND_NEEDED,
            order=order.reference,
            state=state,
        )


def _begun(order: PaymentOrder) -> Sequence[GatewayTransaction]:
    """Return the transactions that may still pay an order."""
    openings = GatewayTransaction.objects.filter(payment__order=order, kind__in=OPENING_KINDS)
    return [one for one in openings if may_still_pay(one.poll_state, has_page=bool(one.redirect_url))]


def _write_cancelled(
    order: PaymentOrder, begun: Sequence[GatewayTransaction], actor: Actor, note: str, now: datetime
) -> _Events:
    order.cancelled_at = now
    payments = order.payments.all()
    columns = {
        "state": state_of(order, payments),
        "cancelled_at": now,
        **actor_columns(PaymentOrder, "cancelled_by", actor),
        "cancellation_note": note_of(PaymentOrder, "cancellation_note", note),
    }
    return _write(order, begun, columns, (OutboxEventKind.CANCELLED,), now)


def _write(
    order: PaymentOrder,
    begun: Sequence[GatewayTransaction],
    columns: dict[str, Any],
    kinds: tuple[OutboxEventKind, ...],
    now: datetime,
) -> _Events:
    """Write the columns of a cancelled order, and release it unless a transaction may still pay it."""
    if begun:
        columns["release_check_at"] = next_release_check(now, (one.next_query_at for one in begun))
    else:
        columns |= {"release_check_at": None, "released_at": now}
        kinds = (*kinds, OutboxEventKind.RELEASED)
    PaymentOrder.objects.filter(pk=order.pk).update(updated_at=now, **columns)
    return add_order_events(order, kinds, now)


# The sweep


def release_orders(*, context: GatewayContext, limit: int) -> int:
    """Cancel orders whose time to pay is over, and release cancelled ones; return how many were released.

    An order whose time is over is cancelled at its release only: a payment that was begun in time is not
    late. Any number of workers may run this; each order has a next instant until it is paid or released.
    """
    due = PaymentOrder.objects.filter(gateway=context.alias, release_check_at__lte=context.clock.now())
    released = 0
    for order in read_due(due.order_by("release_check_at"), limit=limit):
        events: _Events = ()
        with log_row_error(order.reference):
            if order.late_payment == LatePayment.REPORTED:
                _accept_forgotten(order, context)
            events = in_transaction(partial(_look, order.pk, context.clock.now()))
            deliver(events, clock=context.clock)
        released += any(event.kind == OutboxEventKind.RELEASED for event in events)
    return released


def _look(pk: int, now: datetime) -> _Events:
    """Decide on an order that is due; another worker may have done so."""
    due = PaymentOrder.objects.filter(pk=pk, release_check_at__lte=now)
    if not due.update(version=F("version") + 1):
        return ()
    rows = PaymentOrder.objects.filter(pk=pk)
    order = rows.get()
    if not (order.is_cancelled or order.is_time_over(now)):
        rows.update(release_check_at=order.payable_until)
        return ()
    if order.state == OrderState.FROZEN:
        # A person decides on it; their decision makes it due at once.
        rows.update(release_check_at=now + LATEST_CHECK)
        return ()
    is_given_back = order.is_cancelled and order.state == OrderState.REFUNDED
    without_money = is_given_back or order.state in CANCELLABLE_STATES | {OrderState.CANCELLED}
    if order.is_released or not without_money:
        # It is released, or holds money, or was paid in time; what changes that makes it due again.
        rows.update(release_check_at=None)
        return ()
    begun = _begun(order)
    if begun or order.is_cancelled:
        return _write(order, begun, {}, (), now)
    return _write_cancelled(order, begun, NOBODY, "", now)


def _accept_forgotten(order: PaymentOrder, context: GatewayContext) -> None:
    """Accept a late payment whose difference was closed by a process that died before it could."""
    differences = Discrepancy.objects.filter(payment__order=order, kind=DiscrepancyKind.LATE_PAYMENT)
    if differences.filter(closed_at__isnull=True).exists():
        return
    for difference in differences.select_related("transaction")[:1]:
        if difference.transaction is not None:
            release_freeze(difference.transaction, context=context)
