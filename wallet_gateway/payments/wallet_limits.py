"""Close the wallet button of an order when a limit is reached, and open it again when a person says so.

Closed means: no button is shown for the order and no reference is given for another card. The hosted page
stays open, and so does what is under way: an authorization that was sent is followed to its end.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db.models import F
from django.utils.translation import gettext_noop as _

from wallet_gateway import gateways
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import Explanation, ExplanationCode, explain
from wallet_gateway.domain.error_codes import ErrorCode
from wallet_gateway.domain.people import NOBODY, Actor, By
from wallet_gateway.domain.policy import WalletLimit
from wallet_gateway.domain.states import OrderState, TransactionKind
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.ledger.outbox import Notification, add_outbox_events, deliver
from wallet_gateway.ledger.transactions import check_outside_transaction, in_transaction
from wallet_gateway.models import (
    GatewayTransaction,
    OutboxEvent,
    OutboxEventKind,
    PaymentOrder,
    TransactionEvent,
    TransactionEventKind,
    WalletUsage,
)
from wallet_gateway.models.fields import actor_columns, explanation_columns
from wallet_gateway.models.orders import PAYABLE_STATES
from wallet_gateway.operation_errors import InvalidState, WalletUnavailable
from wallet_gateway.payments.inputs import check_decision, check_row
from wallet_gateway.payments.wallet_attempts import OrderAttempts
from wallet_gateway.payments.wallet_usage import LimitReached, limits_of, room_left
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.wallet")

_CHECKED_FIRST = (WalletLimit.RESULTS, WalletLimit.PRICES)
"""A sheet whose result or price would be refused must not be opened at all."""


@sensitive_variables()
def check_open(order: PaymentOrder) -> None:
    """Raise `WalletUnavailable` if a limit has closed the order's button, as the row was read.

    `open_session` checks it, too; call this before a customer's session is created for it.

    :param order: any order.
    :raises WalletUnavailable: `wallet_limit_reached`.
    """
    if order.is_wallet_closed:
        raise _closed(order, WalletLimit(order.wallet_limit))


def check_before_sheet(tried: OrderAttempts, context: GatewayContext) -> None:
    """Check that a sheet can be paid with. Raises `WalletUnavailable` and `LimitReached`."""
    check_open(tried.order)
    check_authorizations(tried, context)
    for limit in _CHECKED_FIRST:
        if tried.usage is not None and room_left(tried.usage, limit, limits_of(context)) <= 0:
            raise LimitReached(limit)


def check_authorizations(tried: OrderAttempts, context: GatewayContext) -> None:
    """Check that one more authorization may be sent. Raises `LimitReached`.

    Each is a row that was read with the order, and `claim` sends only at the version of the order that was
    read: so this count is exact without a counter.
    """
    sent = [one for one in tried.openings if one.kind == TransactionKind.AUTHORIZATION and one.attempt_no]
    raised = tried.usage.raised if tried.usage is not None else 0
    if len(sent) >= limits_of(context).maximum(WalletLimit.AUTHORIZATIONS, raised=raised):
        raise LimitReached(WalletLimit.AUTHORIZATIONS)


@contextmanager
def close_at_limit(order: PaymentOrder, context: GatewayContext) -> Iterator[None]:
    """Close the order's button if a limit is reached within the block; raise `WalletUnavailable` then."""
    try:
        yield
    except LimitReached as reached:
        _close(order, reached.limit, context)
        raise _closed(order, reached.limit) from None


def _closed(order: PaymentOrder, limit: WalletLimit) -> WalletUnavailable:
    return WalletUnavailable(
        _("The wallet button of order %(order)s is closed; limit reached: %(limit)s. A person can raise it."),
        ErrorCode.WALLET_LIMIT_REACHED,
        order=order.reference,
        limit=limit,
    )


