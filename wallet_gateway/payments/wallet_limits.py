"""Count how often one order's wallet button is used; close it at a limit, and open it when a person says so.

A counter is never read and then written: the UPDATE has the limit in its condition, so that it is exact
however many requests come at once, from whatever sessions and machines. What fails afterwards stays counted.

Closed means: no button is shown for the order and no reference is given for another card. The hosted page
stays open, and so does what is under way: an authorization that was sent is followed to its end.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import F
from django.utils.translation import gettext_noop as _

from wallet_gateway import gateways
from wallet_gateway.context import GatewayContext
from wallet_gateway.domain.discrepancies import Explanation, ExplanationCode, explain
from wallet_gateway.domain.error_codes import WALLET_BUSY, ErrorCode
from wallet_gateway.domain.people import NOBODY, Actor, By
from wallet_gateway.domain.policy import WalletLimit, WalletLimits
from wallet_gateway.domain.states import PAYABLE_STATES, OrderState, TransactionKind
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
from wallet_gateway.models.transactions import MOST_ORDER_EVENTS
from wallet_gateway.operation_errors import InvalidState, WalletUnavailable
from wallet_gateway.payments.inputs import check_decision, check_row
from wallet_gateway.payments.wallet_attempts import OrderAttempts
from wallet_gateway.protocol.text import one_line

logger = logging.getLogger("wallet_gateway.wallet")

_HASH_LENGTH = 16


# Count


class LimitReached(Exception):
    """A limit of an order is used up; nothing was counted."""

    def __init__(self, limit: WalletLimit) -> None:
        super().__init__(limit)
        self.limit = limit


def limits_of(context: GatewayContext) -> WalletLimits:
    """Return the limits of a gateway's buttons; the default ones if it has no buttons any more."""
    return WalletLimits() if context.wallet is None else context.wallet.limits


def count_attempt(
    order: PaymentOrder, usage: WalletUsage | None, *, is_new_session: bool, limits: WalletLimits
) -> None:
    """Count an attempt that is inserted in the same transaction, under the order's lock.

    `usage` is the order's row as last read, if it had one. Raises `LimitReached`.
    """
    if usage is None:
        _insert_row(order)
    _count(order, {WalletLimit.ATTEMPTS: 1, WalletLimit.SESSIONS: int(is_new_session)}, limits)


def count_result(order: PaymentOrder, *, limits: WalletLimits) -> None:
    """Count a result, before anything else is done with it. Raises `LimitReached`."""
    in_transaction(lambda: _count(order, {WalletLimit.RESULTS: 1}, limits))


def count_price(
    order: PaymentOrder, usage: WalletUsage | None, offers: Sequence[str], *, limits: WalletLimits
) -> int:
    """Count a price, and its discount codes that are new for the order: all or none of one request.

    Return the price's number; no other of the order has it, and one counted later has a higher one. Call it
    before the shop's function sees the codes. Raises `LimitReached`.
    """
    usage = usage or _row(order)
    codes = dict.fromkeys(offers)
    hashes = [hashlib.sha256(f"{order.pk}:{code}".encode()).hexdigest()[:_HASH_LENGTH] for code in codes]
    # The write fails only after another request has added a code, for which there is room so often.
    for _attempt in range(1 + limits.maximum(WalletLimit.DISCOUNT_CODES, raised=usage.raised)):
        new = [code for code in hashes if code not in usage.codes_tried]
        counted = {WalletLimit.PRICES: 1, WalletLimit.DISCOUNT_CODES: len(new)}
        if number := _add_price(usage, new, counted, limits):
            return number
        _check_room(usage, counted, limits)
        usage = _row(order)
    raise WalletUnavailable(*WALLET_BUSY)


def _add_price(
    usage: WalletUsage, new: Sequence[str], counted: Mapping[WalletLimit, int], limits: WalletLimits
) -> int:
    """Return the number of the price, from one on; zero if it was not counted."""
    # The list is as it was read as long as no further code was counted.
    where = {"discount_codes": usage.discount_codes} if new else None
    columns = {"codes_tried": [*usage.codes_tried, *new]} if new else None

    def add() -> int:
        if not _add(usage.order_id, counted, limits, where=where, columns=columns):
            return 0
        # The count locks the row until the transaction ends, so that no two prices read the same number.
        rows = WalletUsage.objects.select_for_update().filter(order=usage.order_id)
        return rows.values_list("prices", flat=True).get()

    return in_transaction(add)


