"""How much one person may refund without approval, shown before a user requests more."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext as _

from wallet_gateway import conf
from wallet_gateway.admin.operation_registry import Operation
from wallet_gateway.domain.approval_policy import ApprovalPolicy
from wallet_gateway.domain.lifecycle import TransactionKind, TransactionState
from wallet_gateway.models import GatewayTransaction, MigratedDeposit, Payment
from wallet_gateway.protocol.money import Money

_GIVING_BACK = frozenset({TransactionKind.REFUND, TransactionKind.DETACHED_REFUND})


def approval_limit_of(operation: Operation, of: Payment | MigratedDeposit, *, gateway: str) -> Money | None:
    """Return how much of a payment or deposit one person may still refund; None where there is no limit.

    Earlier refunds count. This value is only shown; the operation decides, under the lock.
    """
    if operation.kind not in _GIVING_BACK:
        return None
    limit = _rules(gateway).limit_for(of.currency)
    if limit is None:
        return None
    return Money.from_minor_units(max(limit - of.refunded - of.refund_reserved, 0), of.currency)


def hint(limit: Money | None, available: Money | None) -> str:
    """Return a hint with the amount that needs a second person; empty if the remaining amount needs none."""
    if limit is None or (available is not None and available.minor_units <= limit.minor_units):
        return ""
    if not limit.minor_units:
        return _("It takes a second person: nothing is sent before somebody else has agreed.")
    words = _("Above %(alone)s it takes a second person: nothing is sent before somebody else has agreed.")
    return words % {"alone": limit}


def hint_of_decision(transaction: GatewayTransaction) -> str:
    """Return a hint that a decision on an outcome needs a second person; empty if it does not."""
    if transaction.state == TransactionState.NOT_SENT:
        return ""
    if not _rules(transaction.gateway).is_needed(transaction.amount_minor, transaction.currency):
        return ""
    return _("It takes a second person: your decision counts once somebody else has agreed.")


def _rules(gateway: str) -> ApprovalPolicy:
    try:
        return conf.gateway_settings(gateway).policy.approval_policy
    except ImproperlyConfigured:
        return ApprovalPolicy()