def _close(order: PaymentOrder, limit: WalletLimit, context: GatewayContext) -> None:
    events = in_transaction(lambda: _write_closed(order, limit, context))
    if events:
        # One line and one signal, however many requests have met the limit.
        text = "a limit closed the wallet button of order %s: %s"
        logger.warning(text, one_line(order.reference), limit.lower())
        deliver(events, clock=context.clock)


def _write_closed(
    order: PaymentOrder, limit: WalletLimit, context: GatewayContext
) -> tuple[OutboxEvent, ...]:
    now = context.clock.now()
    # The button of a paid order is gone already.
    unpaid = PaymentOrder.objects.filter(pk=order.pk, state__in=PAYABLE_STATES | {OrderState.PENDING})
    if not unpaid.filter(wallet_closed_at__isnull=True).update(wallet_closed_at=now, wallet_limit=limit):
        return ()
    transaction = _last_attempt(order)
    raised = WalletUsage.objects.filter(order=order).values_list("raised", flat=True).first() or 0
    allowed = limits_of(context).maximum(limit, raised=raised)
    explanation = explain(ExplanationCode.WALLET_LIMIT_REACHED, wallet_limit=limit, allowed=allowed)
    _write_event(transaction, TransactionEventKind.LIMIT_REACHED, explanation, now)
    notification = Notification(kind=OutboxEventKind.WALLET_LIMIT_REACHED, limit=limit)
    return add_outbox_events(transaction, (notification,), now)


@sensitive_variables()
def raise_limits(order: PaymentOrder, *, by: By, reason: str) -> PaymentOrder:
    """Open an order's button that a limit has closed, and add each limit once more in full.

    :param order: an order whose button is closed.
    :param by: the person who decided it: a user such as `request.user`, an `Actor`, or a name.
    :param reason: why, not empty; it is stored in the order's timeline.
    :returns: the order as it is now.
    :raises InvalidState: `changed_meanwhile`, if no limit has closed the button.
    :raises InvalidInput: `argument_invalid`.
    :raises InsideTransaction: `inside_transaction`, within a database transaction.
    """
    check_outside_transaction("payments.wallet.raise_limits")
    check_row(order, PaymentOrder)
    actor, now = check_decision(by=by, reason=reason), gateways.clock().now()
    explanation = explain(ExplanationCode.WALLET_LIMITS_RAISED, said=reason.strip())
    in_transaction(lambda: _write_raised(order, explanation, actor, now))
    shown = map(one_line, (order.reference, actor.name, explanation.said))
    logger.warning("the limits of the wallet button of order %s were raised by %s: %s", *shown)
    order.refresh_from_db()
    return order


def _write_raised(order: PaymentOrder, explanation: Explanation, actor: Actor, now: datetime) -> None:
    closed = PaymentOrder.objects.filter(pk=order.pk, wallet_closed_at__isnull=False)
    if not closed.update(wallet_closed_at=None, wallet_limit=""):
        raise InvalidState(
            _("No limit has closed the wallet button of order %(order)s. Reload the page."),
            ErrorCode.CHANGED_MEANWHILE,
            order=order.reference,
        )
    WalletUsage.objects.filter(order=order).update(raised=F("raised") + 1)
    _write_event(_last_attempt(order), TransactionEventKind.DECISION, explanation, now, actor=actor)


def _last_attempt(order: PaymentOrder) -> GatewayTransaction:
    rows = GatewayTransaction.objects.filter(payment__order=order, kind=TransactionKind.AUTHORIZATION)
    return rows.select_related("payment__order").latest("pk")


def _write_event(
    transaction: GatewayTransaction,
    kind: TransactionEventKind,
    explanation: Explanation,
    now: datetime,
    *,
    actor: Actor = NOBODY,
) -> None:
    TransactionEvent.objects.create(
        transaction=transaction,
        kind=kind,
        state_after=transaction.state,
        **explanation_columns(explanation),
        **actor_columns(TransactionEvent, "created_by", actor),
        occurred_at=now,
    )
