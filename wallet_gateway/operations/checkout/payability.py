"""Whether a further attempt to pay an order may begin, and how long its hosted page may live."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext_noop as _

from wallet_gateway.domain.error_codes import ORDER_NOT_PAYABLE, ErrorCode
from wallet_gateway.domain.lifecycle import OrderState
from wallet_gateway.domain.polling_schedule import SHORTEST_PAGE
from wallet_gateway.models import PaymentOrder
from wallet_gateway.models.orders import PAYABLE_STATES
from wallet_gateway.operations.errors import OrderNotPayable


def check_payable(order: PaymentOrder, now: datetime) -> None:
    """Raise `OrderNotPayable` unless the order may be paid, as it was read."""
    if not order.is_payable_at(now):
        raise not_payable(order)


def not_payable(order: PaymentOrder) -> OrderNotPayable:
    """Return the exception that says why an order takes no further attempt to pay."""
    if order.is_cancelled:
        return OrderNotPayable(
            _("Order %(order)s is cancelled. It can no longer be paid; create a new order."),
            ErrorCode.ORDER_ENDED,
            order=order.reference,
        )
    if order.state in PAYABLE_STATES and order.payable_until is not None:
        return OrderNotPayable(
            _("Order %(order)s can be paid until %(until)s. It is too late to begin another payment."),
            ErrorCode.ORDER_ENDED,
            order=order.reference,
            until=order.payable_until.isoformat(),
        )
    return OrderNotPayable(*ORDER_NOT_PAYABLE, order=order.reference, state=OrderState(order.state))


def page_seconds(order: PaymentOrder, *, longest: int, now: datetime) -> int | None:
    """Return how long a hosted page that is opened now may live; None if too little time is left to pay.

    `longest` is the setting. The page must not outlive the order, and the shortest life that a page may have
    is a minute.
    """
    if order.payable_until is None:
        return longest
    left = int((order.payable_until - now).total_seconds())
    return min(longest, left) if left >= SHORTEST_PAGE.total_seconds() else None