def count_event(order_id: int) -> bool:
    """Count a browser's report; return False if the order has as many as are stored of one order."""
    rows = WalletUsage.objects.filter(order=order_id, events__lt=MOST_ORDER_EVENTS)
    return bool(rows.update(events=F("events") + 1))


def _count(order: PaymentOrder, counted: Mapping[WalletLimit, int], limits: WalletLimits) -> None:
    if _add(order.pk, counted, limits):
        return
    _check_room(_row(order), counted, limits)
    # A person has raised the limits at this moment, or there was no row.
    if not _add(order.pk, counted, limits):
        raise WalletUnavailable(*WALLET_BUSY)


def _add(
    order_id: int,
    counted: Mapping[WalletLimit, int],
    limits: WalletLimits,
    *,
    where: Mapping[str, Any] | None = None,
    columns: Mapping[str, Any] | None = None,
) -> bool:
    """Add to counters if all of it is within the limits; also check and write other columns."""
    added = {limit: number for limit, number in counted.items() if number}
    within = {
        f"{limit.lower()}__lte": (1 + F("raised")) * limits.maximum(limit) - number
        for limit, number in added.items()
    }
    rows = WalletUsage.objects.filter(order=order_id, **within, **(where or {}))
    totals = {limit.lower(): F(limit.lower()) + number for limit, number in added.items()}
    return bool(rows.update(**totals, **(columns or {})))


def _check_room(usage: WalletUsage, counted: Mapping[WalletLimit, int], limits: WalletLimits) -> None:
    for limit, number in counted.items():
        if number and number > _room_left(usage, limit, limits):
            raise LimitReached(limit)


def _room_left(usage: WalletUsage, limit: WalletLimit, limits: WalletLimits) -> int:
    """Return how much of a limit is left, as the row was read; below zero after it was lowered."""
    used: int = getattr(usage, limit.lower())
    return limits.maximum(limit, raised=usage.raised) - used


def _row(order: PaymentOrder) -> WalletUsage:
    row = WalletUsage.objects.filter(order=order).first()
    if row is not None:
        return row
    _insert_row(order)
    return WalletUsage.objects.get(order=order)


def _insert_row(order: PaymentOrder) -> None:
    """Insert the order's row, unless another request has just done so."""
    WalletUsage.objects.bulk_create([WalletUsage(order=order)], ignore_conflicts=True)


# Check and close


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
    # A sheet whose result or price would be refused must not be opened at all.
    for limit in (WalletLimit.RESULTS, WalletLimit.PRICES):
        if tried.usage is not None and _room_left(tried.usage, limit, limits_of(context)) <= 0:
            raise LimitReached(limit)


def check_authorizations(tried: OrderAttempts, context: GatewayContext) -> None:
    """Check that one more authorization may be sent. Raises `LimitReached`.

    Each is a row that was read with the order, and `wallet_card.pay` sends only at the version of the order
    that was read: so this count is exact without a counter.
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
        limit = reached.limit
        events = in_transaction(partial(_write_closed, order, limit, context))
        if events:
            # One line and one signal, however many requests have met the limit.
            text = "a limit closed the wallet button of order %s: %s"
            fields = order.log_fields | {"code": limit.value}
            logger.warning(text, one_line(order.reference), limit.lower(), extra=fields)
            deliver(events, clock=context.clock)
        raise _closed(order, limit) from None


def _closed(order: PaymentOrder, limit: WalletLimit) -> WalletUnavailable:
    return WalletUnavailable(
        _("The wallet button of order %(order)s is closed; limit reached: %(limit)s. A person can raise it."),
        ErrorCode.WALLET_LIMIT_REACHED,
        order=order.reference,
        limit=limit,
    )


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

    def open_again() -> None:
        closed = PaymentOrder.objects.filter(pk=order.pk, wallet_closed_at__isnull=False)
        if not closed.update(wallet_closed_at=None, wallet_limit=""):
            raise InvalidState(
                _("No limit has closed the wallet button of order %(order)s. Reload the page."),
                ErrorCode.CHANGED_MEANWHILE,
                order=order.reference,
            )
        WalletUsage.objects.filter(order=order).update(raised=F("raised") + 1)
        _write_event(_last_attempt(order), TransactionEventKind.DECISION, explanation, now, actor=actor)

    in_transaction(open_again)
    shown = map(one_line, (order.reference, actor.name, explanation.said))
    text = "the limits of the wallet button of order %s were raised by %s: %s"
    logger.warning(text, *shown, extra=order.log_fields)
    order.refresh_from_db()
    return order


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
