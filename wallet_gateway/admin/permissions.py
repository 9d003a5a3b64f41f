"""Who may do what: Django permissions by name, asked for in one place. Showing a button decides nothing."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from wallet_gateway.domain.lifecycle import TransactionKind

CAPTURE = "wallet_gateway.capture_payment"
REFUND = "wallet_gateway.refund_payment"
REVERSE = "wallet_gateway.reverse_payment"
DETACHED_REFUND = "wallet_gateway.detached_refund"
RESOLVE = "wallet_gateway.resolve_unknown"
SEE_ORDERS = "wallet_gateway.view_paymentorder"
SEE_TRANSACTIONS = "wallet_gateway.view_gatewaytransaction"
SEE_EVENTS = "wallet_gateway.view_transactionevent"
ROTATE_KEYS = "wallet_gateway.rotate_keys"
STOP_SENDING = "wallet_gateway.stop_sending"
APPROVE = "wallet_gateway.approve_operation"
"""Beside the permission of the operation itself."""
SEE_HEALTH = "wallet_gateway.view_health"

OF_KIND = {
    TransactionKind.CAPTURE: CAPTURE,
    TransactionKind.REFUND: REFUND,
    TransactionKind.REVERSAL: REVERSE,
    TransactionKind.DETACHED_REFUND: DETACHED_REFUND,
}
"""What it takes to ask the gateway for something, or to ask for it again."""


def has_permission(request: HttpRequest, permission: str) -> bool:
    """Say whether the person behind a request has a permission."""
    return request.user.has_perm(permission)


def require_permission(request: HttpRequest, permission: str) -> None:
    """Raise `PermissionDenied` unless the person behind a request has a permission."""
    if not has_permission(request, permission):
        raise PermissionDenied


def user_still_has(name: str, permission: str) -> bool | None:
    """Say whether the account of a name has a permission now; None where there is no such account."""
    model = get_user_model()
    account = model._default_manager.filter(**{model.USERNAME_FIELD: name}).first()
    return None if account is None else bool(account.is_active and account.has_perm(permission))


def name_of_person(request: HttpRequest) -> str:
    """Return the name under which a person's decisions are recorded."""
    return request.user.get_username()
