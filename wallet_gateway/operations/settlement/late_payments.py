"""A payment of an order that was cancelled before: accepted, or reported to a person, as the setting says."""

from __future__ import annotations

from wallet_gateway.domain.cancellation import LatePayment
from wallet_gateway.domain.lifecycle import OPENING_KINDS, OrderState, TransactionState
from wallet_gateway.domain.policy import LatePaymentPolicy
from wallet_gateway.models import GatewayTransaction
from wallet_gateway.models.orders import CANCELLABLE_STATES
from wallet_gateway.operations.context import GatewayContext

_LATE = {
    LatePaymentPolicy.REPORT: LatePayment.REPORTED,
    LatePaymentPolicy.ACCEPT: LatePayment.ACCEPTED,
}


def note_late_payment(
    transaction: GatewayTransaction, *, after: TransactionState, was_approved: bool, context: GatewayContext
) -> bool:
    """Note on the order that it is paid after its cancellation; return whether a person must decide."""
    is_paid = after is TransactionState.APPROVED and transaction.kind in OPENING_KINDS and not was_approved
    order = transaction.payment.order if transaction.payment and is_paid else None
    if order is None or not order.is_cancelled:
        return False
    if order.late_payment == LatePayment.ACCEPTED and order.state not in _WITHOUT_MONEY:
        # A second payment of an order that is paid makes it overpaid, as ever.
        return False
    if order.late_payment != LatePayment.REPORTED:
        # While a person decides on one, a further one is theirs too, whatever the setting is by now.
        order.late_payment = _LATE[context.policy.late_payment]
    return order.late_payment == LatePayment.REPORTED


_WITHOUT_MONEY = CANCELLABLE_STATES | {OrderState.CANCELLED, OrderState.REFUNDED}
