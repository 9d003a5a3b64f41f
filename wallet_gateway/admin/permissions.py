"""Django permissions by name, checked in one place. Showing a button grants nothing."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from wallet_gateway.queries.permissions import (
    CAPTURE,
    DETACHED_REFUND,
    OF_KIND,
    REFUND,
    REVERSE,
    VIEW_HEALTH,
)

__all__ = [
    "APPROVE",
    "CAPTURE",
    "DETACHED_REFUND",
    "OF_KIND",
    "RAISE_LIMITS",
    "REFUND",
    "RESOLVE",
    "REVERSE",
    "ROTATE_KEYS",
    "SEE_EVENTS",
    "SEE_ORDERS",
    "SEE_TRANSACTIONS",
    "STOP_SENDING",
    "VIEW_HEALTH",
    "has_permission",
    "name_of_person",
    "require_permission",
]

RESOLVE = "wallet_gateway.resolve_unknown"
SEE_ORDERS = "wallet_gateway.view_paymentorder"
SEE_TRANSACTIONS = "wallet_gateway.view_gatewaytransaction"
SEE_EVENTS = "wallet_gateway.view_transactionevent"
ROTATE_KEYS = "wallet_gateway.rotate_keys"
STOP_SENDING = "wallet_gateway.stop_sending"
RAISE_LIMITS = "wallet_gateway.raise_wallet_limits"
APPROVE = "wallet_gateway.approve_operation"
"""Required in addition to the permission of the operation itself."""


def has_permission(request: HttpRequest, permission: str) -> bool:
    """Return whether the current user has a permission."""
    return request.user.has_perm(permission)


def require_permission(request: HttpRequest, permission: str) -> None:
    """Raise `PermissionDenied` unless the current user has a permission."""
    if not has_permission(request, permission):
        raise PermissionDenied


def name_of_person(request: HttpRequest) -> str:
    """Return the name under which a user's decisions are recorded."""
    return request.user.get_username()
