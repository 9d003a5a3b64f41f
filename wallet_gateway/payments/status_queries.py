"""What the gateway says of a payment: only this makes an order paid."""

from __future__ import annotations

from wallet_gateway.gateways import context_of
from wallet_gateway.models import MigratedDeposit, Payment, PaymentOrder
from wallet_gateway.operations.polling import reconciliation
from wallet_gateway.operations.polling.reconciliation import Asked


def reconcile(subject: PaymentOrder | Payment, *, everything: bool = False) -> PaymentOrder:
    """Ask the gateway about what is not settled, and return the order as it then stands.

    Given one attempt, only that attempt is asked about. However often this is called, the gateway is asked
    about one transaction at most every two seconds. `everything` asks about settled transactions, too.
    """
    if isinstance(subject, Payment):
        context = context_of(subject.order.gateway)
        return reconciliation.reconcile_attempt(reference=subject.reference, context=context).order
    context = context_of(subject.gateway)
    return reconciliation.reconcile_order(order=subject, context=context, everything=everything)


def ask_gateway(subject: PaymentOrder | MigratedDeposit) -> Asked:
    """Ask about every transaction of an order, or of an earlier provider's payment, now; nothing is sent."""
    return reconciliation.ask_everything(subject, context=context_of(subject.gateway))
